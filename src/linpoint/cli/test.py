# SPDX-License-Identifier: Apache-2.0
"""``linpoint test``: objects in code, under every schedule.

Each test runs in a process of its own, so that a crash of the target is a finding and not the end of the command.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from linpoint.cli import options
from linpoint.cli.asked import Answer, TestRequest
from linpoint.cli.forms import Forms, tell
from linpoint.cli.output import Progress, progress
from linpoint.cli.tested import AllTold, Told, told_of
from linpoint.cli.workers import NOT_BEGUN, Outcome, ask
from linpoint.errors import TestError, UsageError
from linpoint.explore.python.backends import BACKENDS
from linpoint.explore.python.bytecode import GRANULARITIES
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts import Budget


def run(
    targets: Annotated[
        list[str], typer.Argument(metavar="FILE.py[:TEST]...", help="Files of tests; one test with :NAME.")
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

      linpoint test cache_test.py --stress --erratic --budget 30s

      linpoint test tests/*_test.py --report tests.html --junit tests.xml --github
    """
    limits = Budget.starting_now(budget, max_memory)
    options.validate_name("--granularity", granularity, GRANULARITIES)
    options.validate_name("--backend", backend, BACKENDS)
    if (instances != 1 or erratic) and not stress:
        raise UsageError("LP-U001", "--instances and --erratic go with --stress.", remedy="Add --stress.")
    if stress and report is not None:
        raise UsageError("LP-U001", "--stress makes no page.", remedy="Leave out --report, or use --json.")
    fixed = _scenario(scenario, before, after)
    forms = Forms(None, report, junit, github, summary, json)
    forms.validate([_split(target)[0] for target in targets], called="the test itself")
    given = {
        "--spec": spec,
        "--threads": threads,
        "--operations": operations,
        "--scenario": scenario,
        "--before": before or None,
        "--after": after or None,
        "--granularity": granularity if granularity != "access" else None,
        "--backend": backend if backend != "auto" else None,
        "--seed": seed or None,
        "--instances": instances if instances != 1 else None,
        "--budget": budget if budget != options.DEFAULT_BUDGET else None,
    }
    flags = [flag for flag, given_ in (("--stress", stress), ("--erratic", erratic)) if given_]
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
        command=[
            *flags,
            *(str(word) for option, value in given.items() if value is not None for word in (option, value)),
        ],
    )
    with progress() as line:
        told, interrupted = _run(targets, base, limits, line)
    raise typer.Exit(tell(AllTold(told), forms, limits, interrupted=interrupted))


def _scenario(scenario: str | None, before: str, after: str) -> Scenario | None:
    if scenario is not None:
        return Scenario.parse(scenario, before, after)
    if before or after:
        raise UsageError(
            "LP-U001", "--before and --after go with --scenario.", remedy='Add --scenario "..." with the threads.'
        )
    return None


def _run(targets: list[str], base: TestRequest, limits: Budget, line: Progress) -> tuple[list[Told], bool]:
    """What is to be said of every test, in order; those that were not begun are unknown. The bool says Ctrl-C."""
    plan = [each for target in targets for each in _listed(target, base, limits, line)]
    left = sum(isinstance(each, TestRequest) for each in plan)
    told: list[Told] = []
    interrupted = False
    for each in plan:
        if isinstance(each, Told):
            told.append(each)
            continue
        seconds = limits.remaining()
        share = 1e9 if seconds is None else max(0.1, (seconds - 0.5) / left)
        left -= 1
        outcome = (
            NOT_BEGUN
            if interrupted
            else _ask(msgspec.structs.replace(each, budget=share, made=time.monotonic()), limits, line)
        )
        interrupted = interrupted or outcome.interrupted
        told.append(told_of(each, outcome))
    return told, interrupted


def _listed(target: str, base: TestRequest, limits: Budget, line: Progress) -> list[Told | TestRequest]:
    """A request for each test of a target, or what kept them from being found."""
    file, name = _split(target)
    names = [name]
    request = msgspec.structs.replace(base, action="list", file=file, command=["test", file, *base.command])
    try:
        _refuse(file)
    except TestError as error:
        return [Told(file, name, Answer(error=error.as_dict()))]
    if not name:
        line(f"loading {file}")
        outcome = ask(request, limits)
        if outcome.answer is None or outcome.answer.error is not None:
            return [told_of(request, outcome)]
        names = outcome.answer.tests
    return [
        msgspec.structs.replace(base, file=file, test=each, command=["test", f"{file}:{each}", *base.command])
        for each in names
    ]


def _ask(request: TestRequest, limits: Budget, line: Progress) -> Outcome:
    def show(message: dict[str, Any]) -> None:
        if message["scenario"] is None:
            line(f"stressing {request.test}: {message['schedules']:,} runs")
            return
        scenario = Scenario.from_dict(message["scenario"])
        line(f"testing {request.test}: {message['schedules']:,} schedules, now {scenario.describe()}")

    return ask(request, limits, progress=show)


def _split(target: str) -> tuple[str, str]:
    """The file and the name of a test, which may be missing."""
    file, colon, name = target.rpartition(":")
    return (file, name) if colon and (file.endswith(".py") or "/" not in name) else (target, "")


def _refuse(file: str) -> None:
    """Refuse what cannot be tested before a process is started for it."""
    if not file.endswith(".py") and Path(file).suffix in (".cpp", ".cc", ".cxx", ".c"):
        raise TestError("LP-T015", "this version tests Python only.", place=file, remedy="Give a Python file of tests.")
    if not file.isprintable() and file.encode(errors="replace").decode() != file:
        raise TestError("LP-T015", "the name of the file is not UTF-8.", place=file, remedy="Give it another name.")
    if file.endswith(".py") and not Path(file).is_file():
        raise TestError("LP-T015", "there is no such file.", place=file, remedy="Give the path of a Python file.")
