# SPDX-License-Identifier: Apache-2.0
"""Many results on one page: the sentence on top, then a table to sort and to filter, with details on demand.

Guarantee: the page is one file that loads nothing. Everything from a result is escaped text; a link leads to a relative
path and cannot be anything else; and a browser runs this page's own script alone, whatever it finds, since the page
names the hash of it. Without scripts it is a table all the same. Cost: O(size of the results).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final
from urllib.parse import quote

from linpoint.explain.pages.inlining import asset, digest
from linpoint.explain.pages.result_documents import ERROR, PASSES, Result
from linpoint.histories.values import counted
from linpoint.text.printable import printable
from linpoint.text.shell_commands import shell_command

_ORDER: Final = ("violation", ERROR, "unknown", *PASSES)
_COLUMNS: Final = (
    "Result",
    "Verdict",
    "Spec",
    "Operations",
    "Keys",
    "Schedules",
    "States",
    "Seconds",
    "What was found",
)
_NUMBERS: Final = ("Operations", "Keys", "Schedules", "States", "Seconds")
_LONGEST: Final = 20_000
"""Letters of an explanation; its own page, or the command that shows it again, has the rest."""
_LONGEST_MESSAGE: Final = 500


def sentence(results: Sequence[Result]) -> str:
    """All results in one sentence."""
    count = Counter(result.verdict for result in results)
    total = counted(len(results), "result")
    bad, unknown, errors = count["violation"], count["unknown"], count[ERROR]
    if not results:
        return "There are no results."
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


def index(results: Sequence[Result], *, title: str = "linpoint report") -> str:
    """The page. ``page`` of a result is a path from the folder of this page."""
    style, script = (asset(name) for name in ("index.css", "index.js"))
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest(style)}'; script-src 'sha256-{digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    worst_first = sorted(results, key=lambda result: _ORDER.index(result.verdict))
    columns = _columns(results)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            "<!-- SPDX-License-Identifier: Apache-2.0 -->",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{_text(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            "<main>",
            f'<h1 class="{_worst(results)}">{_text(sentence(results))}</h1>',
            *_controls(results),
            '<div class="scroll" role="region" aria-label="Results" tabindex="0">',
            "<table>",
            "<thead><tr>",
            *(_heading(name) for name in columns),
            "</tr></thead>",
            "<tbody>",
            *(_row(number, result, columns) for number, result in enumerate(worst_first)),
            "</tbody>",
            "</table>",
            "</div>",
            '<p id="none" hidden>No result fits.</p>',
            "</main>",
            f"<script>{script}</script>",
            "</body>",
            "</html>\n",
        ]
    )


def _controls(results: Sequence[Result]) -> Iterator[str]:
    """What only a script can serve is hidden until the script is there."""
    count = Counter(result.verdict for result in results)
    yield '<form id="controls" role="search" hidden>'
    yield '<div role="group" aria-label="Show verdicts">'
    yield f'<button type="button" data-show="" aria-pressed="true">all <b>{len(results):,}</b></button>'
    for verdict in _ORDER:
        if count[verdict]:
            yield (
                f'<button type="button" data-show="{verdict}" class="{verdict}" aria-pressed="false">'
                f"{verdict} <b>{count[verdict]:,}</b></button>"
            )
    yield "</div>"
    yield '<label>Filter <input id="filter" type="search" placeholder="file, spec, words" autocomplete="off"></label>'
    yield '<output id="shown" for="filter"></output>'
    yield "</form>"


def _heading(name: str) -> str:
    number = ' class="number"' if name in _NUMBERS else ""
    return f'<th scope="col"{number}>{name}</th>'


def _columns(results: Sequence[Result]) -> list[str]:
    """The columns that have something to say: tests have no keys, histories no schedules, and models only states."""
    empty = {
        "Spec": not any(result.spec for result in results),
        "Operations": not any("operations" in result.statistics for result in results),
        "Keys": all(result.keys is None for result in results),
        "Schedules": all(_schedules(result) is None for result in results),
        "States": not any("states" in result.statistics for result in results),
    }
    return [name for name in _COLUMNS if not empty.get(name, False)]


def _schedules(result: Result) -> float | None:
    """The schedules that were run, of either kind."""
    told = [result.statistics[name] for name in ("bounded_schedules", "schedules") if name in result.statistics]
    return sum(told) if told else None


def _row(number: int, result: Result, columns: Sequence[str]) -> str:
    """Cells are sorted by ``data-sort`` where their text will not do."""
    name = _text(result.name, _LONGEST_MESSAGE)
    link = f'<a href="{_href(result.page)}">{name}</a>' if result.page else name
    operations, states, seconds = (result.statistics.get(field) for field in ("operations", "states", "seconds"))
    schedules = _schedules(result)
    keys = "" if result.keys is None else f"{result.bad_keys:,} of {result.keys:,}" if result.bad_keys else result.keys
    cells = {
        "Result": f'<th scope="row">{link}</th>',
        "Verdict": f'<td data-sort="{_ORDER.index(result.verdict)}">'
        f'<span class="{result.verdict}">{result.verdict}</span></td>',
        "Spec": f"<td>{_text(result.spec, _LONGEST_MESSAGE)}</td>",
        "Operations": _number(operations, "" if operations is None else f"{operations:,}"),
        "Keys": _number(result.bad_keys or result.keys, f"{keys:,}" if isinstance(keys, int) else keys),
        "Schedules": _number(schedules, "" if schedules is None else f"{schedules:,}"),
        "States": _number(states, "" if states is None else f"{states:,}"),
        "Seconds": _number(seconds, "" if seconds is None else f"{seconds:.3f}"),
        "What was found": f"<td>{_found(result)}</td>",
    }
    told = "".join(cells[column] for column in columns)
    return f'<tr data-verdict="{result.verdict}" data-number="{number}">{told}</tr>'


def _number(value: float | None, text: str) -> str:
    return f'<td class="number" data-sort="{-1 if value is None else value}">{text}</td>'


def _found(result: Result) -> str:
    """The message, which opens to everything that is known."""
    message = _text(result.message, _LONGEST_MESSAGE)
    details = [f'<pre tabindex="0">{_text(text, _LONGEST)}</pre>' for text in result.texts]
    if result.replay:
        details.append(f"<p>Show it again: <code>{escape(f'linpoint {shell_command(result.replay)}')}</code></p>")
    numbers = [f"{name.replace('_', ' ')} {value:,}" for name, value in result.statistics.items()]
    if numbers:
        details.append(f'<p class="numbers">{_text("; ".join(numbers), _LONGEST)}</p>')
    if not details:
        return message
    return f"<details><summary>{message or 'details'}</summary>{''.join(details)}</details>"


def _href(path: str) -> str:
    """A link to a path below or beside this page: with all its colons escaped it has no scheme."""
    return "./" + escape(quote(path.encode(errors="surrogateescape")))


def _text(text: str, longest: int = _LONGEST) -> str:
    cut = text if len(text) <= longest else f"{text[:longest]}..."
    return escape(printable(cut))


def _worst(results: Sequence[Result]) -> str:
    found = {result.verdict for result in results}
    return next((verdict for verdict in _ORDER if verdict in found), "unknown")
