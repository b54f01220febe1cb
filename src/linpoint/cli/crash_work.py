# SPDX-License-Identifier: Apache-2.0
"""The work of ``linpoint crash``: what is built, tested and told, over all its files. No worker is needed: the host is one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.worker_protocol import RenderedResult, rendered_result
from linpoint.cli.output import standard_streams
from linpoint.cli.output.build_output import show_build_error
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.errors import LinpointError
from linpoint.limits.deadlines import TimeIsUpError, deadline
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.source_arguments import split_test
from linpoint.processes.command_runner import OutOfTimeError
from linpoint.subjects.interface import CampaignProgress, Progress
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest, build_crash_tests
from linpoint.subjects.persistent_object.crash_token import read_token
from linpoint.subjects.persistent_object.subject import PersistentObjectSubject
from linpoint.targets.build_error import BuildError
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.compiler_flags import sorted_flags
from linpoint.targets.host_builder import find_host
from linpoint.verdicts import Budget
from linpoint.verdicts.result import Result, undecided_result

_MEASURE: Final = "crash test"
_AT_LEAST: Final = 0.1
_TO_TELL: Final = 0.5
"""Seconds of the budget that are kept for telling the answer."""
_GRACE: Final = 10.0
"""Seconds beyond the budget in which a finding is told; who needs more is inside of an endless spec."""


@dataclass(frozen=True, slots=True)
class Command:
    """What the command was given for all its tests; what a file says of itself comes to it."""

    options: CrashOptions = field(default_factory=CrashOptions)

    def prepare(self, targets: Sequence[str] = ()) -> None:
        """Build the hosts, once, and say what cannot be before anything is built."""
        sorted_flags(self.options.compiler_flags)
        files = [named[0] for target in targets if (named := split_test(target)) is not None]
        compilers = [self._for(file).compiler for file in files] or [self.options.compiler]
        with progress() as line:
            for compiler in dict.fromkeys(compilers):
                find_host(find_compiler(compiler), tell=line)

    def _for(self, file: str) -> CrashOptions:
        try:
            return self.options.for_file(file)
        except LinpointError:  # reported when the file is tested
            return self.options

    def run(self, targets: Sequence[str], limits: Budget, line: ProgressLine) -> tuple[list[ReportEntry], bool]:
        """What is to be said of every test, in order. The bool says Ctrl-C."""
        standard_streams.keep_stdout()  # a user's spec may print
        plan = [each for target in targets for each in self._tests(target, limits, line)]
        left = sum(isinstance(each, BuiltCrashTest) for each in plan)
        told: list[ReportEntry] = []
        interrupted = False
        for each in plan:
            if isinstance(each, ReportEntry):
                told.append(each)
                continue
            if interrupted:
                result = undecided(each.name, each.file, "it was interrupted before this test was begun")
                told.append(self.told(each.file, each.name, result))
                continue
            seconds = limits.remaining()
            share = 1e6 if seconds is None else max(_AT_LEAST, (seconds - _TO_TELL) / left)
            left -= 1
            answer = self._tested(each, share, line)
            interrupted = isinstance(answer, Result) and answer.interrupted
            told.append(self.told(each.file, each.name, answer))
        return told, interrupted

    def _tests(self, target: str, limits: Budget, line: ProgressLine) -> list[BuiltCrashTest | ReportEntry]:
        named = split_test(target)
        assert named is not None
        try:
            return list(self.built(self.options.for_file(named[0]), *named, limits, line))
        except LinpointError as error:
            if isinstance(error, BuildError):
                show_build_error(error)
            return [self.told(*named, error)]
        except OutOfTimeError:
            why = "the budget ended while it was compiled"
            return [self.told(*named, undecided(named[1] or named[0], named[0], why))]

    def built(
        self, options: CrashOptions, file: str, name: str, limits: Budget, line: ProgressLine
    ) -> list[BuiltCrashTest]:
        """The tests of a file."""
        return build_crash_tests(
            file,
            name,
            options,
            deadline=limits.deadline,
            max_memory=limits.max_memory,
            tell=lambda text: line(text, at_once=True),
        )

    def _tested(self, test: BuiltCrashTest, seconds: float, line: ProgressLine) -> Result | LinpointError:
        try:
            with deadline(Budget.starting_now(seconds, None), grace=_GRACE):
                return run_campaign(PersistentObjectSubject(test), seconds, _watcher(test.name, line))
        except TimeIsUpError:
            why = "the budget ended inside of the spec, which does not come back"
            return undecided(test.name, test.file, why)
        except LinpointError as error:
            return error

    def told(self, file: str, name: str, result: Result | LinpointError) -> ReportEntry:
        """What is to be said of a result, or of what kept it from being one."""
        if isinstance(result, LinpointError):
            output = result.said if isinstance(result, BuildError) else ""
            answer = RenderedResult(error=result.as_dict(), compiler_output=output)
            return ReportEntry(file, name, answer, measure=_MEASURE)
        command = ["crash", f"{file}:{name}" if name else file, *self.options.argv()]
        page = self.options.report is not None
        return ReportEntry(file, name, rendered_result(result, command, page=page), command, measure=_MEASURE)


def undecided(name: str, file: str, why: str) -> Result:
    """A test of which nothing is known."""
    return undecided_result("crash", name, why, file=file, condition="strict")


def _watcher(name: str, line: ProgressLine) -> Progress:
    started = time.monotonic()

    def watch(reached: CampaignProgress) -> None:
        tests, seconds = reached.executions, time.monotonic() - started
        rate = tests / seconds if seconds > 0 and not reached.text else 0.0
        count = f": {tests:,} crash tests, {rate:,.0f} a second" if tests else ""
        line(f"{name}: {reached.text or 'testing crashes'}{count}")

    return watch


def replay_crash_finding(content: dict[str, Any], *, as_json: bool) -> int:
    """Crash a workload again as a finding did; it needs the sources where they were."""
    found = read_token(content)
    options, failure = found.options, found.failure
    command = Command(options)
    command.prepare()
    limits = Budget.starting_now(options.budget, None)
    standard_streams.keep_stdout()
    with progress() as line:
        result: Result | LinpointError
        try:
            (test,) = command.built(options, found.file, found.test, limits, line)
            test.accept(failure.case)
            seconds = max(_AT_LEAST, limits.remaining() or time.monotonic())
            result = replay_finding(PersistentObjectSubject(test), failure, seconds, changed=found.is_outdated(test))
        except LinpointError as error:
            if isinstance(error, BuildError):
                show_build_error(error)
            result = error
        except OutOfTimeError:
            result = undecided(found.test, found.file, "the budget ended while it was compiled")
    interrupted = isinstance(result, Result) and result.interrupted
    told = command.told(found.file, found.test, result)
    return write_report(
        ReportList([told], "linpoint crash"), OutputFormats(json=as_json), limits, interrupted=interrupted
    )
