# SPDX-License-Identifier: Apache-2.0
"""Builds the tests of a C++ file, finds them by name, and makes them subjects of campaigns and replays.

Guarantee: a test that cannot run raises a coded error before any test runs. The first build of a file takes seconds,
and that of the host a minute; both are cached.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from linpoint.errors import TestError, UsageError
from linpoint.histories.operation import Operation
from linpoint.hosts.host_config import HostConfig
from linpoint.options.commands.test import TestOptions
from linpoint.options.schema import Panel
from linpoint.options.token_fields import token_fields
from linpoint.scenarios.cpp_test_description import CppObjectTest
from linpoint.scenarios.tested_operation import nearest
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find
from linpoint.subjects.cpp_object.blocked_operations import StoppedScenario, StoppedThread
from linpoint.subjects.cpp_object.cpp_token import CPP_KIND, CppObjectToken
from linpoint.subjects.cpp_object.object_under_test import BuiltCppTests, CppObject
from linpoint.subjects.cpp_object.outcomes_method import OutcomesSubject
from linpoint.subjects.cpp_object.subject import CppObjectSubject
from linpoint.subjects.interface import Failure, Subject
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from linpoint.targets.target_builder import BuildRecipe, build_target

_DESCRIPTION_TIMEOUT_S: Final = 20.0
"""The time within which a file must report its tests."""


@dataclass(frozen=True, slots=True)
class BuiltCppTest:
    """One test of a built file."""

    program: BuiltCppTests
    test: CppObjectTest
    spec: Spec | None
    """None if outcomes are compared."""
    options: TestOptions

    @property
    def name(self) -> str:
        """The name of the test."""
        return self.test.definition.name

    @property
    def subject(self) -> Subject:
        """The subject for a campaign."""
        target = self._target()
        return (
            OutcomesSubject(target) if self.spec is None else CppObjectSubject(target, self.spec, self.options.progress)
        )

    @property
    def replay_subject(self) -> CppObjectSubject:
        """The subject for the replay of a finding of this test."""
        return CppObjectSubject(self._target(), self.spec)

    def failure(self, found: CppObjectToken) -> Failure:
        """The failure whose schedule a token holds."""
        fixed = self.options.fixed_scenario
        assert fixed is not None
        scenario = self.test.accept(fixed)
        case = scenario if found.stop is None else StoppedScenario(scenario, StoppedThread(*found.stop))
        return Failure(found.finding, case, tuple(found.schedule), 0, None)

    def has_changed_since(self, found: CppObjectToken) -> bool:
        """Whether the code differs from that of the finding."""
        return bool(found.code) and found.code != self.program.target.digest

    def _target(self) -> CppObject:
        options, fixed = self.options, self.options.fixed_scenario
        scenarios = () if fixed is None else (fixed,)
        return CppObject(
            self.program,
            self.test,
            options.seed,
            scenarios,
            options.threads,
            options.operations,
            token=self._content(),
        )

    def _content(self) -> dict[str, Any]:
        """The content of a replay token besides the scenario and its schedule."""
        content: dict[str, Any] = {"kind": CPP_KIND, "file": self.program.file, "test": self.name}
        fields = token_fields(self.options, defaults=True, without=Panel.PYTHON)
        return content | {"code": self.program.target.digest} | fields


def build_tests(
    file: str,
    name: str,
    options: TestOptions,
    *,
    deadline: float | None = None,
    max_memory: int | None = None,
    report_progress: Callable[[str], None] = lambda _: None,
) -> list[BuiltCppTest]:
    """Build the tests of a file, or only the one with that name. Raises ``OutOfTimeError`` if ``deadline`` passes."""
    if not Path(file).is_file():
        raise TestError("LP-T015", "there is no such file.", place=file, remedy="Give the path of a C++ file.")
    spec = _spec_of(options)
    compiler = find_compiler(options.compiler)
    host = find_host(compiler, report_progress=report_progress)
    report_progress(f"compiling {file}")
    target = build_target(BuildRecipe((file, *options.sources), options.compiler_flags, compiler), deadline=deadline)
    config = HostConfig(
        options.memory_model,
        options.races,
        options.reuse,
        max_memory=max_memory,
        workers=options.workers or os.cpu_count() or 1,
    )
    program = BuiltCppTests(file, host, target, config)
    tests = chosen_tests(program.tests(_DESCRIPTION_TIMEOUT_S), name, file, spec)
    return [BuiltCppTest(program, test, spec, options) for test in tests]


def _spec_of(options: TestOptions) -> Spec | None:
    if options.compares_outcomes:
        return None
    if options.spec is None:
        raise UsageError(
            "LP-U001",
            "a test of a C++ object requires a spec.",
            remedy="Add --spec stack (`linpoint specs` lists them), or in the file: // linpoint: --spec stack. "
            "To compare outcomes instead, add --method outcomes.",
        )
    return find(options.spec)


def chosen_tests(tests: dict[str, CppObjectTest], name: str, file: str, spec: Spec | None) -> Collection[CppObjectTest]:
    """The tests of a file, or the one of that name, once the spec is known to have their operations."""
    chosen = tests if not name else {name: named_test(tests, name, file)}
    for test in chosen.values():
        check_operations(test, spec)
    return chosen.values()


def named_test(tests: dict[str, CppObjectTest], name: str, file: str) -> CppObjectTest:
    """The test with this name; raises LP-T016 if there is none."""
    if name not in tests:
        remedy = f"{nearest(name, tests)}Use one of: {', '.join(tests)}."
        raise TestError("LP-T016", f'unknown test "{name}".', place=file, remedy=remedy)
    return tests[name]


def check_operations(test: CppObjectTest, spec: Spec | None) -> None:
    """Reject operations that the spec does not have, before anything runs."""
    for operation in test.definition.operations.values() if spec is not None else ():
        args = tuple(source[0] for source in operation.sources)
        assert spec is not None
        complaint = spec.complaint(Operation(0, operation.name, args))
        if complaint is not None:
            raise complaint
