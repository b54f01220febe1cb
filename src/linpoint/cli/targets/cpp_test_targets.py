# SPDX-License-Identifier: Apache-2.0
"""Tests of C++ objects under controlled schedules as targets of ``linpoint test``.

The host runs them, without a worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
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
from linpoint.errors import LinpointError, TestError
from linpoint.limits.deadlines import TimeIsUpError, deadline
from linpoint.options.commands.shared_options import DEFAULT_BUDGET
from linpoint.options.commands.test import TestOptions
from linpoint.processes.command_runner import OutOfTimeError
from linpoint.subjects.cpp_object.build_tests import BuiltCppTest, build_tests
from linpoint.subjects.cpp_object.cpp_token import CppObjectToken
from linpoint.subjects.interface import CampaignProgress
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Budget
from linpoint.verdicts.result import Result, undecided_result

_MIN_REPLAY_S: Final = 0.1
_MAX_CAMPAIGN_S: Final = 1e9
"""Seconds for a command without a budget."""
_GRACE_S: Final = 10.0
"""Seconds beyond the budget for shrinking and explaining a failure.

A longer time means that the spec does not return.
"""


def cpp_test_targets(
    file: str, name: str, options: TestOptions, limits: Budget, line: ProgressLine
) -> Sequence[CppTestTarget | PlannedEntry[ReportEntry]]:
    """Build the tests of a file. If that fails, return the entry of the error."""
    try:
        return _built(options.for_file(file), file, name, options, limits, line)
    except LinpointError as error:
        return [planned_error(file, name, error)]


def _built(
    merged: TestOptions, file: str, name: str, options: TestOptions, limits: Budget, line: ProgressLine
) -> Sequence[CppTestTarget | PlannedEntry[ReportEntry]]:
    """Build the tests; ``merged`` are the options of the command merged with those of the file."""
    standard_streams.keep_stdout()  # a user's spec may print
    try:
        found = build_tests(
            file,
            name,
            merged,
            deadline=limits.deadline,
            max_memory=limits.max_memory,
            report_progress=partial(line, at_once=True),
        )
        return [CppTestTarget(each, options, line) for each in found]
    except OutOfTimeError:
        result = undecided_result("test", name or file, "the budget ended during compilation")
        return [PlannedEntry(ReportEntry(file, name, rendered_result(result)))]
    except LinpointError as error:
        return [planned_error(file, name, error)]


@dataclass(frozen=True, slots=True)
class CppTestTarget(CampaignTarget[ReportEntry]):
    """One test of a built file. ``options`` are the options of the command, without those of the file."""

    test: BuiltCppTest
    options: TestOptions
    line: ProgressLine

    def run(self, seconds: float) -> tuple[ReportEntry, bool]:
        """Explore the schedules of the test."""
        file, name = self.test.program.file, self.test.name
        seconds = min(seconds, _MAX_CAMPAIGN_S)
        try:
            with deadline(Budget.starting_now(seconds, None), grace=_GRACE_S):
                result = run_campaign(self.test.subject, seconds, self._show)
        except TimeIsUpError:
            result = undecided_result("test", name, "the budget ended inside the spec, which did not return")
        except LinpointError as error:
            return error_entry(file, name, error), False
        return self.entry(result), result.interrupted

    def skipped(self) -> ReportEntry:
        """The entry of a test that was not run."""
        return self.entry(undecided_result("test", self.test.name, "the run was interrupted"))

    def entry(self, result: Result) -> ReportEntry:
        """The entry of a result."""
        file, name, options = self.test.program.file, self.test.name, self.options
        command = ["test", f"{file}:{name}", *options.argv()]
        return ReportEntry(file, name, rendered_result(result, command, page=options.report is not None), command)

    def _show(self, reached: CampaignProgress) -> None:
        of = "" if reached.total is None else f" of {reached.total:,}"
        done = f"{reached.cases:,}{of} scenarios, {count_noun(reached.executions, 'schedule')}"
        self.line(f"testing {self.test.name}: {done}, now {reached.case.describe()}")


def replay_cpp_test(content: dict[str, Any], *, as_json: bool) -> int:
    """Replay the schedule of a finding, with the sources in the same place as before."""
    found = CppObjectToken.read(content)
    if not Path(found.file).is_file():
        remedy = "Replay it in the directory of the finding, which has its sources."
        raise TestError("LP-T015", "there is no such file.", place=found.file, remedy=remedy)
    build_hosts(found.options)
    limits = Budget.starting_now(DEFAULT_BUDGET, None)
    interrupted = False
    with progress() as line:
        (planned,) = _built(found.options, found.file, found.test, found.options, limits, line)
        if isinstance(planned, CppTestTarget):
            built, seconds = planned.test, max(_MIN_REPLAY_S, limits.remaining() or 0.0)
            subject, failure = built.replay_subject, built.failure(found)
            result = replay_finding(subject, failure, seconds, changed=built.has_changed_since(found))
            entry, interrupted = planned.entry(result), result.interrupted
        else:
            entry = planned.entry
    return write_report(ReportList([entry]), OutputFormats(json=as_json), limits, interrupted=interrupted)
