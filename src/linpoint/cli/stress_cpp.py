# SPDX-License-Identifier: Apache-2.0
"""``linpoint test FILE.cpp --stress``: what is built, run and told. No worker is needed: the test is a program of its own."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from typing import Any, Final

from linpoint.campaign.driver import run_campaign
from linpoint.campaign.stress_answers import answer_of_stress, recheck_history
from linpoint.campaign.worker_protocol import RenderedResult, TestRequest, recheck_request, rendered_result
from linpoint.cli.check_request import load_spec
from linpoint.cli.output.build_output import show_build_error
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList
from linpoint.cli.output.terminal import ProgressLine
from linpoint.errors import LinpointError, TestError, UsageError
from linpoint.executors.thread_executor import peak_memory
from linpoint.options.commands.shared_options import DEFAULT_BUDGET
from linpoint.options.commands.test import TestOptions
from linpoint.processes.command_runner import OutOfTimeError
from linpoint.scenarios.cpp_test_description import CppObjectTest, object_tests
from linpoint.specs.spec import Spec
from linpoint.subjects.cpp_object.build_tests import check_operations, named_test
from linpoint.subjects.interface import CampaignProgress
from linpoint.subjects.stress.cpp_subject import CppStressSubject
from linpoint.subjects.stress.stress_program import describe_program
from linpoint.subjects.stress.stress_request import StressConfig
from linpoint.targets.build_error import BuildError
from linpoint.targets.build_recipe import BuildRecipe
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.compiler_flags import sorted_flags
from linpoint.targets.stress_executable_builder import Executable, build_executable
from linpoint.verdicts import Budget
from linpoint.verdicts.coverage import coverage_of
from linpoint.verdicts.result import undecided_result

_FROM_COMMENTS: Final = ("spec", "compiler", "flags")
"""Threads and operations in comments are those of exploring a file."""
_THREADS: Final = 4
_OPERATIONS: Final = 100
_VALUES: Final = 8
"""Of a parameter: few, so that operations meet on them."""
_MORE_VALUES: Final = 32
"""Of the parameter of an object on whose values nothing depends: many, so that it is seen which is which."""
_SINGLE: Final = frozenset(["queue", "stack", "deque", "register", "log", "priority-queue"])


@dataclasses.dataclass(frozen=True, slots=True)
class Stressed:
    """How tests of C++ objects are to be built and run on real threads."""

    options: TestOptions

    def validate(self) -> None:
        """Say what cannot be before anything is built."""
        if sys.platform != "linux":
            message = f"C++ objects are tested on Linux, and this is {sys.platform}."
            raise TestError("LP-T035", message, remedy="Use such a machine, or a container.")
        options = self.options
        options.check_stress_cpp()
        numbers = {"threads": options.threads, "operations": options.operations, "instances": options.instances}
        for name, number in numbers.items():
            if number is not None and number < 1:
                raise UsageError("LP-U001", f"{number} is not a number of {name}.", remedy="Use 1 or more.")
        if options.seed < 0:
            raise UsageError("LP-U001", f"{options.seed} is not a seed.", remedy="Use 0 or more.")
        sorted_flags(options.compiler_flags, hooked=False)

    def tests(self, file: str, name: str, limits: Budget, line: ProgressLine) -> list[StressTest | ReportEntry]:
        """The tests of a file, built, or the one of this name; or what kept them from being found.

        Of what the file says of itself, spec, compiler and flags count; threads and operations are for exploring it.
        """
        try:
            return list(Stressed(self.options.for_file(file, only=_FROM_COMMENTS)).found(file, name, limits, line))
        except OutOfTimeError:
            return [_not_run(file, name, "the budget ended while it was compiled")]
        except BuildError as error:
            show_build_error(error)
            return [ReportEntry(file, name, RenderedResult(error=error.as_dict(), compiler_output=error.said))]
        except LinpointError as error:
            return [ReportEntry(file, name, RenderedResult(error=(error if error.place else error.at(file)).as_dict()))]

    def found(self, file: str, name: str, limits: Budget, line: ProgressLine) -> Iterator[StressTest]:
        """The tests, with the file's own flags and those of the command."""
        options = self.options
        if options.spec is None:
            remedy = "Say which: --spec stack (`linpoint specs` lists them), or in the file: // linpoint: --spec stack."
            raise UsageError("LP-U001", "a test of a C++ object needs a spec.", remedy=remedy)
        spec = load_spec(options.spec)
        compiler = find_compiler(options.compiler)
        line(f"compiling {file}", at_once=True)
        recipe = BuildRecipe((file, *options.sources), options.compiler_flags, compiler)
        program = build_executable(recipe, sanitizer=options.sanitizer, deadline=limits.deadline)
        width = _MORE_VALUES if spec.name in _SINGLE else _VALUES
        tests = object_tests(describe_program(program.program), file, width=width)
        chosen = tests if not name else {name: named_test(tests, name, file)}
        for test in chosen.values():
            check_operations(test, spec)
            yield StressTest(file, program, test, spec, options, limits.max_memory)


@dataclasses.dataclass(frozen=True, slots=True)
class StressTest:
    """One test of a file that was built."""

    file: str
    program: Executable
    test: CppObjectTest
    spec: Spec
    options: TestOptions
    max_memory: int | None

    def run(self, seconds: float, line: ProgressLine) -> tuple[ReportEntry, bool]:
        """What is to be said of it, and whether Ctrl-C ended it."""
        options, name = self.options, self.test.definition.name
        if not seconds:
            return _not_run(self.file, name, "it was interrupted"), False
        manner = StressConfig(
            options.threads or _THREADS,
            options.operations or _OPERATIONS,
            options.seed,
            options.instances,
            erratic=options.erratic,
        )

        def show(reached: CampaignProgress) -> None:
            line(f"stressing {name}: {reached.executions:,} runs, {reached.operations:,} operations")

        try:
            fixed = options.fixed_scenario
            scenario = None if fixed is None else self.test.accept(fixed)
            subject = CppStressSubject(
                self.program.program,
                self.test,
                self.spec,
                manner,
                scenario,
                sanitized=options.sanitizer is not None,
                max_memory=self.max_memory,
            )
            result = run_campaign(subject, seconds, show)
        except LinpointError as error:
            return ReportEntry(self.file, name, RenderedResult(error=error.as_dict())), False
        request = TestRequest(action="stress", file=self.file, test=name, spec=options.spec, seed=options.seed)
        again = ["test", f"{self.file}:{name}", *options.argv()]
        answer = answer_of_stress(result, request, language="cpp", again=again)
        return ReportEntry(self.file, name, answer), result.interrupted


def replay_stress_cpp(content: dict[str, Any], *, as_json: bool) -> int:
    """Check the operations of a finding again; nothing is built or run."""
    request = recheck_request(content)
    if request.spec is None:
        raise UsageError("LP-U004", "the token names no spec.", remedy="Copy all of it.")
    limits = Budget.starting_now(DEFAULT_BUDGET, None)
    spec = load_spec(request.spec)
    answer = recheck_history(request.test, spec, request, language="cpp")
    return write_report(
        ReportList([ReportEntry(request.file, request.test, answer)]), OutputFormats(json=as_json), limits
    )


def _not_run(file: str, test: str, why: str) -> ReportEntry:
    result = undecided_result(
        "stress", test, why, file=file, coverage=coverage_of("stress", peak_memory_bytes=peak_memory())
    )
    return ReportEntry(file, test, rendered_result(result))
