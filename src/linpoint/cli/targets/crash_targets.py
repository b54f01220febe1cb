# SPDX-License-Identifier: Apache-2.0
"""Tests of persistent objects as targets of ``linpoint crash``. The host runs them, without a worker."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.several_targets import CampaignTarget, PlannedEntry
from linpoint.campaign.worker_protocol import rendered_result
from linpoint.cli.output import standard_streams
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.cli.targets.host_builds import build_hosts
from linpoint.cli.targets.target_errors import error_entry, planned_error
from linpoint.errors import LinpointError
from linpoint.limits.deadlines import TimeIsUpError, deadline
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.source_arguments import split_test
from linpoint.processes.command_runner import OutOfTimeError
from linpoint.subjects.interface import CampaignProgress
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest, build_crash_tests
from linpoint.subjects.persistent_object.crash_token import read_token
from linpoint.subjects.persistent_object.subject import PersistentObjectSubject
from linpoint.verdicts import Budget
from linpoint.verdicts.result import Result, undecided_result

_MEASURE: Final = "crash test"
_MIN_REPLAY_S: Final = 0.1
_MAX_CAMPAIGN_S: Final = 1e6
"""Seconds for a command without a budget."""
_GRACE_S: Final = 10.0
"""Seconds beyond the budget for building a finding. A longer time means that the spec does not return."""


def crash_targets(
    target: str, options: CrashOptions, limits: Budget, line: ProgressLine
) -> Sequence[CrashTarget | PlannedEntry[ReportEntry]]:
    """Build the tests of a target. If that fails, return the entry of the error."""
    standard_streams.keep_stdout()  # a user's spec may print
    named = split_test(target)
    assert named is not None
    file, name = named
    try:
        found = _built(options.for_file(file), file, name, limits, line)
    except OutOfTimeError:
        result = _undecided(name or file, file, "the budget ended during compilation")
        return [PlannedEntry(_entry(file, name, options, result))]
    except LinpointError as error:
        return [planned_error(file, name, error, measure=_MEASURE)]
    return [CrashTarget(each, options, line) for each in found]


@dataclass(frozen=True, slots=True)
class CrashTarget(CampaignTarget[ReportEntry]):
    """One test of a built file. ``options`` are the options of the command, without those of the file."""

    test: BuiltCrashTest
    options: CrashOptions
    line: ProgressLine

    def run(self, seconds: float) -> tuple[ReportEntry, bool]:
        """Run the crash tests."""
        file, name, started = self.test.file, self.test.name, time.monotonic()
        seconds = min(seconds, _MAX_CAMPAIGN_S)
        try:
            with deadline(Budget.starting_now(seconds, None), grace=_GRACE_S):
                subject = PersistentObjectSubject(self.test)
                result = run_campaign(subject, seconds, partial(self._show, started))
        except TimeIsUpError:
            result = _undecided(name, file, "the budget ended inside the spec, which did not return")
        except LinpointError as error:
            return error_entry(file, name, error, measure=_MEASURE), False
        return _entry(file, name, self.options, result), result.interrupted

    def skipped(self) -> ReportEntry:
        """The entry of a test that was not run."""
        result = _undecided(self.test.name, self.test.file, "the run was interrupted before this test started")
        return _entry(self.test.file, self.test.name, self.options, result)

    def _show(self, started: float, reached: CampaignProgress) -> None:
        tests, elapsed_s = reached.executions, time.monotonic() - started
        rate = tests / elapsed_s if elapsed_s > 0 and not reached.text else 0.0
        count = f": {tests:,} crash tests, {rate:,.0f} per second" if tests else ""
        self.line(f"{self.test.name}: {reached.text or 'testing crashes'}{count}")


def _built(options: CrashOptions, file: str, name: str, limits: Budget, line: ProgressLine) -> list[BuiltCrashTest]:
    return build_crash_tests(
        file,
        name,
        options,
        deadline=limits.deadline,
        max_memory=limits.max_memory,
        report_progress=partial(line, at_once=True),
    )


def _undecided(name: str, file: str, why: str) -> Result:
    return undecided_result("crash", name, why, file=file, condition="strict")


def _entry(file: str, name: str, options: CrashOptions, result: Result) -> ReportEntry:
    command = ["crash", f"{file}:{name}" if name else file, *options.argv()]
    answer = rendered_result(result, command, page=options.report is not None)
    return ReportEntry(file, name, answer, command, measure=_MEASURE)


def replay_crash_finding(content: dict[str, Any], *, as_json: bool) -> int:
    """Replay the crash of a finding, with the sources in the same place as before."""
    found = read_token(content)
    file, name, options = found.file, found.test, found.options
    build_hosts(options)
    limits = Budget.starting_now(options.budget, None)
    standard_streams.keep_stdout()
    interrupted = False
    with progress() as line:
        try:
            (test,) = _built(options, file, name, limits, line)
            test.accept(found.failure.case)
            seconds = max(_MIN_REPLAY_S, limits.remaining() or time.monotonic())
            subject = PersistentObjectSubject(test)
            result = replay_finding(subject, found.failure, seconds, changed=found.is_outdated(test))
            entry, interrupted = _entry(file, name, options, result), result.interrupted
        except OutOfTimeError:
            result = _undecided(name, file, "the budget ended during compilation")
            entry = _entry(file, name, options, result)
        except LinpointError as error:
            entry = error_entry(file, name, error, measure=_MEASURE)
    return write_report(
        ReportList([entry], "linpoint crash"), OutputFormats(json=as_json), limits, interrupted=interrupted
    )
