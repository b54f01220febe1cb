# SPDX-License-Identifier: Apache-2.0
"""``--report FILE.html``: the page of a file or a test; over several, an overview with pages beside it.

With several FILE.html is the overview, and the page of the N-th is FILE-N.html. What passed or could not be read has all
there is to say in the overview, and no page.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from linpoint.cli.output.output_files import FileContentToWrite, WrittenFile, write_file
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Budget

ENDINGS: Final = (".html", ".htm")
_KIND: Final = "Report"


@dataclass(frozen=True, slots=True)
class ReportPage:
    """One of the things that a report is over."""

    name: str
    document: Callable[[], dict[str, Any]]
    """Its JSON document, of which the overview is made."""
    make: Callable[[], str] | None = None
    """Makes its page, if it can have one."""
    beside: bool = False
    """Whether it has its page beside an overview."""


def page_paths(path: str, count: int) -> list[str]:
    """Where the page of each goes, beside the overview at ``path``; none if there is only one."""
    if count == 1:
        return []
    return [str(Path(path).with_stem(f"{Path(path).stem}-{number}")) for number in range(1, count + 1)]


def write_pages(pages: Sequence[ReportPage], path: str, budget: Budget) -> tuple[list[WrittenFile | None], WrittenFile]:
    """Write the report; what became of the page of each beside it, and what became of the one at ``path``."""
    none: list[WrittenFile | None] = [None] * len(pages)
    only = pages[0].make if len(pages) == 1 else None
    if only is not None:
        return none, write_file(_KIND, path, lambda: FileContentToWrite(only()), budget)
    # Twice: before the pages, since they may take all the time there is, and after them, to link to those there are.
    started = time.monotonic()
    before = write_file(_KIND, path, lambda: _overview(pages, none), budget)
    paths = page_paths(path, len(pages))
    if not paths:
        return none, before
    for_pages = budget if budget.deadline is None else Budget(budget.deadline - 2 * (time.monotonic() - started))
    own = [_written(page, place, for_pages) for page, place in zip(pages, paths, strict=True)]
    after = write_file(_KIND, path, lambda: _overview(pages, own), budget)
    return own, before if after.made is None and after.error is None else after


def _written(page: ReportPage, path: str, budget: Budget) -> WrittenFile | None:
    make = page.make if page.beside else None
    return None if make is None else write_file(_KIND, path, lambda: FileContentToWrite(make()), budget)


def _overview(pages: Sequence[ReportPage], own: Sequence[WrittenFile | None]) -> FileContentToWrite:
    from linpoint.explain.pages.overview_page import overview_page  # noqa: PLC0415 - only who asks for a page is to wait for it
    from linpoint.explain.pages.result_documents import result_of  # noqa: PLC0415 - as above

    there = ["" if each is None or each.made is None else Path(each.file).name for each in own]
    results = [
        dataclasses.replace(result_of(page.document(), page.name), page=link)
        for page, link in zip(pages, there, strict=True)
    ]
    count = sum(map(bool, there))
    return FileContentToWrite(
        overview_page(results), f"and {count_noun(count, 'page')} in the same directory" if count else ""
    )
