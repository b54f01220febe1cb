# SPDX-License-Identifier: Apache-2.0
"""Many results on one page: a sentence, then a table to sort and filter, with details on demand.

Guarantee: the page is one file that loads nothing. All content of results is escaped text, links are always relative
paths, and the browser runs only this page's script, since the security policy names its hash. Without scripts the table
is still readable. Cost: O(size of the results).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from linpoint.explain.pages.page_renderer import joined_scripts, joined_styles, render
from linpoint.explain.pages.result_documents import ERROR, PASSES, ResultDocument
from linpoint.text.phrases import count_noun
from linpoint.text.shell_commands import shell_command

_ORDER: Final = ("violation", ERROR, "unknown", *PASSES)
_NUMBERS: Final = ("Operations", "Keys", "Schedules", "States", "Seconds")
_COLUMNS: Final = ("Result", "Verdict", "Spec", *_NUMBERS, "Finding")


@dataclass(frozen=True, slots=True)
class NumberCell:
    """A number as text, and as the sort key of the table."""

    text: str = ""
    sort: float = -1


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """A result in the table."""

    name: str
    link: str
    verdict: str
    rank: int
    """The rank of the verdict, worst first."""
    spec: str
    cells: dict[str, NumberCell]
    message: str
    texts: tuple[str, ...]
    replay: str
    numbers: str


def sentence(results: Sequence[ResultDocument]) -> str:
    """One sentence on all results."""
    count = Counter(result.verdict for result in results)
    total = count_noun(len(results), "result")
    bad, unknown, errors = count["violation"], count["unknown"], count[ERROR]
    if not results:
        return "No results."
    if bad == unknown == errors == 0:
        partly = sum(not result.exhaustive for result in results)
        note = f", {partly:,} of them not exhaustively" if partly else ""
        return f"All {total} hold{note}." if len(results) > 1 else f"The result holds{', not exhaustively' * partly}."
    parts = [f"{bad:,} of {total} {'is a violation' if bad == 1 else 'are violations'}" if bad else ""]
    parts += [f"{unknown:,} {'is' if unknown == 1 else 'are'} unknown"] * bool(unknown)
    parts += [f"{errors:,} {'is an error' if errors == 1 else 'are errors'}"] * bool(errors)
    if not bad:
        return f"No violation in {total}, but {' and '.join(parts[1:])}."
    return f"{', '.join(parts[:-1])} and {parts[-1]}." if len(parts) > 1 else f"{parts[0]}."


def overview_page(results: Sequence[ResultDocument], *, title: str = "linpoint report") -> str:
    """The overview page. ``page`` of a result is a path relative to the directory of this page."""
    worst_first = sorted(results, key=lambda result: _ORDER.index(result.verdict))
    count = Counter(result.verdict for result in results)
    context = {
        "title": title,
        "sentence": sentence(results),
        "worst": next((verdict for verdict in _ORDER if count[verdict]), "unknown"),
        "verdicts": {verdict: count[verdict] for verdict in _ORDER if count[verdict]},
        "columns": _columns(results),
        "number_columns": _NUMBERS,
        "rows": [_row(result) for result in worst_first],
        "style": joined_styles(("index.css",)),
        "script": joined_scripts(("index.js",)),
    }
    return str(render("overview.html", context))


def _columns(results: Sequence[ResultDocument]) -> list[str]:
    """The columns that have content: tests have no keys, histories no schedules, and models only states."""
    empty = {
        "Spec": not any(result.spec for result in results),
        "Operations": not any("operations" in result.statistics for result in results),
        "Keys": all(result.keys is None for result in results),
        "Schedules": all(_schedules(result) is None for result in results),
        "States": not any("states" in result.statistics for result in results),
    }
    return [name for name in _COLUMNS if not empty.get(name, False)]


def _schedules(result: ResultDocument) -> float | None:
    """The number of schedules, bounded or not."""
    found = [result.statistics[name] for name in ("bounded_schedules", "schedules") if name in result.statistics]
    return sum(found) if found else None


def _row(result: ResultDocument) -> OverviewRow:
    return OverviewRow(
        result.name,
        _link(result.page) if result.page else "",
        result.verdict,
        _ORDER.index(result.verdict),
        result.spec,
        dict(zip(_NUMBERS, _cells(result), strict=True)),
        result.message,
        result.texts,
        f"linpoint {shell_command(result.replay)}" if result.replay else "",
        "; ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in result.statistics.items()),
    )


def _cells(result: ResultDocument) -> Sequence[NumberCell]:
    """The cells of the numeric columns."""
    operations, states, seconds = (result.statistics.get(field) for field in ("operations", "states", "seconds"))
    keys = NumberCell()
    if result.keys is not None:
        text = f"{result.bad_keys:,} of {result.keys:,}" if result.bad_keys else f"{result.keys:,}"
        keys = NumberCell(text, result.bad_keys or result.keys)
    return (
        _number(operations),
        keys,
        _number(_schedules(result)),
        _number(states),
        NumberCell() if seconds is None else NumberCell(f"{seconds:.3f}", seconds),
    )


def _number(value: float | None) -> NumberCell:
    return NumberCell() if value is None else NumberCell(f"{value:,}", value)


def _link(path: str) -> str:
    """A link to a relative path: with all colons escaped it has no scheme."""
    return "./" + quote(path.encode(errors="surrogateescape"))
