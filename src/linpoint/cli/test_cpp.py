# SPDX-License-Identifier: Apache-2.0
"""``linpoint test FILE.cpp``: what is built, asked of the host and told. No worker is needed: the host is one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.worker_protocol import RenderedResult, rendered_result
from linpoint.cli.output import standard_streams
from linpoint.cli.output.build_output import show_build_error
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.errors import LinpointError, TestError
from linpoint.histories.values import counted
from linpoint.limits.deadlines import TimeIsUpError, deadline
from linpoint.options.commands.shared_options import DEFAULT_BUDGET
from linpoint.options.commands.test import TestOptions
from linpoint.processes.command_runner import OutOfTimeError
from linpoint.subjects.cpp_object.build_tests import BuiltCppTest, build_tests
from linpoint.subjects.cpp_object.cpp_token import CppObjectToken
from linpoint.subjects.interface import CampaignProgress, Progress
from linpoint.targets.build_error import BuildError
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.compiler_flags import sorted_flags
from linpoint.targets.host_builder import find_host
from linpoint.verdicts import Budget
from linpoint.verdicts.result import Result, undecided_result

_AT_LEAST: Final = 0.1
_GRACE: Final = 10.0
"""Seconds beyond the budget in which a failure is made small and told; who needs more is inside of an endless spec."""


@dataclasses.dataclass(frozen=True, slots=True)
class Command:
    """What the command was given for all its tests of C++ objects; what a file says of itself comes to it."""

    options: TestOptions = dataclasses.field(default_factory=TestOptions)

    def prepare(self, files: Sequence[str] = ()) -> None:
        """Build the hosts, once, and say what cannot be before anything is built."""
        sorted_flags(self.options.compiler_flags)
        compilers = [self._for(file).compiler for file in files] or [self.options.compiler]
        with progress() as line:
            for compiler in dict.fromkeys(compilers):
                find_host(find_compiler(compiler), tell=line)

    def _for(self, file: str) -> TestOptions:
        try:
            return self.options.for_file(file)
        except LinpointError:  # reported when the file is tested
            return self.options

    def tests(self, file: str, name: str, limits: Budget, line: ProgressLine) -> list[ToldTest | ReportEntry]:
        """The tests of a file, built; or what kept them from being found."""
        try:
            return self.tests_with(self.options.for_file(file), file, name, limits, line)
        except LinpointError as error:
            return [ReportEntry(file, name, RenderedResult(error=error.as_dict()))]

    def tests_with(
        self, options: TestOptions, file: str, name: str, limits: Budget, line: ProgressLine
    ) -> list[ToldTest | ReportEntry]:
        """The same, whatever the file says of itself."""
        standard_streams.keep_stdout()  # a user's spec may print

        def tell_at_once(text: str) -> None:
            line(text, at_once=True)

        try:
            found = build_tests(
                file, name, options, deadline=limits.deadline, max_memory=limits.max_memory, tell=tell_at_once
            )
            return [ToldTest(each, self) for each in found]
        except OutOfTimeError:
            result = undecided_result("test", name or file, "the budget ended while it was compiled")
            return [ReportEntry(file, name, rendered_result(result))]
        except BuildError as error:
            show_build_error(error)
            return [ReportEntry(file, name, RenderedResult(error=error.as_dict(), compiler_output=error.said))]
        except LinpointError as error:
            return [ReportEntry(file, name, RenderedResult(error=error.as_dict()))]


@dataclasses.dataclass(frozen=True, slots=True)
class ToldTest:
    """One test of a file that was built, and how its result is told."""

    test: BuiltCppTest
    command: Command

    def run(self, seconds: float, line: ProgressLine) -> tuple[ReportEntry, bool]:
        """What is to be said of it, and whether Ctrl-C ended it."""
        try:
            with deadline(Budget.starting_now(seconds, None), grace=_GRACE):
                result = run_campaign(self.test.subject, seconds, _listener(self.test.name, line))
        except TimeIsUpError:
            result = undecided_result(
                "test", self.test.name, "the budget ended inside of the spec, which does not come back"
            )
        except LinpointError as error:
            return ReportEntry(self.test.program.file, self.test.name, RenderedResult(error=error.as_dict())), False
        return self.told(result), result.interrupted

    def told(self, result: Result) -> ReportEntry:
        """What is to be said of a result."""
        file, name = self.test.program.file, self.test.name
        options = self.command.options
        command = ["test", f"{file}:{name}", *options.argv()]
        return ReportEntry(file, name, rendered_result(result, command, page=options.report is not None), command)


def _listener(name: str, line: ProgressLine) -> Progress:
    def listen(reached: CampaignProgress) -> None:
        of = "" if reached.total is None else f" of {reached.total:,}"
        done = f"{reached.cases:,}{of} scenarios, {counted(reached.executions, 'schedule')}"
        line(f"testing {name}: {done}, now {reached.case.describe()}")

    return listen


def replay_cpp_test(content: dict[str, Any], *, as_json: bool) -> int:
    """Run the schedule of a finding again; it needs the sources where they were."""
    found = CppObjectToken.read(content)
    if not Path(found.file).is_file():
        remedy = "Replay it in the folder where it was found: its sources are needed."
        raise TestError("LP-T015", "there is no such file.", place=found.file, remedy=remedy)
    command = Command(found.options)
    command.prepare()
    limits = Budget.starting_now(DEFAULT_BUDGET, None)
    interrupted = False
    with progress() as line:
        (test,) = command.tests_with(command.options, found.file, found.test, limits, line)
        if isinstance(test, ToldTest):
            built, seconds = test.test, max(_AT_LEAST, limits.remaining() or 0.0)
            subject, failure = built.replay_subject, built.failure(found)
            result = replay_finding(subject, failure, seconds, changed=built.has_changed_since(found))
            test, interrupted = test.told(result), result.interrupted
    return write_report(ReportList([test]), OutputFormats(json=as_json), limits, interrupted=interrupted)
