# SPDX-License-Identifier: Apache-2.0
"""The history of an explanation as a part of a page: timeline, tables of operations and keys, orders to step through.

Guarantee: everything of a history is escaped text or JSON data, which scripts set as text. Cost: O(operations held), at
most 200,000, about ten microseconds for each; the page is some hundred bytes for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Template
from typing import Any, Final

from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.order_stepper import orders
from linpoint.explain.history.page_columns import columns
from linpoint.explain.history.page_operations import Chosen
from linpoint.explain.history.page_summary import names_of
from linpoint.explain.pages.inlining import asset
from linpoint.explain.pages.page_renderer import Part
from linpoint.explain.pages.script_data import escaped, plain
from linpoint.explain.wording.lane_names import lane_names
from linpoint.histories.values import show
from linpoint.verdicts import Verdict

_SCRIPTS: Final = (
    "page_data.js",
    "timeline_model.js",
    "timeline.js",
    "axis.js",
    "gestures.js",
    "windowed_table.js",
    "operations.js",
    "filters.js",
    "steps.js",
    "keys.js",
    "timeline_start.js",
)
_COLOURS: Final = 6


def history_part(explanation: Explanation, chosen: Chosen) -> Part:
    """The operations that were chosen of the history, with what is known of their order."""
    places = {position: at for at, position in enumerate(chosen.positions)}
    data = _data(explanation, chosen.positions, places)
    html = Template(asset("timeline.html")).substitute(
        note=f'<p class="note">{escaped(chosen.note)}</p>' if chosen.note else "",
        legend=_legend(data["columns"]["names"]),
    )
    return Part(html, _links(data), data, _SCRIPTS, asset("timeline_keys.html"))


def _links(data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """To the sections that are not hidden."""
    found = [("timeline", "Timeline"), ("operations", "Operations")]
    found += [("steps", "Steps")] * bool(data["orders"])
    found += [("keys", "Keys")] * (len(data["keys"]["key"]) > 1)
    return tuple(found)


def _data(explanation: Explanation, positions: Sequence[int], places: Mapping[int, int]) -> dict[str, Any]:
    """What the script of the page works on."""
    verdict = explanation.verdict
    names = names_of(explanation)
    table = columns(verdict, positions)
    marks = _marks(verdict, len(table["lane"]), table["crashed"])
    culprit = -1 if explanation.culprit is None else places.get(explanation.culprit.position, -1)
    return {
        "columns": table,
        "total": len(verdict.history),
        "core": [[places[position], names[position]] for position in explanation.core if position in places],
        "culprit": culprit,
        "keys": _keys(verdict),
        "orders": orders(explanation, places),
        **marks,
    }


def _marks(verdict: Verdict, count: int, crashed: Sequence[int]) -> dict[str, Any]:
    """Crashes and annotations; their times are in the columns, behind those of the operations."""
    crashes, annotations = verdict.history.crashes, verdict.history.annotations
    first = 2 * count
    called = lane_names(verdict.history)
    then = first + len(crashes)
    return {
        "crashes": [
            {
                "at": first + at,
                "lane": lane,
                "text": "crash" if crash.process is None else plain(f"crash of {called[crash.process]}", 60),
            }
            for at, (crash, lane) in enumerate(zip(crashes, crashed, strict=True))
        ],
        "annotations": [
            {"at": then + at, "untilAt": then + len(annotations) + at, "text": plain(each.text, 200)}
            for at, each in enumerate(annotations)
        ],
    }


def _keys(verdict: Verdict) -> dict[str, list[Any]]:
    return {
        "key": ["" if key.key is None else plain(show(key.key), 200) for key in verdict.keys],
        "verdict": [key.status.value for key in verdict.keys],
        "operations": [len(key.positions) for key in verdict.keys],
        "checker": [plain(key.checker) for key in verdict.keys],
        "why": [plain(key.why) for key in verdict.keys],
    }


def _legend(names: Sequence[str]) -> str:
    """Which colour stands for which operation, as far as colours go."""
    return "".join(
        f'<li><i class="swatch op-{number}"></i>{escaped(name, 30)}</li>'
        for number, name in enumerate(names[:_COLOURS])
    )
