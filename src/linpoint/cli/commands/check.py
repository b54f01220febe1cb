# SPDX-License-Identifier: Apache-2.0
"""``linpoint check``: files in, verdicts out.

Guarantee: the budget and Ctrl-C hold in every phase: loading the spec, reading, checking and explaining. What is known
by then is told; a file that was not decided is unknown, never left out.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from linpoint.checkers.check import check_with_progress
from linpoint.checkers.checker_selection import CHECKERS
from linpoint.checkers.checker_selection import validate as validate_checker
from linpoint.checkers.conditions import validate as validate_condition
from linpoint.cli import options
from linpoint.cli.check_request import CheckRequest, explain_within_budget, replay_argv, unknown_report
from linpoint.cli.commands.check_follow import follow_files
from linpoint.cli.output import graph_file
from linpoint.cli.output.check_report import CheckReport, prepare_pages
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.search_estimate import SearchEstimate
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.cli.reports import Report
from linpoint.errors import LinpointError
from linpoint.explain.history.explain_verdict import explanation_without_reasons
from linpoint.explain.history.explanation import Explanation
from linpoint.histories.formats import load
from linpoint.histories.history import History
from linpoint.limits.deadlines import TimeIsUpError, deadline, uninterrupted
from linpoint.specs.spec import Spec
from linpoint.verdicts import Budget, Verdict

_CHECK_GRACE_S: Final = 1.0
"""Seconds past the budget that a check may take to stop by itself, with how far it got; it promises about as much."""


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
        str, typer.Option("--checker", metavar="NAME", help=f"{', '.join(CHECKERS[:-1])} or {CHECKERS[-1]}.")
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
    paper_rules: Annotated[
        bool,
        typer.Option(
            "--paper-rules", help="With --checker graph: go by its paper as published, even where it is wrong."
        ),
    ] = False,
    clock_skew: Annotated[
        str | None,
        typer.Option(
            "--clock-skew",
            metavar="TIME",
            help="How much the clocks of different processes may differ, such as 5ms, or a number in the file's unit.",
        ),
    ] = None,
    time_unit: Annotated[
        str, typer.Option("--time-unit", metavar="ns|us|ms|s", help="What one unit of the file's times is.")
    ] = "ns",
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="TIME", help="Time for the whole command, such as 60s or 5m.")
    ] = None,
    max_memory: Annotated[
        str | None, typer.Option("--max-memory", metavar="SIZE", help="Memory of the process, such as 500M or 2G.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", metavar="N", help="Threads for keys and for searches within one. Default: all cores."
        ),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Check one file while it grows; end at the first violation.")
    ] = False,
    until_idle: Annotated[
        str | None,
        typer.Option("--until-idle", metavar="TIME", help="With --follow: end when no line came for so long."),
    ] = None,
    graph: options.GraphOption = None,
    report: options.ReportOption = None,
    junit: options.JunitOption = None,
    github: options.GithubOption = False,
    summary: options.SummaryOption = False,
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

      linpoint check runs/*.jsonl --spec queue --report runs.html --junit runs.xml --github
    """
    limits = Budget.starting_now(budget, max_memory)
    validate_checker(checker)
    validate_condition(condition)
    graph_file.validate(graph, files, follow=follow or until_idle is not None)
    forms = OutputFormats(graph, report, junit, github, summary, json)
    forms.validate(files)
    if report is not None:
        prepare_pages()
    first = options.parse_initial(initial)
    skew = options.parse_clock_skew(clock_skew, time_unit)
    reading = {
        "keyed": options.parse_keyed(keyed),
        "columns": options.parse_columns(columns),
        "format": file_format,
    }
    given = {
        "--spec": spec,
        "--initial": initial,
        "--checker": checker if checker != "auto" else None,
        "--condition": condition,
        "--clock-skew": clock_skew,
        "--time-unit": time_unit if time_unit != "ns" else None,
        "--keyed": keyed,
        "--columns": columns,
        "--format": file_format,
    }
    arguments = tuple(word for option, value in given.items() if value is not None for word in (option, value))
    arguments += ("--paper-rules",) if paper_rules else ()
    found, why = _load_spec(spec, first, limits)
    if why is None:
        graph_file.validate_spec(graph, found)
    request = CheckRequest(found, spec, first, checker, condition, limits, jobs, skew, arguments, paper_rules, graph)
    interrupted, more = False, None
    if why is not None:
        reports = [unknown_report(file, request, why) for file in files]
    elif follow or until_idle is not None:
        followed, more = follow_files(files, request, reading, until_idle if follow else "")
        reports = [followed]
    else:
        with progress() as line:
            reports, interrupted = _check_files(files, request, reading, line)
    raise typer.Exit(write_report(CheckReport(reports, request), forms, limits, interrupted=interrupted, more=more))


