# SPDX-License-Identifier: Apache-2.0
"""``linpoint check``: files in, verdicts out.

Guarantee: the budget and Ctrl-C hold in every phase: loading the spec, reading, checking and explaining. What is known
by then is told; a file that was not decided is unknown, never left out.
"""

from __future__ import annotations

from typing import Any, Final

from linpoint.checkers.check import check_with_progress
from linpoint.cli.check_request import CheckRequest, explain_within_budget, load_spec, replay_argv, unknown_report
from linpoint.cli.commands.check_follow import follow_files
from linpoint.cli.output import graph_file
from linpoint.cli.output.check_report import CheckReport, prepare_pages
from linpoint.cli.output.file_reports import FileReport
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.search_estimate import SearchEstimate
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.errors import LinpointError
from linpoint.explain.history.explain_verdict import explanation_without_reasons
from linpoint.explain.history.explanation import Explanation
from linpoint.histories.formats import load
from linpoint.histories.history import History
from linpoint.limits.deadlines import TimeIsUpError, deadline, uninterrupted
from linpoint.options.commands.check import CheckOptions
from linpoint.specs.spec import Spec
from linpoint.verdicts import Budget, Verdict

_CHECK_GRACE_S: Final = 1.0
"""Seconds past the budget that a check may take to stop by itself, with how far it got; it promises about as much."""


def run(options: CheckOptions) -> int:
    """Check the files, or follow one; the exit code."""
    files = list(options.files)
    limits = Budget.starting_now(options.budget, options.max_memory)
    following = options.follow or options.until_idle is not None
    graph_file.validate(options.graph, files, follow=following)
    forms = OutputFormats.of(options, graph=options.graph)
    forms.validate(files)
    if options.report is not None:
        prepare_pages()
    found, why = _load_spec(options.spec, options.initial_value, limits)
    if why is None:
        graph_file.validate_spec(options.graph, found)
    request = CheckRequest(options, found, limits, options.initial_value)
    interrupted, more = False, None
    if why is not None:
        reports = [unknown_report(file, request, why) for file in files]
    elif following:
        followed, more = follow_files(files, request, options.until_idle if options.follow else "")
        reports = [followed]
    else:
        with progress() as line:
            reports, interrupted = _check_files(files, request, line)
    return write_report(
        CheckReport(reports, request.spec, request.options), forms, limits, interrupted=interrupted, more=more
    )


def _load_spec(text: str, initial: Any, budget: Budget) -> tuple[Spec, str | None]:
    """The spec; or a stand-in with its name only, and why it was not loaded: a user's module may take for ever."""
    try:
        with deadline(budget):
            return load_spec(text, initial), None
    except TimeIsUpError:
        why = "the time budget ran out while loading the spec"
    except KeyboardInterrupt:
        why = "it was interrupted while loading the spec"
    return Spec(text, None, {}), why


def _check_files(files: list[str], request: CheckRequest, line: ProgressLine) -> tuple[list[FileReport], bool]:
    """A report on every file; after Ctrl-C those that are left are unknown. The bool says that it was pressed."""
    reports: list[FileReport] = []
    interrupted = False
    for file in files:
        report, interrupted = _check_file(file, request, line)
        reports.append(report)
        if interrupted:
            break
    reports += (unknown_report(file, request, "it was interrupted") for file in files[len(reports) :])
    return reports, interrupted


def _check_file(file: str, request: CheckRequest, line: ProgressLine) -> tuple[FileReport, bool]:
    """Read and check one file; every problem ends up in the report. The bool says that Ctrl-C was pressed."""
    try:
        try:
            with deadline(request.budget):
                history = load(file, **request.options.reading).with_clock_skew(request.options.skew)
        except TimeIsUpError:
            return unknown_report(file, request, "the time budget ran out while reading"), False
        return check_one_history(file, history, request, line)
    except KeyboardInterrupt:
        return unknown_report(file, request, "it was interrupted"), True
    except LinpointError as error:
        return FileReport(file, error=error), False


def check_one_history(
    file: str, history: History, request: CheckRequest, line: ProgressLine
) -> tuple[FileReport, bool]:
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
    if request.options.graph is not None:
        line(f"drawing {request.options.graph}", at_once=True)
        drawn = graph_file.write_graph(request.options.graph, verdict, request.budget, interrupted=interrupted)
    with uninterrupted():
        explanation = explanation_without_reasons(verdict) if explanation is None else explanation
        return FileReport(file, explanation, replay_argv(file, explanation, request), graph=drawn), interrupted


def _decide(file: str, history: History, request: CheckRequest, line: ProgressLine) -> tuple[Verdict, bool]:
    estimate = SearchEstimate()
    return check_with_progress(
        history,
        request.spec,
        checker=request.options.checker,
        condition=request.options.condition,
        budget=request.budget,
        jobs=request.options.jobs,
        paper_rules=request.options.paper_rules,
        progress=lambda stop, total: line(
            f"checking {file}: {estimate.progress_text(stop.linearized, total, stop.configurations, stop.memory)}"
        ),
    )
