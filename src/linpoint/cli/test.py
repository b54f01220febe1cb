# SPDX-License-Identifier: Apache-2.0
"""``linpoint test``: objects in code, under every schedule.

Each test runs in a process of its own, so that a crash of the target is a finding and not the end of the command.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from linpoint.cli import options
from linpoint.cli.limits import uninterrupted
from linpoint.cli.output import Progress, print_error, print_json, print_table, print_text, progress
from linpoint.cli.outputs import Made, Written, ends_in, refuse_unwritable, time_to_write, write_file
from linpoint.cli.reports import BAD_INPUT, EXIT, print_unwritten, worst
from linpoint.cli.worker import Answer, TestRequest
from linpoint.cli.workers import Outcome, ask
from linpoint.errors import LinpointError, TestError, UsageError
from linpoint.executors.threads import peak_memory
from linpoint.explore.python.bytecode import GRANULARITIES
from linpoint.histories.commands import command_line
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts import Budget, Status

DEFAULT_BUDGET: Final = "30s"


def test(
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
    granularity: Annotated[
        str,
        typer.Option(
            "--granularity", metavar="NAME", help="Where threads may switch: at each shared access, line or opcode."
        ),
    ] = "access",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="For the scenarios that are generated.")] = 0,
    budget: Annotated[
        str, typer.Option("--budget", metavar="TIME", help="Time for the whole command, such as 30s or 5m.")
    ] = DEFAULT_BUDGET,
    max_memory: Annotated[
        str | None, typer.Option("--max-memory", metavar="SIZE", help="Memory of the target, such as 500M or 2G.")
    ] = None,
    report: Annotated[
        str | None, typer.Option("--report", metavar="FILE.html", help="Write the result as a page for a browser.")
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """Run scenarios of an object under every schedule, and judge each against its spec.

    Exit code: 0 no violation, 1 violation, 2 bad input, 3 unknown; over several tests the worst.

    Examples:
      linpoint test cache_test.py

      linpoint test cache_test.py:TestCache --threads 3 --budget 2m

      linpoint test cache_test.py:TestCache --scenario 'put("a", 1) | get("a")'
    """
    limits = Budget.starting_now(budget, max_memory)
    if granularity not in GRANULARITIES:
        raise UsageError(
            "LP-U001",
            f"--granularity {granularity!r} is none.",
            remedy=f"It is one of {', '.join(GRANULARITIES)}.",
        )
    fixed = _scenario(scenario, before, after)
    if report is not None:
        ends_in(report, (".html", ".htm"), "page")
        refuse_unwritable([report], [target.partition(":")[0] for target in targets], called="the test itself")
    base = TestRequest(
        "test",
        "",
        spec=spec,
        seed=seed,
        scenario=None if fixed is None else fixed.as_dict(),
        threads=threads,
        operations=operations,
        granularity=granularity,
        page=report is not None,
    )
    with progress() as line:
        told, interrupted = _run(targets, base, limits, line)
    raise typer.Exit(tell(told, limits, report=report, as_json=json, interrupted=interrupted))


def _scenario(scenario: str | None, before: str, after: str) -> Scenario | None:
    if scenario is not None:
        return Scenario.parse(scenario, before, after)
    if before or after:
        raise UsageError(
            "LP-U001", "--before and --after go with --scenario.", remedy='Add --scenario "..." with the threads.'
        )
    return None


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be said of one test, or of a target that could not be tested."""

    name: str
    outcome: Outcome
    request: TestRequest

    @property
    def answer(self) -> Answer:
        """The worker's answer; one made of how it died, if it gave none."""
        if self.outcome.answer is not None:
            return self.outcome.answer
        return _died(self)

    @property
    def code(self) -> int:
        """The exit code that it asks for."""
        return BAD_INPUT if self.answer.error is not None else EXIT[Status(self.answer.status)]


def _run(targets: list[str], base: TestRequest, limits: Budget, line: Progress) -> tuple[list[Told], bool]:
    tests: list[tuple[str, str]] = []
    told: list[Told] = []
    for target in targets:
        file, name = _split(target)
        if name:
            tests.append((file, name))
            continue
        request = TestRequest("list", file)
        line(f"loading {file}")
        outcome = ask(request, limits)
        if outcome.answer is not None and outcome.answer.error is None:
            tests += ((file, each) for each in outcome.answer.tests)
        else:
            told.append(Told(target, outcome, request))
    for number, (file, name) in enumerate(tests):
        left = limits.remaining()
        share = 1e9 if left is None else max(0.1, (left - 0.5) / (len(tests) - number))
        request = msgspec.structs.replace(base, file=file, test=name, budget=share)

        def show(message: dict[str, Any], name: str = name) -> None:
            line(f"{name}: {message['schedules']:,} schedules, now {message['scenario']}")

        outcome = ask(request, limits, progress=show)
        told.append(Told(f"{file}:{name}", outcome, request))
        if outcome.interrupted:
            return told, True
    return told, False


