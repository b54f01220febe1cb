# SPDX-License-Identifier: Apache-2.0
"""The history of an explanation on a page: timeline, tables of operations and keys, orders to step through.

Guarantee: all content of a history is escaped text or JSON data, which scripts set as text. Cost: O(operations on the
page), at most 200,000, with about ten microseconds and some hundred bytes for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.order_stepper import stepped_orders
from linpoint.explain.history.page_columns import columns
from linpoint.explain.history.page_operations import PageOperations
from linpoint.explain.history.page_summary import names_of
from linpoint.explain.pages.script_data import plain
from linpoint.explain.wording.lane_names import lane_names
from linpoint.histories.operation import Crash, Process
from linpoint.histories.values import format_value
from linpoint.verdicts import Verdict

TIMELINE_SCRIPTS: Final = (
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


@dataclass(frozen=True, slots=True)
class Timeline:
    """The contents of ``templates/timeline.html`` and its scripts."""

    note: str
    """A note on the omitted part of the history."""
    data: dict[str, Any]

    @property
    def links(self) -> dict[str, str]:
        """The visible sections, by id."""
        links = {"timeline": "Timeline", "operations": "Operations"}
        if self.data["orders"]:
            links["steps"] = "Steps"
        if len(self.data["keys"]["key"]) > 1:
            links["keys"] = "Keys"
        return links


def timeline_of(explanation: Explanation, shown: PageOperations) -> Timeline:
    """The timeline of the chosen operations, with their known orders."""
    verdict = explanation.verdict
    names = names_of(explanation)
    places = shown.places
    table = columns(verdict, shown.positions)
    culprit = -1 if explanation.culprit is None else places.get(explanation.culprit.position, -1)
    data = {
        "columns": table,
        "total": len(verdict.history),
        "core": [[places[position], names[position]] for position in explanation.core if position in places],
        "culprit": culprit,
        "keys": _keys(verdict),
        "orders": stepped_orders(explanation, places),
        **_marks(verdict, len(table["lane"]), table["crashed"]),
    }
    return Timeline(shown.note, data)


def _marks(verdict: Verdict, count: int, crashed: Sequence[int]) -> dict[str, Any]:
    """Crashes and annotations; their times follow those of the operations in the columns."""
    crashes, annotations = verdict.history.crashes, verdict.history.annotations
    first = 2 * count
    called = lane_names(verdict.history)
    then = first + len(crashes)
    return {
        "crashes": [
            {
                "at": first + at,
                "lane": lane,
                "text": _crash_text(crash, called),
            }
            for at, (crash, lane) in enumerate(zip(crashes, crashed, strict=True))
        ],
        "annotations": [
            {"at": then + at, "untilAt": then + len(annotations) + at, "text": plain(each.text, 200)}
            for at, each in enumerate(annotations)
        ],
    }


def _crash_text(crash: Crash, called: Mapping[Process, str]) -> str:
    if crash.process is not None:
        return plain(f"crash of {called[crash.process]}", 60)
    return "crash of the object" if crash.of_object else "crash"


def _keys(verdict: Verdict) -> dict[str, list[Any]]:
    return {
        "key": ["" if key.key is None else plain(format_value(key.key), 200) for key in verdict.keys],
        "verdict": [key.status.value for key in verdict.keys],
        "operations": [len(key.positions) for key in verdict.keys],
        "checker": [plain(key.checker) for key in verdict.keys],
        "why": [plain(key.why) for key in verdict.keys],
    }