def _load_spec(text: str, initial: Any, budget: Budget) -> tuple[Spec, str | None]:
    """The spec; or a stand-in with its name only, and why it was not loaded: a user's module may take for ever."""
    try:
        with deadline(budget):
            return options.find_spec(text, initial), None
    except TimeIsUpError:
        why = "the time budget ran out while loading the spec"
    except KeyboardInterrupt:
        why = "it was interrupted while loading the spec"
    return Spec(text, None, {}), why


def _check_files(
    files: list[str], request: CheckRequest, reading: dict[str, Any], line: ProgressLine
) -> tuple[list[Report], bool]:
    """A report on every file; after Ctrl-C those that are left are unknown. The bool says that it was pressed."""
    reports: list[Report] = []
    interrupted = False
    for file in files:
        report, interrupted = _check_file(file, request, reading, line)
        reports.append(report)
        if interrupted:
            break
    reports += (unknown_report(file, request, "it was interrupted") for file in files[len(reports) :])
    return reports, interrupted


def _check_file(file: str, request: CheckRequest, reading: dict[str, Any], line: ProgressLine) -> tuple[Report, bool]:
    """Read and check one file; every problem ends up in the report. The bool says that Ctrl-C was pressed."""
    try:
        try:
            with deadline(request.budget):
                history = load(file, **reading).with_clock_skew(request.clock_skew)
        except TimeIsUpError:
            return unknown_report(file, request, "the time budget ran out while reading"), False
        return check_one_history(file, history, request, line)
    except KeyboardInterrupt:
        return unknown_report(file, request, "it was interrupted"), True
    except LinpointError as error:
        return Report(file, error=error), False


def check_one_history(file: str, history: History, request: CheckRequest, line: ProgressLine) -> tuple[Report, bool]:
    """Check one history and explain the verdict within what is left of the budget. The bool is as above.

    A violation that is known stays one, whatever happens while it is explained.
    """
    try:
        with deadline(request.budget, grace=_CHECK_GRACE_S):
            verdict, interrupted = _decide(file, history, request, line)
    except TimeIsUpError:  # in a long history the work before and after the search takes time too
        return unknown_report(file, request, "the time budget ran out while checking"), False
    explanation: Explanation | None = None
    try:
        if not interrupted:
            line(f"explaining {file}", at_once=True)
            explanation = explain_within_budget(verdict, request.budget)
    except KeyboardInterrupt:
        interrupted = True
    drawn = None
    if request.graph is not None:
        line(f"drawing {request.graph}", at_once=True)
        drawn = graph_file.write_graph(request.graph, verdict, request.budget, interrupted=interrupted)
    with uninterrupted():
        explanation = explanation_without_reasons(verdict) if explanation is None else explanation
        return Report(file, explanation, replay_argv(file, explanation, request), graph=drawn), interrupted


def _decide(file: str, history: History, request: CheckRequest, line: ProgressLine) -> tuple[Verdict, bool]:
    estimate = SearchEstimate()
    return check_with_progress(
        history,
        request.spec,
        checker=request.checker,
        condition=request.condition,
        budget=request.budget,
        jobs=request.jobs,
        paper_rules=request.paper_rules,
        progress=lambda stop, total: line(
            f"checking {file}: {estimate.words(stop.linearized, total, stop.configurations, stop.memory)}"
        ),
    )
