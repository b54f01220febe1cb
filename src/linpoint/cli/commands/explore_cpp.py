# SPDX-License-Identifier: Apache-2.0
"""``linpoint explore PROGRAM.cpp``: builds and explores a C++ program. The host runs it, so no worker is needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.worker_protocol import rendered_result
from linpoint.cli.output.build_output import show_build_error
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.options.commands.explore import ExploreOptions
from linpoint.processes.command_runner import OutOfTimeError
from linpoint.subjects.cpp_program.build_program import CppProgramToken, build_program, find_tools
from linpoint.subjects.cpp_program.subject import CppProgramSubject
from linpoint.subjects.interface import CampaignProgress, Progress
from linpoint.targets.build_error import BuildError
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Budget
from linpoint.verdicts.result import Result, undecided_result

_REPORT_S: Final = 0.3
"""Seconds of the budget that are reserved for the report."""
_MIN_BUDGET_S: Final = 0.1
_UNLIMITED_S: Final = 30.0
"""The budget if none is given."""

Work = Callable[[CppProgramSubject, float, Progress], Result]


def run_cpp(options: ExploreOptions, forms: OutputFormats) -> int:
    """Build, explore and report; return the exit code."""
    Budget.starting_now(options.budget, options.max_memory)  # rejects a mistake before anything is built
    return _run(options, forms, run_campaign)


def replay_cpp_program(content: dict[str, Any], *, as_json: bool) -> int:
    """Replay the schedule of a finding, with the sources in the same place as before."""
    token = CppProgramToken.read(content)
    failure = token.failure

    def work(subject: CppProgramSubject, seconds: float, listen: Progress) -> Result:
        if failure is None:
            return run_campaign(subject, seconds, listen)
        changed = bool(token.code) and token.code != subject.target.digest
        return replay_finding(subject, failure, seconds, changed=changed, progress=listen)

    return _run(token.options, OutputFormats(json=as_json), work)


def _run(options: ExploreOptions, forms: OutputFormats, work: Work) -> int:
    with progress() as line:
        try:
            compiler, host = find_tools(options, line)
            # The budget does not include building the host, which happens once.
            limits = Budget.starting_now(options.budget, options.max_memory)
            end = None if limits.deadline is None else limits.deadline - _REPORT_S
            line(f"compiling {options.program}", at_once=True)
            subject = build_program(options, compiler, host, end)
            left = _UNLIMITED_S if end is None else max(_MIN_BUDGET_S, end - time.monotonic())
            result = work(subject, left, _listener(line))
        except BuildError as error:
            show_build_error(error)
            raise
        except OutOfTimeError:
            why = "the budget ended during compilation"
            result = undecided_result("program", options.program, why, file=options.program)
    told = ReportEntry(options.program, "", rendered_result(result))
    return write_report(ReportList([told], "linpoint explore"), forms, limits, interrupted=result.interrupted)


def _listener(line: ProgressLine) -> Progress:
    def listen(reached: CampaignProgress) -> None:
        whole = f" of about {reached.estimate:,.0f}" if reached.estimate else ""
        line(f"{count_noun(reached.executions, 'schedule')}{whole}, {count_noun(reached.depth, 'step')} deep")

    return listen
