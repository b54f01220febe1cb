# SPDX-License-Identifier: Apache-2.0
"""The forms in which the answer of a check is told: text, one line a file, JSON, a page, JUnit XML, annotations.

Guarantee: all of them can be had from one run, and they agree. The files are written before anything is said, so that
the JSON document can say what became of them; after the budget or Ctrl-C they still are, if that takes no longer than a
moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linpoint.cli.annotations import as_annotations
from linpoint.cli.limits import uninterrupted
from linpoint.cli.output import print_error, print_json, print_lines
from linpoint.cli.outputs import Written, ends_in, refuse_unwritable, time_to_write, write_file
from linpoint.cli.pages import ENDINGS, page_paths, write_pages
from linpoint.cli.reports import Report, as_json, exit_code, print_reports, print_unwritten, summary
from linpoint.cli.requests import Request
from linpoint.verdicts import Budget


@dataclass(frozen=True, slots=True)
class Forms:
    """What was asked for."""

    graph: str | None = None
    report: str | None = None
    junit: str | None = None
    github: bool = False
    summary: bool = False
    json: bool = False

    def validate(self, files: Sequence[str]) -> None:
        """Refuse what cannot be written before anything is read."""
        pages: list[str] = []
        if self.report is not None:
            ends_in(self.report, ENDINGS, "page")
            pages = [self.report, *page_paths(self.report, len(files))]
        paths = [path for path in (self.graph, self.junit) if path is not None]
        refuse_unwritable([*paths, *pages], files)


def tell(
    reports: Sequence[Report],
    forms: Forms,
    request: Request,
    *,
    interrupted: bool = False,
    more: dict[str, Any] | None = None,
) -> int:
    """Write and say everything that was asked for; the exit code. ``more`` is for the JSON document."""
    reports, written = _write(reports, forms, request, time_to_write(request.budget, interrupted=interrupted))
    with uninterrupted():
        if forms.json:
            print_json(as_json(reports, written) | (more or {}))
        elif not forms.summary:
            print_reports(reports, request.arguments, written)
        if forms.summary:
            print_lines([summary(report) for report in reports], stderr=forms.json)
        if forms.summary and not forms.json:
            _print_errors(reports, written)
        if forms.github:
            print_lines(as_annotations(reports), stderr=forms.json)
    return exit_code(reports, written)


def _write(
    reports: Sequence[Report], forms: Forms, request: Request, budget: Budget
) -> tuple[Sequence[Report], dict[str, Written]]:
    """Write the files that are over all reports; the reports with what became of their own pages."""
    written: dict[str, Written] = {}
    if forms.junit is not None:  # first, since it is small: a page may take all the time there is
        from linpoint.cli.junit import as_junit  # noqa: PLC0415 - only who asks for it is to wait for it

        given = reports
        written["junit"] = write_file("JUnit", forms.junit, lambda: as_junit(given, request.spec.name), budget)
    if forms.report is not None:
        reports, page = write_pages(reports, forms.report, request.arguments, budget)
        written = {"report": page} | written
    return reports, written


def _print_errors(reports: Sequence[Report], written: dict[str, Written]) -> None:
    for report in reports:
        if report.error is not None:
            print_error(str(report.error))
        print_unwritten(report.written)
    print_unwritten(written)
