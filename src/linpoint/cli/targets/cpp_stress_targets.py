# SPDX-License-Identifier: Apache-2.0
"""Stress tests of C++ objects as targets of ``linpoint test``.

Each test is a program of its own, so no worker is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from linpoint.campaign.driver import run_campaign
from linpoint.campaign.several_targets import CampaignTarget, PlannedEntry
from linpoint.campaign.stress_answers import answer_of_stress, recheck_history
from linpoint.campaign.worker_protocol import TestRequest, recheck_request, rendered_result
from linpoint.cli.check_request import load_spec
from linpoint.cli.output import standard_streams
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList
from linpoint.cli.output.terminal import ProgressLine
from linpoint.cli.targets.target_errors import error_entry, planned_error
from linpoint.errors import LinpointError, UsageError
from linpoint.executors.thread_executor import peak_memory
from linpoint.options.commands.shared_options import DEFAULT_BUDGET
from linpoint.options.commands.test import TestOptions
from linpoint.processes.command_runner import OutOfTimeError
from linpoint.subjects.interface import CampaignProgress
from linpoint.subjects.stress.build_tests import OPTIONS_FROM_COMMENTS, BuiltStressTest, build_stress_tests
from linpoint.targets.build_error import BuildError
from linpoint.verdicts import Budget
from linpoint.verdicts.coverage import coverage_of
from linpoint.verdicts.result import undecided_result


def cpp_stress_targets(
    file: str, name: str, options: TestOptions, limits: Budget, line: ProgressLine
) -> Sequence[CppStressTarget | PlannedEntry[ReportEntry]]:
    """Build the tests of a file, or the named one. If that fails, return the entry of the error."""
    standard_streams.keep_stdout()  # a user's spec may print
    try:
        found = build_stress_tests(
            file,
            name,
            options.for_file(file, only=OPTIONS_FROM_COMMENTS),
            deadline=limits.deadline,
            max_memory=limits.max_memory,
            report_progress=partial(line, at_once=True),
        )
        return [CppStressTarget(each, line) for each in found]
    except OutOfTimeError:
        return [PlannedEntry(_not_run(file, name, "the budget ended during compilation"))]
    except LinpointError as error:
        located = error if error.place or isinstance(error, BuildError) else error.at(file)
        return [planned_error(file, name, located)]


@dataclass(frozen=True, slots=True)
class CppStressTarget(CampaignTarget[ReportEntry]):
    """One test of a built file."""

    test: BuiltStressTest
    line: ProgressLine

    def run(self, seconds: float) -> tuple[ReportEntry, bool]:
        """Run the test on real threads."""
        file, name, options = self.test.file, self.test.name, self.test.options
        try:
            result = run_campaign(self.test.subject(), seconds, self._show)
        except LinpointError as error:
            return error_entry(file, name, error), False
        request = TestRequest(action="stress", file=file, test=name, options=options.as_json())
        again = ["test", f"{file}:{name}", *options.argv()]
        answer = answer_of_stress(result, request, language="cpp", again=again)
        return ReportEntry(file, name, answer), result.interrupted

    def skipped(self) -> ReportEntry:
        """The entry of a test that was not run."""
        return _not_run(self.test.file, self.test.name, "the run was interrupted")

    def _show(self, reached: CampaignProgress) -> None:
        self.line(f"stressing {self.test.name}: {reached.executions:,} runs, {reached.operations:,} operations")


def _not_run(file: str, test: str, why: str) -> ReportEntry:
    coverage = coverage_of("stress", peak_memory_bytes=peak_memory())
    return ReportEntry(file, test, rendered_result(undecided_result("stress", test, why, file=file, coverage=coverage)))


def replay_stress_cpp(content: dict[str, Any], *, as_json: bool) -> int:
    """Check the operations of a finding again, without building or running anything."""
    request = recheck_request(content)
    spec = request.test_options().spec
    if spec is None:
        raise UsageError("LP-U004", "the token names no spec.", remedy="Copy the whole token.")
    limits = Budget.starting_now(DEFAULT_BUDGET, None)
    answer = recheck_history(request.test, load_spec(spec), request, language="cpp")
    return write_report(
        ReportList([ReportEntry(request.file, request.test, answer)]), OutputFormats(json=as_json), limits
    )
