# SPDX-License-Identifier: Apache-2.0
"""``linpoint test``: objects in code, under every schedule.

Each test runs in a process of its own, so that a crash of the target is a finding and not the end of the command.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from linpoint.campaign.worker_client import NOT_BEGUN, WorkerOutcome, run_in_worker
from linpoint.campaign.worker_protocol import RenderedResult, TestRequest, WorkerProgress
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList, split_target, told_of
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.errors import TestError
from linpoint.options.commands.test import TestOptions
from linpoint.options.source_arguments import split_test
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts import Budget

if TYPE_CHECKING:
    from linpoint.cli.stress_cpp import Stressed, StressTest
    from linpoint.cli.test_cpp import Command, ToldTest


def run(options: TestOptions) -> int:
    """Run the tests and report; the exit code."""
    targets = list(options.targets)
    cpp_files = [named[0] for target in targets if (named := split_test(target)) is not None]
    options.check_language("cpp" if cpp_files else "python")
    forms = OutputFormats.of(options)
    forms.validate([split_target(target)[0] for target in targets], called="the test itself")
    cpp: Command | Stressed | None = None
    if cpp_files and options.stress:
        from linpoint.cli.stress_cpp import Stressed  # noqa: PLC0415 - needed for C++ only

        cpp = Stressed(options)
        cpp.validate()
    elif cpp_files:
        from linpoint.cli.test_cpp import Command  # noqa: PLC0415 - as above

        cpp = Command(options)
        cpp.prepare(cpp_files)
    # The host is built once, which is no part of the work that the budget is for.
    limits = Budget.starting_now(options.budget, options.max_memory)
    with progress() as line:
        told, interrupted = _run(targets, _request(options), cpp, limits, line)
    return write_report(ReportList(told), forms, limits, interrupted=interrupted)


def _request(options: TestOptions) -> TestRequest:
    """The request for any of the tests in Python."""
    fixed = options.fixed_scenario
    return TestRequest(
        action="stress" if options.stress else "test",
        file="",
        spec=options.spec,
        seed=options.seed,
        scenario=None if fixed is None else fixed.as_dict(),
        threads=options.threads,
        operations=options.operations,
        granularity=options.granularity,
        backend=options.backend,
        instances=options.instances,
        erratic=options.erratic,
        page=options.report is not None and not options.stress,
        command=options.argv(passthrough=False),
    )


def _run(
    targets: list[str], base: TestRequest, cpp: Command | Stressed | None, limits: Budget, line: ProgressLine
) -> tuple[list[ReportEntry], bool]:
    """What is to be said of every test, in order; those that were not begun are unknown. The bool says Ctrl-C."""
    plan = [each for target in targets for each in _planned(target, base, cpp, limits, line)]
    left = sum(not isinstance(each, ReportEntry) for each in plan)
    told: list[ReportEntry] = []
    interrupted = False
    for each in plan:
        if isinstance(each, ReportEntry):
            told.append(each)
            continue
        seconds = limits.remaining()
        share = 1e9 if seconds is None else max(0.1, (seconds - 0.5) / left)
        left -= 1
        if not isinstance(each, TestRequest):
            answer, stopped = each.run(0.0 if interrupted else share, line)
            told.append(answer)
            interrupted = interrupted or stopped
            continue
        outcome = (
            NOT_BEGUN
            if interrupted
            else _in_worker(msgspec.structs.replace(each, deadline=time.monotonic() + share), limits, line)
        )
        interrupted = interrupted or outcome.interrupted
        told.append(told_of(each, outcome))
    return told, interrupted


def _planned(
    target: str, base: TestRequest, cpp: Command | Stressed | None, limits: Budget, line: ProgressLine
) -> Sequence[ReportEntry | TestRequest | ToldTest | StressTest]:
    named = split_test(target)
    if named is None or cpp is None:
        return _listed(target, base, limits, line)
    return cpp.tests(*named, limits, line)


def _listed(target: str, base: TestRequest, limits: Budget, line: ProgressLine) -> list[ReportEntry | TestRequest]:
    """A request for each test of a target, or what kept them from being found."""
    file, name = split_target(target)
    names = [name]
    request = msgspec.structs.replace(base, action="list", file=file, command=["test", file, *base.command])
    try:
        _refuse(file)
    except TestError as error:
        return [ReportEntry(file, name, RenderedResult(error=error.as_dict()))]
    if not name:
        line(f"loading {file}")
        outcome = run_in_worker(request, limits)
        if outcome.answer is None or outcome.answer.error is not None:
            return [told_of(request, outcome)]
        names = outcome.answer.tests
    return [
        msgspec.structs.replace(base, file=file, test=each, command=["test", f"{file}:{each}", *base.command])
        for each in names
    ]


def _in_worker(request: TestRequest, limits: Budget, line: ProgressLine) -> WorkerOutcome:
    def show(reached: WorkerProgress) -> None:
        if reached.scenario is None:
            line(f"stressing {request.test}: {reached.schedules:,} runs")
            return
        scenario = Scenario.from_dict(reached.scenario)
        line(f"testing {request.test}: {reached.schedules:,} schedules, now {scenario.describe()}")

    return run_in_worker(request, limits, progress=show)


def _refuse(file: str) -> None:
    """Refuse what cannot be tested before a process is started for it."""
    if Path(file).suffix == ".c":
        raise TestError("LP-T015", "a test is written in C++.", place=file, remedy="Give the C source after --.")
    if not file.isprintable() and file.encode(errors="replace").decode() != file:
        raise TestError("LP-T015", "the name of the file is not UTF-8.", place=file, remedy="Give it another name.")
    if file.endswith(".py") and not Path(file).is_file():
        raise TestError("LP-T015", "there is no such file.", place=file, remedy="Give the path of a Python file.")
