# SPDX-License-Identifier: Apache-2.0
"""``linpoint check --report FILE.html``: the page of a file; over several, an overview with pages beside it.

With several files FILE.html is the overview, and the page of the N-th file is FILE-N.html. A file that passed or could
not be read has all there is to say in the overview, and no page.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from linpoint.cli.outputs import Made, Written, write_file
from linpoint.cli.reports import Report, document
from linpoint.explain.explanation import Explanation
from linpoint.histories.commands import check_words, command_line
from linpoint.histories.values import counted
from linpoint.verdicts import Budget

ENDINGS: Final = (".html", ".htm")
_KIND: Final = "Report"


def page_paths(path: str, files: int) -> list[str]:
    """Where the page of each file goes, beside the overview at ``path``; none if there is only one file."""
    if files == 1:
        return []
    return [str(Path(path).with_stem(f"{Path(path).stem}-{number}")) for number in range(1, files + 1)]


def write_pages(
    reports: Sequence[Report], path: str, arguments: Sequence[str], budget: Budget
) -> tuple[Sequence[Report], Written]:
    """Write the report; the reports with what became of their own pages, and what became of the one at ``path``."""
    first = reports[0].explanation
    if len(reports) == 1 and first is not None:
        return reports, write_file(_KIND, path, lambda: Made(_page(reports[0], first, arguments)), budget)
    # Twice: before the pages, since they may take all the time there is, and after them, to link to those there are.
    started = time.monotonic()
    before = write_file(_KIND, path, lambda: _overview(reports), budget)
    paths = page_paths(path, len(reports))
    if not paths:
        return reports, before
    for_pages = budget if budget.deadline is None else Budget(budget.deadline - 2 * (time.monotonic() - started))
    paged = [_with_page(report, own, arguments, for_pages) for report, own in zip(reports, paths, strict=True)]
    after = write_file(_KIND, path, lambda: _overview(paged), budget)
    return paged, before if after.made is None and after.error is None else after


def _with_page(report: Report, path: str, arguments: Sequence[str], budget: Budget) -> Report:
    explanation = report.explanation
    if explanation is None or not report.code:
        return report
    written = write_file(_KIND, path, lambda: Made(_page(report, explanation, arguments)), budget)
    return dataclasses.replace(report, page=written)


def _page(report: Report, explanation: Explanation, arguments: Sequence[str]) -> str:
    from linpoint.explain.html.page import page  # noqa: PLC0415 - only who asks for a page is to wait for it

    command = "" if report.file == "-" else f"linpoint {command_line(check_words(report.file, arguments))}"
    replay = f"linpoint {command_line(report.replay)}" if report.replay else ""
    return page(explanation, file=report.file, arguments=arguments, command=command, replay=replay)


def _overview(reports: Sequence[Report]) -> Made:
    from linpoint.explain.html.index import index  # noqa: PLC0415 - as above
    from linpoint.explain.html.results import result_of  # noqa: PLC0415 - as above

    results = []
    for report in reports:
        result = result_of(document(report), report.file)
        results.append(dataclasses.replace(result, page=Path(result.page).name))
    pages = sum(bool(result.page) for result in results)
    return Made(index(results), f"and {counted(pages, 'page')} beside it" if pages else "")
