# SPDX-License-Identifier: Apache-2.0
"""``linpoint explore``: runs a threaded program under every schedule.

The program runs in a process of its own, so that its crash is a finding and does not end the command.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from linpoint.campaign.worker_client import WorkerOutcome, run_in_worker
from linpoint.campaign.worker_protocol import ProgramRequest, RenderedResult
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList
from linpoint.cli.output.terminal import progress
from linpoint.errors import TestError
from linpoint.executors.thread_executor import peak_memory
from linpoint.options.commands.explore import ExploreOptions
from linpoint.options.token_fields import options_from_token
from linpoint.verdicts import Budget, replay_token

_TO_TELL: Final = 0.3
"""Seconds of the budget that are reserved for the report."""


def run(options: ExploreOptions) -> int:
    """Explore the program and report; return the exit code."""
    options.check_language("cpp" if options.is_cpp else "python")
    forms = OutputFormats.of(options)
    forms.validate(options.files if options.is_cpp else [options.program], called="the program itself")
    if options.is_cpp:
        from linpoint.cli.commands.explore_cpp import run_cpp  # noqa: PLC0415 - needed for C++ only

        return run_cpp(options, forms)
    _check_memory_model(options.memory_model)
    limits = Budget.starting_now(options.budget, options.max_memory)
    request = ProgramRequest(
        file=options.program,
        args=list(options.words),
        deadline=None if limits.deadline is None else limits.deadline - _TO_TELL,
        options=options.as_json(),
    )
    return _run(request, limits, forms)


def _check_memory_model(name: str) -> None:
    if name != "sc":
        raise TestError(
            "LP-T032",
            f"--memory-model {name} is for C++ programs; Python programs always have sc.",
            remedy="Omit --memory-model.",
        )


def _run(request: ProgramRequest, limits: Budget, forms: OutputFormats) -> int:
    """Run the request in a worker and report; return the exit code."""
    with progress() as line:
        line(f"loading {request.file}")
        outcome = run_in_worker(request, limits, progress=lambda reached: line(f"{reached.schedules:,} schedules"))
    told = ReportEntry(request.file, "", outcome.answer or _died(request, outcome))
    return write_report(ReportList([told], "linpoint explore"), forms, limits, interrupted=outcome.interrupted)


def _died(request: ProgramRequest, outcome: WorkerOutcome) -> RenderedResult:
    """The result for a program whose process died or had to be killed."""
    status, why = "unknown", outcome.died
    findings: list[dict[str, Any]] = []
    replay: list[str] = []
    if not outcome.stopped:
        status, why = "violation", f"the process of the program died: {outcome.died}"
        replay = ["explore", request.file, *(["--", *request.args] if request.args else [])]
        findings = [{"kind": "crash", "message": why, "explanation": {"text": why}, "replay": replay}]
    document = {
        "file": request.file,
        "verdict": status,
        "exhaustive": False,
        "why": why,
        "statistics": {"seconds": 0.0, "peak_memory_bytes": peak_memory()},
        "findings": findings,
    }
    text = f"{status.upper()}: {request.file}: {why}."
    return RenderedResult(status=status, document=document, text=text, replay=replay)


class _Finding(msgspec.Struct):
    """The content of a token of ``explore``, without the options."""

    file: str
    args: list[str]
    schedule: list[tuple[int, int]]
    finding: str
    code: str = ""


def replay_program(content: dict[str, Any], *, as_json: bool) -> int:
    """Replay the schedule of a finding, with the program in the same place as before."""
    try:
        found = msgspec.convert(content, _Finding)
    except msgspec.ValidationError as error:
        raise replay_token.not_a_finding(str(error)) from None
    # A Python program takes its arguments as separate words, a C++ program as one option.
    options = options_from_token(ExploreOptions, {name: each for name, each in content.items() if name != "args"})
    request = ProgramRequest(
        file=found.file,
        args=found.args,
        options=options.as_json(),
        schedule=found.schedule,
        finding=found.finding,
        code=found.code,
    )
    return _run(request, Budget.starting_now(options.budget, None), OutputFormats(json=as_json))
