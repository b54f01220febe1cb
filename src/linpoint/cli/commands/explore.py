# SPDX-License-Identifier: Apache-2.0
"""``linpoint explore``: a whole program with threads and assertions, under every schedule.

It runs in a process of its own, so that a crash of the program is a finding and not the end of the command.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
import typer

from linpoint.campaign.worker_client import WorkerOutcome, run_in_worker
from linpoint.campaign.worker_protocol import ProgramRequest, RenderedResult
from linpoint.cli import options
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList
from linpoint.cli.output.terminal import progress
from linpoint.errors import TestError, UsageError
from linpoint.executors.thread_executor import peak_memory
from linpoint.explore.python_control.access_backends import BACKENDS
from linpoint.explore.python_control.bytecode_accesses import GRANULARITIES
from linpoint.hosts.host_config import ISOLATIONS, RACES, HostConfig
from linpoint.targets.compiler_flags import is_source
from linpoint.traces.trace import MEMORY_MODELS
from linpoint.verdicts import Budget, replay_token

_TO_TELL: Final = 0.3
"""Seconds of the budget that are kept for telling the answer."""


def explore(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="A Python program, or the first source of a C++ or C program.")
    ],
    args: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD...]",
            help="More C++ and C sources. After --: arguments of a Python program, or compiler flags.",
        ),
    ] = None,
    *,
    budget: options.BudgetOption = options.DEFAULT_BUDGET,
    max_memory: Annotated[
        str | None, typer.Option("--max-memory", metavar="SIZE", help="Memory of the program, such as 500M or 2G.")
    ] = None,
    granularity: options.GranularityOption = "access",
    backend: options.BackendOption = "auto",
    preemptions: Annotated[
        int | None,
        typer.Option("--preemptions", metavar="N", min=0, help="Just the schedules with up to so many preemptions."),
    ] = None,
    memory_model: Annotated[
        str,
        typer.Option(
            "--memory-model", metavar="NAME", help="sc, tso (as x86) or pso. Python has sc: each write is seen at once."
        ),
    ] = "sc",
    races: Annotated[
        str, typer.Option("--races", metavar="NAME", help="C++: what to do at a data race: stop, report or ignore.")
    ] = "stop",
    compiler: Annotated[
        str | None, typer.Option("--compiler", metavar="NAME", help="C++: the compiler. Default: $CXX, g++, clang++.")
    ] = None,
    program_args: Annotated[
        str | None, typer.Option("--args", metavar="WORDS", help="C++: arguments of the program, in one word.")
    ] = None,
    reuse: Annotated[bool, typer.Option("--reuse", help="C++: freed memory is used again at once.")] = False,
    spurious: Annotated[
        bool, typer.Option("--spurious", help="C++: condition variables may wake up without a signal.")
    ] = False,
    isolate: Annotated[
        str,
        typer.Option("--isolate", metavar="NAME", help="C++: runs share a process (none) or have their own (fork)."),
    ] = "none",
    outcomes: Annotated[
        bool, typer.Option("--outcomes", help="C++: collect all that the program prints, over all schedules.")
    ] = False,
    atomic_methods: Annotated[
        str | None,
        typer.Option("--atomic-methods", metavar="PATTERN", help="C++: functions that nobody interrupts."),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, help="C++: so many processes share the work.")
    ] = 1,
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE.html", help="Write the result as a page for a browser."),
    ] = None,
    junit: Annotated[
        str | None, typer.Option("--junit", metavar="FILE.xml", help="Write JUnit XML: the program is a case.")
    ] = None,
    github: options.GithubOption = False,
    summary: Annotated[bool, typer.Option("--summary", help="Print one line, and nothing else.")] = False,
    json: options.JsonOption = False,
) -> None:
    """Run a program with threads under every schedule: assertions, exceptions, deadlocks, data races.

    Exit code: 0 holds, 1 violation, 2 bad input, 3 unknown.

    Examples:
      linpoint explore bank.py

      linpoint explore bank.py --budget 2m -- --accounts 2

      linpoint explore dekker.cpp --memory-model tso -- -O2
    """
    options.validate_name("--races", races, RACES)
    options.validate_name("--isolate", isolate, ISOLATIONS)
    options.validate_name("--memory-model", memory_model, tuple(MEMORY_MODELS))
    only_cpp = {"--races": races != "stop", "--compiler": compiler is not None, "--args": program_args is not None}
    only_cpp |= {"--reuse": reuse, "--spurious": spurious, "--isolate": isolate != "none", "--outcomes": outcomes}
    only_cpp |= {"--workers": workers != 1, "--atomic-methods": atomic_methods is not None}
    only_python = {"--granularity": granularity != "access", "--backend": backend != "auto"}
    cpp = is_source(program)
    _refuse_of_others(only_python if cpp else only_cpp, "Python" if cpp else "C++")
    if cpp:
        from linpoint.cli.commands.explore_cpp import parse_args, run_cpp, split_words  # noqa: PLC0415 - only who needs it
        from linpoint.subjects.cpp_program.build_program import CppProgramOptions  # noqa: PLC0415 - as above

        files, flags = split_words(program, list(args or ()))
        forms = OutputFormats(None, report, junit, github, summary, json)
        forms.validate(files, called="the program itself")
        manner = HostConfig(memory_model, races, reuse, spurious, isolate, parse_args(program_args), workers=workers)
        asked = CppProgramOptions(files, flags, compiler, manner, preemptions, outcomes, atomic_methods)
        raise typer.Exit(run_cpp(asked, budget, max_memory, forms))
    limits = Budget.starting_now(budget, max_memory)
    options.validate_name("--granularity", granularity, GRANULARITIES)
    options.validate_name("--backend", backend, BACKENDS)
    _check_memory_model(memory_model)
    forms = OutputFormats(None, report, junit, github, summary, json)
    forms.validate([program], called="the program itself")
    request = ProgramRequest(
        program,
        list(args or ()),
        deadline=None if limits.deadline is None else limits.deadline - _TO_TELL,
        granularity=granularity,
        preemptions=preemptions,
        backend=backend,
    )
    raise typer.Exit(_run(request, limits, forms))


def _refuse_of_others(given: dict[str, bool], language: str) -> None:
    """Refuse options that mean nothing for programs of this language."""
    for option in (name for name, is_given in given.items() if is_given):
        raise UsageError("LP-U001", f"{option} is for {language} programs.", remedy="Leave it out.")


def _check_memory_model(name: str) -> None:
    if name != "sc":
        raise TestError(
            "LP-T032",
            f"--memory-model {name} says how machines delay writes, which Python programs cannot see.",
            remedy="Leave it out.",
        )


def _run(request: ProgramRequest, limits: Budget, forms: OutputFormats) -> int:
    """Ask a worker and say what it answers; the exit code."""
    with progress() as line:
        line(f"loading {request.file}")
        outcome = run_in_worker(request, limits, progress=lambda message: line(f"{message['schedules']:,} schedules"))
    told = ReportEntry(request.file, "", outcome.answer or _died(request, outcome))
    return write_report(ReportList([told], "linpoint explore"), forms, limits, interrupted=outcome.interrupted)


def _died(request: ProgramRequest, outcome: WorkerOutcome) -> RenderedResult:
    """A program that took its process with it, or that could not be stopped otherwise."""
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
    """The content of a token of ``explore``."""

    file: str
    args: list[str]
    schedule: list[tuple[int, int]]
    finding: str
    code: str = ""
    granularity: str = "access"
    backend: str = "auto"


def replay_program(content: dict[str, Any], *, as_json: bool) -> int:
    """Run the schedule of a finding again; it needs the program where it was."""
    try:
        found = msgspec.convert(content, _Finding)
    except msgspec.ValidationError as error:
        raise replay_token.not_a_finding(str(error)) from None
    if found.granularity not in GRANULARITIES:
        raise replay_token.not_a_finding(f"there is no granularity {found.granularity!r}")
    if found.backend not in BACKENDS:
        raise replay_token.not_a_finding(f"there is no backend {found.backend!r}")
    request = ProgramRequest(
        found.file,
        found.args,
        granularity=found.granularity,
        backend=found.backend,
        schedule=found.schedule,
        finding=found.finding,
        code=found.code,
    )
    return _run(request, Budget.starting_now(options.DEFAULT_BUDGET, None), OutputFormats(json=as_json))
