# SPDX-License-Identifier: Apache-2.0
"""Tests of Python objects as targets of ``linpoint test``.

Each test runs in a process of its own, so that its crash is a finding and does not end the command.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from linpoint.campaign.several_targets import CampaignTarget, PlannedEntry
from linpoint.campaign.worker_client import NOT_BEGUN, run_in_worker
from linpoint.campaign.worker_protocol import TestRequest, WorkerProgress
from linpoint.cli.output.target_report import ReportEntry, split_target, told_of
from linpoint.cli.output.terminal import ProgressLine
from linpoint.cli.targets.target_errors import planned_error
from linpoint.errors import TestError
from linpoint.options.commands.test import TestOptions
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts import Budget

_MAX_CAMPAIGN_S: Final = 1e9
"""Seconds for a command without a budget."""


def python_test_targets(
    target: str, options: TestOptions, limits: Budget, line: ProgressLine
) -> Sequence[PythonTestTarget | PlannedEntry[ReportEntry]]:
    """Find the tests of a target. If that fails, return the entry of the error."""
    file, name = split_target(target)
    try:
        _validate_file(file)
    except TestError as error:
        return [planned_error(file, name, error)]
    base = _request(file, options)
    names = [name]
    if not name:
        line(f"loading {file}")
        request = msgspec.structs.replace(base, action="list", command=["test", file, *base.command])
        outcome = run_in_worker(request, limits)
        if outcome.answer is None or outcome.answer.error is not None:
            return [PlannedEntry(told_of(request, outcome))]
        names = outcome.answer.tests
    requests = [
        msgspec.structs.replace(base, test=each, command=["test", f"{file}:{each}", *base.command]) for each in names
    ]
    return [PythonTestTarget(each, limits, line) for each in requests]


@dataclass(frozen=True, slots=True)
class PythonTestTarget(CampaignTarget[ReportEntry]):
    """One test of a file."""

    request: TestRequest
    limits: Budget
    line: ProgressLine

    def run(self, seconds: float) -> tuple[ReportEntry, bool]:
        """Run the test in a worker."""
        deadline = time.monotonic() + min(seconds, _MAX_CAMPAIGN_S)
        request = msgspec.structs.replace(self.request, deadline=deadline)
        outcome = run_in_worker(request, self.limits, progress=self._show)
        return told_of(request, outcome), outcome.interrupted

    def skipped(self) -> ReportEntry:
        """The entry of a test that was not run."""
        return told_of(self.request, NOT_BEGUN)

    def _show(self, reached: WorkerProgress) -> None:
        if reached.scenario is None:
            self.line(f"stressing {self.request.test}: {reached.schedules:,} runs")
            return
        scenario = Scenario.from_dict(reached.scenario)
        self.line(f"testing {self.request.test}: {reached.schedules:,} schedules, now {scenario.describe()}")


def _request(file: str, options: TestOptions) -> TestRequest:
    """The request for a test of a file, without the name of the test."""
    return TestRequest(
        action="stress" if options.stress else "test",
        file=file,
        options=options.as_json(),
        page=options.report is not None and not options.stress,
        command=options.argv(passthrough=False),
    )


def _validate_file(file: str) -> None:
    """Reject files that cannot be tested, before a process is started for them."""
    if Path(file).suffix == ".c":
        raise TestError("LP-T015", "a test must be written in C++.", place=file, remedy="Pass the C source after --.")
    if not file.isprintable() and file.encode(errors="replace").decode() != file:
        raise TestError("LP-T015", "the name of the file is not UTF-8.", place=file, remedy="Rename the file.")
    if file.endswith(".py") and not Path(file).is_file():
        raise TestError("LP-T015", "there is no such file.", place=file, remedy="Give the path of a Python file.")
