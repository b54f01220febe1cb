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

from linpoint.cli.annotations import as_annotations
from linpoint.cli.cases import Suite
from linpoint.cli.limits import uninterrupted
from linpoint.cli.output import print_error, print_json, print_lines
from linpoint.cli.outputs import Written, ends_in, refuse_unwritable, time_to_write, write_file
from linpoint.cli.pages import ENDINGS, page_paths
from linpoint.cli.reports import BAD_INPUT, print_unwritten, unwritten
from linpoint.errors import LinpointError
from linpoint.verdicts import Budget


class Answer(Protocol):
    """What a command has to say of all that it was given. Each form asks for its part of it."""

    @property
    def command(self) -> str:
        """The command."""

    @property
    def code(self) -> int:
        """The exit code that the answer asks for."""

    def suites(self) -> Sequence[Suite]:
        """For CI systems."""

    def document(self) -> dict[str, Any]:
        """The JSON document."""

    def show(self, written: Mapping[str, Written]) -> None:
        """Print it all for people, with what became of the files."""

    def summaries(self) -> Sequence[str]:
        """A line for each part."""

    def errors(self) -> Iterable[LinpointError]:
        """What kept parts from a verdict, or from having their own files."""

    def with_pages(self, path: str, budget: Budget) -> tuple[Self, Written]:
        """Write the report; the same answer, with what became of the pages of its parts."""


@dataclass(frozen=True, slots=True)
class Forms:
    """What was asked for."""

    graph: str | None = None
    report: str | None = None
    junit: str | None = None
    github: bool = False
    summary: bool = False
    json: bool = False

    def validate(self, files: Sequence[str], *, called: str = "the history itself") -> None:
        """Refuse what cannot be written before anything is read; ``called`` is what the files are."""
        pages: list[str] = []
        if self.report is not None:
            ends_in(self.report, ENDINGS, "page")
            pages = [self.report, *page_paths(self.report, len(files))]
        paths = [path for path in (self.graph, self.junit) if path is not None]
        refuse_unwritable([*paths, *pages], files, called=called)


def tell(
    answer: Answer, forms: Forms, budget: Budget, *, interrupted: bool = False, more: dict[str, Any] | None = None
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
            print_lines(as_annotations(answer.suites()), stderr=forms.json)
    return BAD_INPUT if unwritten(written) else answer.code


def _write(answer: Answer, forms: Forms, budget: Budget) -> tuple[Answer, dict[str, Written]]:
    """Write the files that are over everything; the answer with what became of those of its parts."""
    written: dict[str, Written] = {}
    if forms.junit is not None:  # first, since it is small: a page may take all the time there is
        from linpoint.cli.junit import as_junit  # noqa: PLC0415 - only who asks for it is to wait for it

        given = answer
        written["junit"] = write_file("JUnit", forms.junit, lambda: as_junit(given.suites(), given.command), budget)
    if forms.report is not None:
        answer, page = answer.with_pages(forms.report, budget)
        written = {"report": page} | written
    return answer, written
