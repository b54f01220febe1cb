# SPDX-License-Identifier: Apache-2.0
"""``linpoint test``: objects in code, under every schedule.

Each test runs in a process of its own, so that a crash of the target is a finding and not the end of the command.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from linpoint.campaign.worker_client import NOT_BEGUN, WorkerOutcome, run_in_worker
from linpoint.campaign.worker_protocol import RenderedResult, TestRequest
from linpoint.cli import options
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList, split_target, told_of
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.cli.passthrough_args import passthrough_args
from linpoint.errors import TestError, UsageError
from linpoint.explore.cpp.objects.asked import Asked
from linpoint.explore.python_control.access_backends import BACKENDS
from linpoint.explore.python_control.bytecode_accesses import GRANULARITIES
from linpoint.scenarios.scenario import Scenario
from linpoint.targets.compiler_flags import split_targets, split_test
from linpoint.verdicts import Budget

if TYPE_CHECKING:
    from linpoint.cli.stress_cpp import Stressed, StressTest
    from linpoint.cli.test_cpp import Command, ToldTest


def run(
    context: typer.Context,
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE[:TEST]...",
            help="Python or C++ files of tests; one test with :NAME. After --: compiler flags and more C++ and C sources.",
        ),
    ],
    *,
    spec: Annotated[
        str | None,
        typer.Option("--spec", "-s", metavar="SPEC", help="Test against this spec instead of the test's own."),
    ] = None,
    threads: Annotated[int | None, typer.Option("--threads", metavar="N", help="At most so many threads.")] = None,
    operations: Annotated[
        int | None, typer.Option("--operations", metavar="N", help="At most so many operations in each thread.")
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", metavar="TEXT", help='Just this one: "push(1); pop() | push(2)"; threads by |.'),
    ] = None,
    before: Annotated[
        str, typer.Option("--before", metavar="TEXT", help="With --scenario: operations that run alone before it.")
    ] = "",
    after: Annotated[
        str, typer.Option("--after", metavar="TEXT", help="With --scenario: operations that run alone after it.")
    ] = "",
    memory_model: Annotated[
        str | None, typer.Option("--memory-model", metavar="NAME", help="C++: sc (the default), tso (as x86) or pso.")
    ] = None,
    races: Annotated[
        str | None,
        typer.Option(
            "--races", metavar="NAME", help="C++: what to do at a data race: stop (default), report or ignore."
        ),
    ] = None,
    reuse: Annotated[bool, typer.Option("--reuse", help="C++: freed memory is used again at once.")] = False,
    compiler: Annotated[
        str | None, typer.Option("--compiler", metavar="NAME", help="C++: the compiler. Default: $CXX, g++, clang++.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", min=1, help="C++: so many scenarios at once. Default: all processors."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="C++: linearizability (default), against a spec; or outcomes, against those of atomic operations.",
        ),
    ] = None,
    lock_free: Annotated[
        bool, typer.Option("--progress", help="C++: also, can a thread that stops keep operations from finishing?")
    ] = False,
    granularity: options.GranularityOption = "access",
    backend: options.BackendOption = "auto",
    stress: Annotated[
        bool, typer.Option("--stress", help="Real threads, real time (Lowe's way), instead of chosen schedules.")
    ] = False,
    instances: Annotated[
        int, typer.Option("--instances", metavar="N", help="With --stress: so many objects at the same time.")
    ] = 1,
    erratic: Annotated[
        bool, typer.Option("--erratic", help="With --stress: disturb the scheduling by random tiny delays.")
    ] = False,
    sanitizer: Annotated[
        str | None,
        typer.Option("--sanitizer", metavar="NAME", help="With --stress, C++: thread, address or undefined."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="For the scenarios that are generated.")] = 0,
    budget: options.BudgetOption = options.DEFAULT_BUDGET,
    max_memory: Annotated[
        str | None, typer.Option("--max-memory", metavar="SIZE", help="Memory of the target, such as 500M or 2G.")
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="Write the result as a page for a browser; over several tests an overview, and pages beside it.",
        ),
    ] = None,
    junit: Annotated[
        str | None,
        typer.Option(
            "--junit", metavar="FILE.xml", help="Write JUnit XML: a suite for each file, a case for each test."
        ),
    ] = None,
    github: options.GithubOption = False,
    summary: Annotated[bool, typer.Option("--summary", help="Print one line for each test, and nothing else.")] = False,
    json: options.JsonOption = False,
) -> None:
    """Run scenarios of an object under every schedule, and judge each against its spec.

    Exit code: 0 no violation, 1 violation, 2 bad input, 3 unknown; over several tests the worst.

    Examples:
      linpoint test cache_test.py

      linpoint test cache_test.py:TestCache --threads 3 --budget 2m

      linpoint test cache_test.py:TestCache --scenario 'put("a", 1) | get("a")'

      linpoint test stack_test.cpp --spec stack --memory-model tso -- -O2

      linpoint test cache_test.py --stress --erratic --budget 30s

      linpoint test stack_test.cpp --spec stack --stress -- -O3

      linpoint test tests/*_test.py --report tests.html --junit tests.xml --github
    """
    options.validate_name("--granularity", granularity, GRANULARITIES)
    options.validate_name("--backend", backend, BACKENDS)
    if (instances != 1 or erratic) and not stress:
        raise UsageError("LP-U001", "--instances and --erratic go with --stress.", remedy="Add --stress.")
    if stress and report is not None:
        raise UsageError("LP-U001", "--stress makes no page.", remedy="Leave out --report, or use --json.")
    fixed = _scenario(scenario, before, after)
    targets, flags = split_targets(targets, passthrough_args(context))
    any_cpp = any(split_test(target) is not None for target in targets)
    only_cpp = {"--races": races is not None, "--memory-model": memory_model is not None, "--reuse": reuse}
    only_cpp |= {"--method": method is not None, "--progress": lock_free}
    only_cpp |= {"--compiler": compiler is not None, "--workers": workers is not None, "--": bool(flags)}
    for option in (name for name, is_given in only_cpp.items() if is_given and not any_cpp):
        raise UsageError("LP-U001", f"{option} is for tests of C++ objects.", remedy="Leave it out.")
    forms = OutputFormats(None, report, junit, github, summary, json)
    if sanitizer is not None and not (stress and any_cpp):
        raise UsageError("LP-U001", "--sanitizer goes with --stress of C++ objects.", remedy="Add --stress.")
    forms.validate([split_target(target)[0] for target in targets], called="the test itself")
    given = {
        "--spec": spec,
        "--threads": threads,
        "--operations": operations,
        "--scenario": scenario,
        "--before": before or None,
        "--after": after or None,
        "--granularity": granularity if granularity != "access" else None,
        "--backend": backend if backend != "auto" else None,
        "--memory-model": memory_model,
        "--races": races,
        "--method": method,
        "--compiler": compiler,
        "--workers": workers,
        "--seed": seed or None,
        "--instances": instances if instances != 1 else None,
        "--budget": budget if budget != options.DEFAULT_BUDGET else None,
    }
    bare = {"--stress": stress, "--erratic": erratic, "--reuse": reuse, "--progress": lock_free}
    words = [flag for flag, is_given in bare.items() if is_given]
    words += [str(word) for option, value in given.items() if value is not None for word in (option, value)]
    base = TestRequest(
        "stress" if stress else "test",
        "",
        spec=spec,
        seed=seed,
        scenario=None if fixed is None else fixed.as_dict(),
        threads=threads,
        operations=operations,
        granularity=granularity,
        backend=backend,
        instances=instances,
        erratic=erratic,
        page=report is not None and not stress,
        command=words,
    )
    cpp: Command | Stressed | None = None
    if any_cpp and stress:
        from linpoint.cli.stress_cpp import Stressed  # noqa: PLC0415 - only who needs it

        unfit = {name: is_given for name, is_given in only_cpp.items() if name not in ("--compiler", "--")}
        for option in (name for name, is_given in unfit.items() if is_given):
            raise UsageError("LP-U001", f"{option} does not go with --stress.", remedy="Leave it out.")
        cpp = Stressed(
            flags,
            spec=spec,
            scenario=fixed,
            threads=threads,
            operations=operations,
            instances=instances,
            erratic=erratic,
            seed=seed,
            sanitizer=sanitizer,
            compiler=compiler,
        )
        cpp.validate()
    elif any_cpp:
        from linpoint.cli.test_cpp import Command  # noqa: PLC0415 - only who needs it

        asked = Asked(
            spec,
            flags,
            compiler,
            memory_model,
            races,
            reuse,
            method,
            lock_free,
            scenario=fixed,
            threads=threads,
            operations=operations,
            seed=seed or None,
            workers=workers,
        )
        cpp = Command(asked, page=report is not None, words=(*words, *(("--", *flags) if flags else ())))
        cpp.prepare([named[0] for target in targets if (named := split_test(target)) is not None])
    # The host is built once, which is no part of the work that the budget is for.
    limits = Budget.starting_now(budget, max_memory)
    with progress() as line:
        told, interrupted = _run(targets, base, cpp, limits, line)
    raise typer.Exit(write_report(ReportList(told), forms, limits, interrupted=interrupted))


def _scenario(scenario: str | None, before: str, after: str) -> Scenario | None:
    if scenario is not None:
        return Scenario.parse(scenario, before, after)
    if before or after:
        raise UsageError(
            "LP-U001", "--before and --after go with --scenario.", remedy='Add --scenario "..." with the threads.'
        )
    return None


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
            else _ask(msgspec.structs.replace(each, budget=share, made=time.monotonic()), limits, line)
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


def _ask(request: TestRequest, limits: Budget, line: ProgressLine) -> WorkerOutcome:
    def show(message: dict[str, Any]) -> None:
        if message["scenario"] is None:
            line(f"stressing {request.test}: {message['schedules']:,} runs")
            return
        scenario = Scenario.from_dict(message["scenario"])
        line(f"testing {request.test}: {message['schedules']:,} schedules, now {scenario.describe()}")

    return run_in_worker(request, limits, progress=show)


def _refuse(file: str) -> None:
    """Refuse what cannot be tested before a process is started for it."""
    if Path(file).suffix == ".c":
        raise TestError("LP-T015", "a test is written in C++.", place=file, remedy="Give the C source after --.")
    if not file.isprintable() and file.encode(errors="replace").decode() != file:
        raise TestError("LP-T015", "the name of the file is not UTF-8.", place=file, remedy="Give it another name.")
    if file.endswith(".py") and not Path(file).is_file():
        raise TestError("LP-T015", "there is no such file.", place=file, remedy="Give the path of a Python file.")
