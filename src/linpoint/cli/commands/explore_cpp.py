# SPDX-License-Identifier: Apache-2.0
"""``linpoint explore PROGRAM.cpp``: the program is built, explored and reported. No worker is needed: the host is one."""

from __future__ import annotations

import dataclasses
import shlex
import time
from collections.abc import Callable
from typing import Any, Final

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.worker_protocol import answer_of_program
from linpoint.cli import options
from linpoint.cli.output.build_output import show_build_error
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.errors import UsageError
from linpoint.histories.values import counted
from linpoint.processes.command_runner import OutOfTimeError
from linpoint.subjects.cpp_program.build_program import CppProgramOptions, CppProgramToken
from linpoint.subjects.cpp_program.subject import CppProgramSubject
from linpoint.subjects.interface import CampaignProgress, Progress
from linpoint.targets.build_error import BuildError
from linpoint.targets.compiler_flags import is_source
from linpoint.verdicts import Budget
from linpoint.verdicts.finding import Explored
from linpoint.verdicts.program import Answer, ProgramResult

_REPORT_S: Final = 0.3
"""Seconds of the budget that are kept for the report."""
_MIN_BUDGET_S: Final = 0.1
_UNLIMITED_S: Final = 30.0
"""The budget where none is given."""

Work = Callable[[CppProgramSubject, float, Progress], ProgramResult]


def split_words(program: str, words: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sources and the compiler flags: sources come first, and flags begin where a word is none."""
    count = next((number for number, word in enumerate(words) if not is_source(word)), len(words))
    return (program, *words[:count]), tuple(words[count:])


def parse_args(text: str | None) -> tuple[str, ...]:
    """``--args "..."``, as a shell splits words."""
    try:
        return tuple(shlex.split(text or ""))
    except ValueError as error:
        raise UsageError(
            "LP-U001", f"--args {text!r} is not a list of words: {error}.", remedy="Close its quotes."
        ) from None


def run_cpp(asked: CppProgramOptions, budget: str, max_memory: str | None, forms: OutputFormats) -> int:
    """Build, explore and report; the exit code."""
    limits = Budget.starting_now(budget, max_memory)
    asked = dataclasses.replace(asked, manner=dataclasses.replace(asked.manner, max_memory=limits.max_memory))
    return _run(asked, budget, forms, run_campaign)


def replay_cpp_program(content: dict[str, Any], *, as_json: bool) -> int:
    """Run the schedule of a finding again; it needs the sources where they were."""
    token = CppProgramToken.read(content)
    failure = token.failure

    def work(subject: CppProgramSubject, seconds: float, listen: Progress) -> ProgramResult:
        if failure is None:
            return run_campaign(subject, seconds, listen)
        changed = bool(token.code) and token.code != subject.target.digest
        return replay_finding(subject, failure, seconds, changed=changed, progress=listen)

    return _run(token.options, options.DEFAULT_BUDGET, OutputFormats(json=as_json), work)


def _run(asked: CppProgramOptions, budget: str, forms: OutputFormats, work: Work) -> int:
    with progress() as line:
        try:
            compiler, host = asked.find_tools(line)
            # The host is built once, which is no part of the work that the budget is for.
            limits = Budget.starting_now(budget, asked.manner.max_memory)
            end = None if limits.deadline is None else limits.deadline - _REPORT_S
            line(f"compiling {asked.file}", at_once=True)
            subject = asked.build(compiler, host, end)
            left = _UNLIMITED_S if end is None else max(_MIN_BUDGET_S, end - time.monotonic())
            result = work(subject, left, _listener(line))
        except BuildError as error:
            show_build_error(error)
            raise
        except OutOfTimeError:
            why = "the budget ended while it was compiled"
            result = ProgramResult(
                asked.file, Answer.UNKNOWN, exhaustive=False, why=why, findings=(), explored=Explored()
            )
    told = ReportEntry(asked.file, "", answer_of_program(result))
    return write_report(ReportList([told], "linpoint explore"), forms, limits, interrupted=result.interrupted)


def _listener(line: ProgressLine) -> Progress:
    def listen(reached: CampaignProgress) -> None:
        whole = f" of about {reached.estimate:,.0f}" if reached.estimate else ""
        line(f"{counted(reached.executions, 'schedule')}{whole}, {counted(reached.depth, 'step')} deep")

    return listen
