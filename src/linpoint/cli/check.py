# SPDX-License-Identifier: Apache-2.0
"""``linpoint check``: files in, verdicts out."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from linpoint.checkers.check import decide
from linpoint.checkers.conditions import validate as validate_condition
from linpoint.checkers.select import validate as validate_checker
from linpoint.cli import options, tokens
from linpoint.cli.output import Progress, print_error, print_json, print_table, print_text, progress
from linpoint.errors import LinpointError
from linpoint.explain.explaining import DEFAULT_SECONDS, explain, unexplained
from linpoint.explain.explanation import Explanation, operation_dict
from linpoint.explain.text import sentence
from linpoint.histories.formats import load
from linpoint.histories.history import History
from linpoint.specs.lookup import find
from linpoint.specs.protocol import Spec
from linpoint.verdicts import Budget, KeyVerdict, Statistics, Status, Verdict

EXIT = {Status.LINEARIZABLE: 0, Status.VIOLATION: 1, Status.UNKNOWN: 3}
BAD_INPUT = 2
_MOST_IN_TOKEN = 100
_GRACE = 0.5  # seconds past the budget that an explanation may take to come to an end by itself
_SEVERITY = (BAD_INPUT, EXIT[Status.VIOLATION], EXIT[Status.UNKNOWN], EXIT[Status.LINEARIZABLE])


@dataclass(frozen=True, slots=True)
class Report:
    """What is to be said of one file: an explanation, or the error that kept it from a verdict."""

    file: str
    explanation: Explanation | None = None
    replay: tuple[str, ...] = ()
    error: LinpointError | None = None

    @property
    def code(self) -> int:
        """The exit code that this file asks for."""
        return BAD_INPUT if self.explanation is None else EXIT[self.explanation.verdict.status]


@dataclass(frozen=True, slots=True)
class Request:
    """How to check: the spec and the options that are the same for every file."""

    spec: Spec
    spec_text: str
    initial: Any
    checker: str
    condition: str | None
    budget: Budget
    jobs: int | None
    arguments: tuple[str, ...] = ()
    """The options that matter for the verdict, to be given again."""


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Histories; - is standard input.")],
    spec: Annotated[
        str,
        typer.Option(
            "--spec", "-s", metavar="SPEC", help="A built-in (see `linpoint specs`), FILE.py:Name or module:Name."
        ),
    ],
    *,
    initial: Annotated[
        str | None, typer.Option("--initial", metavar="JSON", help="The object's first value. Never guessed.")
    ] = None,
    checker: Annotated[
        str, typer.Option("--checker", metavar="NAME", help="auto, wing-gong, dfs or brute-force.")
    ] = "auto",
    condition: Annotated[
        str | None,
        typer.Option(
            "--condition",
            metavar="NAME",
            help="linearizable, strict, recoverable, durable, buffered-durable or sequential. "
            "Default: durable if the history has crashes, else linearizable.",
        ),
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="TIME", help="Time for the whole command, such as 60s or 5m.")
    ] = None,
    max_memory: Annotated[
        str | None, typer.Option("--max-memory", metavar="SIZE", help="Memory of the process, such as 500M or 2G.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", help="Threads to check keys on. Default: all cores.")
    ] = None,
    keyed: options.KeyedOption = None,
    columns: options.ColumnsOption = None,
    file_format: options.FormatOption = None,
    json: options.JsonOption = False,
) -> None:
    """Decide whether recorded histories are linearizable, and explain why not.

    Exit code: 0 linearizable, 1 violation, 2 bad input, 3 unknown; over several files the worst.

    Examples:
      linpoint check orders.jsonl --spec queue

      linpoint check history.edn --spec cas-register --initial 0 --budget 60s

      linpoint check runs/*.jsonl.gz --spec FILE.py:MySpec --json
    """
    limits = Budget.starting_now(budget, max_memory)
    validate_checker(checker)
    validate_condition(condition)
    first = options.parse_initial(initial)
    found = find(spec) if first is options.NO_VALUE else find(spec, initial=first)
    given = {
        "--spec": spec,
        "--initial": initial,
        "--checker": checker if checker != "auto" else None,
        "--condition": condition,
        "--keyed": keyed,
        "--columns": columns,
        "--format": file_format,
    }
    arguments = [word for option, value in given.items() if value is not None for word in (option, value)]
    request = Request(found, spec, first, checker, condition, limits, jobs, tuple(arguments))
    reading = {
        "keyed": options.parse_keyed(keyed),
        "columns": options.parse_columns(columns),
        "format": file_format,
    }
    with progress() as line:
        reports = _check_files(files, request, reading, line)
    if json:
        print_json(_as_json(reports))
    else:
        _print(reports, request)
    raise typer.Exit(min((report.code for report in reports), key=_SEVERITY.index))


def _check_files(files: list[str], request: Request, reading: dict[str, Any], line: Progress) -> list[Report]:
    """A report on every file; after Ctrl-C those that are left are unknown."""
    reports: list[Report] = []
    for file in files:
        try:
            reports.append(check_file(file, request, reading, line))
        except KeyboardInterrupt:
            rest = files[len(reports) :]
            return [*reports, *(_unread(each, request, "it was interrupted") for each in rest)]
    return reports


def check_file(file: str, request: Request, reading: dict[str, Any], line: Progress) -> Report:
    """Read and check one file; every problem ends up in the report."""
    try:
        try:
            with _deadline(request.budget):
                history = load(file, **reading)
        except _TimeIsUpError:
            return _unread(file, request, "the time budget ran out while reading")
        return check_history(file, history, request, line)
    except LinpointError as error:
        return Report(file, error=error)


def check_history(file: str, history: History, request: Request, line: Progress) -> Report:
    """Check one history and explain the verdict within what is left of the budget."""
    verdict, interrupted = decide(
        history,
        request.spec,
        checker=request.checker,
        condition=request.condition,
        budget=request.budget,
        jobs=request.jobs,
        progress=lambda stop, total: line(
            f"checking {file}: {stop.linearized:,} of {total:,} operations placed, "
            f"{stop.configurations:,} configurations, {stop.memory / 2**20:,.0f} MB"
        ),
    )
    line(f"explaining {file}")
    explanation = _explain(verdict, request.budget, interrupted=interrupted)
    return Report(file, explanation, _replay(file, explanation, request))


def _explain(verdict: Verdict, budget: Budget, *, interrupted: bool) -> Explanation:
    """The explanation that the rest of the budget allows; the bare evidence if a user's spec does not end in time."""
    left = budget.remaining()
    seconds = 0.0 if interrupted else min(DEFAULT_SECONDS, DEFAULT_SECONDS if left is None else left)
    try:
        with _deadline(budget, grace=_GRACE):
            return explain(verdict, seconds=seconds)
    except _TimeIsUpError:
        return unexplained(verdict)


def _unread(file: str, request: Request, why: str) -> Report:
    """The report on a file for which there was no time: unknown, and nothing more is known."""
    empty = History([], source=file)
    key = KeyVerdict(None, Status.UNKNOWN, request.checker, why, ())
    condition = request.condition or "linearizable"
    verdict = Verdict(Status.UNKNOWN, empty, request.spec, condition, request.checker, why, (key,), Statistics())
    return Report(file, explain(verdict))


class _TimeIsUpError(Exception):
    """Raised in the main thread when the budget ends during reading."""


@contextmanager
def _deadline(budget: Budget, *, grace: float = 0.0) -> Iterator[None]:
    """Interrupt the block when the budget (and ``grace``) runs out, where the system has timers."""
    left = budget.remaining()
    if left is None or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: object) -> None:
        raise _TimeIsUpError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(left + grace, 1e-6))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _replay(file: str, explanation: Explanation, request: Request) -> tuple[str, ...]:
    """The arguments that show a violation again: its operations as a self-contained word, while that is short.

    A violation that there was no time to minimise is shown again from its file.
    """
    if explanation.verdict.status is not Status.VIOLATION:
        return ()
    if len(explanation.core) > _MOST_IN_TOKEN and file != "-":
        return ("check", file, *request.arguments)
    history = explanation.verdict.history
    content: dict[str, Any] = {
        "kind": "check",
        "spec": request.spec_text,
        "condition": explanation.verdict.condition,
        "operations": [operation_dict(history, position) for position in explanation.core],
        "crashes": [
            {"crash": True, "time": crash.time} | ({} if crash.process is None else {"process": crash.process})
            for crash in history.crashes
        ],
    }
    if request.initial is not options.NO_VALUE:
        content["initial"] = request.initial
    return ("replay", tokens.encode(content))


def _as_json(reports: list[Report]) -> dict[str, Any]:
    if len(reports) == 1:
        return _document(reports[0])
    # A file without a verdict leaves the whole unknown, unless another one is in violation.
    statuses = [report.explanation.verdict.status if report.explanation else Status.UNKNOWN for report in reports]
    return {
        "verdict": Status.worst(statuses).value,
        "files": [{"file": report.file, **_document(report)} for report in reports],
    }


def _document(report: Report) -> dict[str, Any]:
    """The JSON document of one file, as the contract has it."""
    if report.explanation is None:
        return {"error": report.error.as_dict() if report.error else {}}
    verdict = report.explanation.verdict
    findings = []
    if verdict.status is Status.VIOLATION:
        findings.append(
            {
                "kind": "linearizability",
                "message": sentence(report.explanation).partition(": ")[2],
                "explanation": report.explanation.as_dict(),
                "replay": list(report.replay),
            }
        )
    return {
        "verdict": verdict.status.value,
        "exhaustive": verdict.status is not Status.UNKNOWN,
        "statistics": verdict.statistics.as_dict(),
        "findings": findings,
        "spec": verdict.spec.name,
        "condition": verdict.condition,
        "checker": verdict.checker,
        "why": verdict.why,
        "keys": [_key_document(key) for key in verdict.keys],
        "warnings": list(verdict.warnings),
    }


def _key_document(key: KeyVerdict) -> dict[str, Any]:
    document: dict[str, Any] = {"key": key.key, "verdict": key.status.value}
    if key.witness is not None:
        document["witness"] = list(key.witness.order)
        if key.witness.survivors is not None:
            document["survivors"] = list(key.witness.survivors)
    return document


def _print(reports: list[Report], request: Request) -> None:
    if len(reports) > 1:
        print_table(["file", "verdict", "operations", "keys", "seconds"], [_row(report) for report in reports])
    for report in reports:
        if report.error is not None:
            print_error(str(report.error))
        elif report.explanation is not None:
            if len(reports) == 1:
                print_text(report.explanation.text)
            elif report.code:
                print_text(f"\n{report.file}: {sentence(report.explanation)}")
            if report.replay:
                if report.file != "-":
                    print_text(f"See more: linpoint {shlex.join(['check', report.file, *request.arguments, '--json'])}")
                print_text(f"Show it again: linpoint {shlex.join(report.replay)}")


def _row(report: Report) -> list[str]:
    if report.explanation is None:
        return [report.file, "error", "", "", ""]
    verdict = report.explanation.verdict
    bad = sum(key.status is Status.VIOLATION for key in verdict.keys)
    keys = f"{bad} of {len(verdict.keys)} in violation" if bad else str(len(verdict.keys))
    numbers = verdict.statistics
    return [report.file, verdict.status.value, f"{numbers.operations:,}", keys, f"{numbers.seconds:.3f}"]


def replay_check(content: dict[str, Any], *, json: bool) -> int:
    """Show the finding of a ``check`` again from its token; the exit code."""
    from linpoint.histories.builder import history as build  # noqa: PLC0415 - only here

    first = content.get("initial", options.NO_VALUE)
    spec = find(content["spec"]) if first is options.NO_VALUE else find(content["spec"], initial=first)
    request = Request(spec, content["spec"], first, "auto", content["condition"], Budget(), None)
    history = build([*content["operations"], *content["crashes"]])
    with progress() as line:
        report = check_history("replay", history, request, line)
    if json:
        print_json(_document(report))
    elif report.explanation is not None:
        print_text(report.explanation.text)
    return report.code