def _split(target: str) -> tuple[str, str]:
    """The file and the name of a test, which may be missing."""
    file, colon, name = target.rpartition(":")
    if not colon or not (file.endswith(".py") or "/" not in name):
        file, name = target, ""
    if not file.endswith(".py") and Path(file).suffix in (".cpp", ".cc", ".cxx", ".c"):
        raise TestError(
            "LP-T015", "this version tests Python only.", place=file, remedy="Give a Python file of tests."
        )
    if file.endswith(".py") and not Path(file).is_file():
        raise TestError("LP-T015", "there is no such file.", place=file, remedy="Give the path of a Python file.")
    return file, name


def _died(told: Told) -> Answer:
    """A target that took its process with it, or that could not be stopped otherwise."""
    outcome, request = told.outcome, told.request
    name = request.test or request.file
    if outcome.stopped:
        document = _bare(name, Status.UNKNOWN, outcome.died)
        return Answer(status="unknown", document=document, text=f"UNKNOWN: {name}: {outcome.died}.")
    where = f" while it ran the scenario {outcome.scenario}" if outcome.scenario else " while it was loaded"
    message = f"the process of the test died{where}: {outcome.died}"
    replay = ["test", f"{request.file}:{request.test}" if request.test else request.file]
    replay += ["--scenario", outcome.scenario] if outcome.scenario else []
    finding = {"kind": "crash", "message": message, "explanation": {"text": message}, "replay": replay}
    document = _bare(name, Status.VIOLATION, message) | {"findings": [finding]}
    return Answer(status="violation", document=document, text=f"VIOLATION: {name}: {message}.", replay=replay)


def _bare(name: str, status: Status, why: str) -> dict[str, Any]:
    statistics = {"seconds": 0.0, "peak_memory_bytes": peak_memory()}
    return {
        "test": name,
        "verdict": status.value,
        "exhaustive": False,
        "why": why,
        "statistics": statistics,
        "findings": [],
    }


def tell(told: list[Told], limits: Budget, *, report: str | None, as_json: bool, interrupted: bool) -> int:
    """Write and say everything; the exit code."""
    written: dict[str, Written] = {}
    if report is not None:
        page = next((each.answer.page for each in told if each.answer.page), "")
        budget = time_to_write(limits, interrupted=interrupted)
        written["report"] = write_file("page", report, lambda: Made(page), budget)
    with uninterrupted():
        if as_json:
            print_json(_document(told) | {name: each.as_dict() for name, each in written.items()})
        else:
            _print(told, written)
    codes = [each.code for each in told] or [EXIT[Status.UNKNOWN]]
    return BAD_INPUT if any(each.error is not None for each in written.values()) else worst(codes)


def _document(told: list[Told]) -> dict[str, Any]:
    parts = [{"error": each.answer.error} if each.answer.error is not None else each.answer.document for each in told]
    if len(parts) == 1:
        return parts[0]
    statuses = [Status(part["verdict"]) if "verdict" in part else Status.UNKNOWN for part in parts]
    return {"verdict": (Status.worst(statuses) if statuses else Status.UNKNOWN).value, "tests": parts}


def _print(told: list[Told], written: dict[str, Written]) -> None:
    if len(told) > 1:
        print_table(["test", "verdict", "schedules", "seconds"], [_row(each) for each in told])
    for each in told:
        answer = each.answer
        if answer.error is not None:
            print_error(_error_line(answer.error))
        elif len(told) == 1 or each.code:
            print_text(("\n" if len(told) > 1 else "") + answer.text)
            if answer.replay:
                print_text(f"Show it again: linpoint {command_line(answer.replay)}")
    print_unwritten(written)
    for one in written.values():
        if one.error is None:
            print_text(one.line)


def _error_line(error: dict[str, str | None]) -> str:
    again = LinpointError(
        error["code"] or "LP-T015", error["message"] or "", place=error["place"], remedy=error["remedy"] or ""
    )
    return str(again)


def _row(each: Told) -> list[str]:
    if each.answer.error is not None:
        return [each.name, "error", "", ""]
    statistics = each.answer.document["statistics"]
    schedules = statistics.get("bounded_schedules", 0) + statistics.get("schedules", 0)
    return [each.name, each.answer.status, f"{schedules:,}", f"{statistics['seconds']:.1f}"]
