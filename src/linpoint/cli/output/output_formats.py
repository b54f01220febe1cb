# SPDX-License-Identifier: Apache-2.0
"""The forms in which an answer is told: text, one line a file or a test, JSON, a page, JUnit XML, annotations.

Guarantee: all of them can be had from one run, and they agree. The files are written before anything is said, so that
the JSON document can say what became of them; after the budget or Ctrl-C they still are, if that takes no longer than a
moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from linpoint.cli.output.ci_cases import CiSuite
from linpoint.cli.output.file_reports import BAD_INPUT, print_unwritten, unwritten
from linpoint.cli.output.github_annotations import render_annotations
from linpoint.cli.output.html_reports import ENDINGS, page_paths
from linpoint.cli.output.output_files import WrittenFile, ends_in, refuse_unwritable, time_to_write, write_file
from linpoint.cli.output.terminal import print_error, print_json, print_lines
from linpoint.errors import LinpointError
from linpoint.limits.deadlines import uninterrupted
from linpoint.options.commands.shared_options import OutputOptions
from linpoint.verdicts import Budget


class Report(Protocol):
    """What a command has to say of all that it was given. Each form asks for its part of it."""

    @property
    def command(self) -> str:
        """The command."""

    @property
    def code(self) -> int:
        """The exit code that the answer asks for."""

    def suites(self) -> Sequence[CiSuite]:
        """For CI systems."""

    def document(self) -> dict[str, Any]:
        """The JSON document."""

    def show(self, written: Mapping[str, WrittenFile]) -> None:
        """Print it all for people, with what became of the files."""

    def summaries(self) -> Sequence[str]:
        """A line for each part."""

    def errors(self) -> Iterable[LinpointError]:
        """What kept parts from a verdict, or from having their own files."""

    def with_pages(self, path: str, budget: Budget) -> tuple[Self, WrittenFile]:
        """Write the report; the same answer, with what became of the pages of its parts."""


@dataclass(frozen=True, slots=True)
class OutputFormats:
    """What was asked for."""

    graph: str | None = None
    report: str | None = None
    junit: str | None = None
    github: bool = False
    summary: bool = False
    json: bool = False

    @classmethod
    def of(cls, options: OutputOptions, *, graph: str | None = None) -> OutputFormats:
        """The formats that the options of a command ask for."""
        return cls(graph, options.report, options.junit, options.github, options.summary, options.json)

    def validate(self, files: Sequence[str], *, called: str = "the history itself") -> None:
        """Refuse what cannot be written before anything is read; ``called`` is what the files are."""
        pages: list[str] = []
        if self.report is not None:
            ends_in(self.report, ENDINGS, "page")
            pages = [self.report, *page_paths(self.report, len(files))]
        paths = [path for path in (self.graph, self.junit) if path is not None]
        refuse_unwritable([*paths, *pages], files, called=called)


def write_report(
    answer: Report,
    forms: OutputFormats,
    budget: Budget,
    *,
    interrupted: bool = False,
    more: dict[str, Any] | None = None,
) -> int:
    """Write and say everything that was asked for; the exit code. ``more`` is for the JSON document."""
    answer, written = _write(answer, forms, time_to_write(budget, interrupted=interrupted))
    with uninterrupted():
        if forms.json:
            print_json(answer.document() | {name: each.as_dict() for name, each in written.items()} | (more or {}))
        elif not forms.summary:
            answer.show(written)
        if forms.summary:
            print_lines(answer.summaries(), stderr=forms.json)
        if forms.summary and not forms.json:
            for error in answer.errors():
                print_error(str(error))
            print_unwritten(written)
        if forms.github:
            print_lines(render_annotations(answer.suites()), stderr=forms.json)
    return BAD_INPUT if unwritten(written) else answer.code


def _write(answer: Report, forms: OutputFormats, budget: Budget) -> tuple[Report, dict[str, WrittenFile]]:
    """Write the files that are over everything; the answer with what became of those of its parts."""
    written: dict[str, WrittenFile] = {}
    if forms.junit is not None:  # first, since it is small: a page may take all the time there is
        from linpoint.cli.output.junit_xml import render_junit  # noqa: PLC0415 - only who asks for it is to wait for it

        given = answer
        written["junit"] = write_file("JUnit", forms.junit, lambda: render_junit(given.suites(), given.command), budget)
    if forms.report is not None:
        answer, page = answer.with_pages(forms.report, budget)
        written = {"report": page} | written
    return answer, written
