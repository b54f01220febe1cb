# SPDX-License-Identifier: Apache-2.0
"""Builds the tests of a C++ file to run on real threads, as subjects of campaigns.

Guarantee: options that stress tests do not support are rejected before anything runs. A program is built once and
cached.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from linpoint.errors import TestError, UsageError
from linpoint.options.commands.test import TestOptions
from linpoint.scenarios.cpp_test_description import CppObjectTest, object_tests
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find
from linpoint.subjects.cpp_object.build_tests import chosen_tests
from linpoint.subjects.stress.cpp_subject import CppStressSubject
from linpoint.subjects.stress.stress_program import describe_program
from linpoint.subjects.stress.stress_request import StressConfig
from linpoint.targets.build_recipe import BuildRecipe
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.compiler_flags import sorted_flags
from linpoint.targets.stress_executable_builder import build_executable

OPTIONS_FROM_COMMENTS: Final = ("spec", "compiler", "flags")
"""The options that a file's comments may set; its thread and operation counts are for exploration."""
_THREADS: Final = 4
_OPERATIONS: Final = 100
_PARAMETER_VALUES: Final = 8
"""The number of values of a parameter: few, so that operations conflict."""
_IDENTITY_VALUES: Final = 32
"""The number of values for objects that treat all values alike: many, so that operations can be distinguished."""
_SPECS_OF_IDENTITY: Final = frozenset(["queue", "stack", "deque", "register", "log", "priority-queue"])


@dataclass(frozen=True, slots=True)
class BuiltStressTest:
    """One test of a built file."""

    file: str
    program: Path
    test: CppObjectTest
    spec: Spec
    options: TestOptions
    max_memory: int | None

    @property
    def name(self) -> str:
        """The name of the test."""
        return self.test.definition.name

    def subject(self) -> CppStressSubject:
        """The subject for a campaign. Raises a coded error if the test does not accept the scenario of the options."""
        options, fixed = self.options, self.options.fixed_scenario
        config = StressConfig(
            options.threads or _THREADS,
            options.operations or _OPERATIONS,
            options.seed,
            options.instances,
            erratic=options.erratic,
        )
        return CppStressSubject(
            self.program,
            self.test,
            self.spec,
            config,
            None if fixed is None else self.test.accept(fixed),
            sanitized=options.sanitizer is not None,
            max_memory=self.max_memory,
        )


def validate_stress_options(options: TestOptions) -> None:
    """Reject options that stress tests of C++ objects do not support, before anything is built."""
    if sys.platform != "linux":
        message = f"C++ objects are tested on Linux, not on {sys.platform}."
        raise TestError("LP-T035", message, remedy="Use a Linux machine or container.")
    options.check_stress_cpp()
    numbers = {"threads": options.threads, "operations": options.operations, "instances": options.instances}
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise UsageError("LP-U001", f"{number} is not a number of {name}.", remedy="Use 1 or more.")
    if options.seed < 0:
        raise UsageError("LP-U001", f"{options.seed} is not a seed.", remedy="Use 0 or more.")
    sorted_flags(options.compiler_flags, hooked=False)


def build_stress_tests(
    file: str,
    name: str,
    options: TestOptions,
    *,
    deadline: float | None = None,
    max_memory: int | None = None,
    report_progress: Callable[[str], None] = lambda _: None,
) -> list[BuiltStressTest]:
    """Build the tests of a file, or only the one with that name. Raises ``OutOfTimeError`` if ``deadline`` passes."""
    if options.spec is None:
        remedy = "Add --spec stack (`linpoint specs` lists them), or in the file: // linpoint: --spec stack."
        raise UsageError("LP-U001", "a test of a C++ object requires a spec.", remedy=remedy)
    spec = find(options.spec)
    compiler = find_compiler(options.compiler)
    report_progress(f"compiling {file}")
    recipe = BuildRecipe((file, *options.sources), options.compiler_flags, compiler)
    program = build_executable(recipe, sanitizer=options.sanitizer, deadline=deadline).program
    width = _IDENTITY_VALUES if spec.name in _SPECS_OF_IDENTITY else _PARAMETER_VALUES
    tests = object_tests(describe_program(program), file, width=width)
    chosen = chosen_tests(tests, name, file, spec)
    return [BuiltStressTest(file, program, test, spec, options, max_memory) for test in chosen]
