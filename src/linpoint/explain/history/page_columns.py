# SPDX-License-Identifier: Apache-2.0
"""The operations of a page as columns: numbers, and texts that are stored once.

The times of crashes and annotations and their ends follow those of the operations. Times are stored as distances from
the first one, since the numbers of a script are exact only up to 2^53. If that is not enough, their texts are added; if
they are too far apart for any number, ranks replace them. Cost: O(operations), some microseconds for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from linpoint.explain.pages.script_data import plain
from linpoint.explain.wording.lane_names import lane_names
from linpoint.explain.wording.operation_names import checked_together, key_of, returns_nothing, value_of
from linpoint.histories.operation import Operation, Outcome, Time
from linpoint.histories.values import canonical, format_value
from linpoint.text.phrases import one_line
from linpoint.verdicts import Verdict

_EXACT_INTEGER_BOUND: Final = 2**53
_MAX_TIME_SPAN: Final = 1e300
"""The distance beyond which sums of distances may be infinite."""
_MAX_TEXT_CHARS: Final = 300
_MAX_TEXT_CHARS_OF_MANY: Final = 40
_MANY_TEXT_CHARS: Final = 20_000_000
"""The total number of characters after which further texts are shortened."""
ALL_LANES: Final = -1
NO_LANE: Final = -2
"""The lanes of a crash of the whole system, and of a process without operations."""
_OUTCOMES: Final = {Outcome.OK: 0, Outcome.FAILED: 1, Outcome.UNKNOWN: 2}


class InternedTexts:
    """Numbers for texts, in order of appearance."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._numbers: dict[str, int] = {}
        self._letters = 0

    def number(self, text: str) -> int:
        """The number of a text, which is made safe to show and shortened if it is long."""
        found = self._numbers.get(text)
        if found is None:
            longest = _MAX_TEXT_CHARS if self._letters < _MANY_TEXT_CHARS else _MAX_TEXT_CHARS_OF_MANY
            shown = plain(one_line(text[: 2 * longest]) + text[2 * longest :], longest)
            self._letters += len(shown)
            found = self._numbers[text] = len(self.all)
            self.all.append(shown)
        return found


def columns(verdict: Verdict, positions: Sequence[int]) -> dict[str, Any]:
    """The operations at ``positions`` as columns, with the texts that their numbers stand for."""
    history = verdict.history
    whole = len(positions) == len(history)
    ops = list(history.operations) if whole else [history.operations[position] for position in positions]
    lanes = sorted({op.process for op in ops}, key=lambda process: (isinstance(process, str), process))
    lane_of = {process: number for number, process in enumerate(lanes)}
    texts, names = InternedTexts(), InternedTexts()
    result = _results(verdict, texts)
    keys, objects = _keys(verdict, positions, ops)
    called = lane_names(history)
    data: dict[str, Any] = {
        "position": None if whole else list(positions),
        "lane": [lane_of[op.process] for op in ops],
        "name": [names.number(op.name) for op in ops],
        "args": [texts.number(_arguments(op)) for op in ops],
        "result": [result(op) for op in ops],
        "outcome": [_OUTCOMES[op.outcome] for op in ops],
        "key": keys,
        "keys": objects,
        "labelled": history.keyed and checked_together(verdict) and len(objects) > 1,
        "line": _optional([op.line for op in ops]),
        "order": _optional([None if op.order is None else plain(str(op.order)) for op in ops]),
    }
    marks = [*(crash.time for crash in history.crashes), *(each.time for each in history.annotations)]
    ends = [each.until for each in history.annotations]
    data["times"] = times([*(op.call for op in ops), *(op.return_ for op in ops), *marks, *ends])
    readings = [op.times or (None, None) for op in ops]
    if any(reading != (None, None) for reading in readings):
        data["clock"] = times([*(call for call, _ in readings), *(end for _, end in readings)])
    data["lanes"] = [plain(called[process], _MAX_TEXT_CHARS) for process in lanes]
    data["crashed"] = [
        ALL_LANES if crash.process is None else lane_of.get(crash.process, NO_LANE) for crash in history.crashes
    ]
    data["names"], data["texts"] = names.all, texts.all
    return data


def _arguments(op: Operation) -> str:
    return ", ".join([str(value) if type(value) is int else format_value(value) for value in op.args])


def _results(verdict: Verdict, texts: InternedTexts) -> Callable[[Operation], int]:
    """A function from operations to the number of their result's text; -1 for results without information."""
    nothing: dict[str, int] = {}

    def result(op: Operation) -> int:
        if op.outcome is not Outcome.OK:
            return -1
        if op.result is not None:
            return texts.number(str(op.result) if type(op.result) is int else format_value(op.result))
        found = nothing.get(op.name)
        if found is None:
            found = -1 if returns_nothing(verdict, op) else texts.number(value_of(op, None))
            nothing[op.name] = found
        return found

    return result


def _keys(verdict: Verdict, positions: Sequence[int], ops: Sequence[Operation]) -> tuple[list[int], list[str]]:
    """For each operation the number of its key, or -1, and the keys: first those of the verdict, in its order.

    Operations without a verdict on their own key follow with further keys: failed ones, which are not checked, and
    those of several keys that were checked together.
    """
    where = None if isinstance(positions, range) else {position: at for at, position in enumerate(positions)}
    found = [-1] * len(positions)
    alone = () if checked_together(verdict) else verdict.keys
    keys = [key.key for key in alone]
    for number, key in enumerate(alone):
        for position in key.positions:
            at = position if where is None else where.get(position)
            if at is not None:
                found[at] = number
    known = {canonical(key): number for number, key in enumerate(keys)}
    for at in [at for at, number in enumerate(found) if number < 0]:
        own = key_of(verdict.spec, ops[at])
        if own is not None:
            found[at] = known.setdefault(canonical(own), len(keys))
            if found[at] == len(keys):
                keys.append(own)
    return found, ["" if key is None else plain(format_value(key), 200) for key in keys]


def _optional(values: list[Any]) -> list[Any] | None:
    """A column, or None if it has no information."""
    return values if any(value is not None for value in values) else None


def times(values: Iterable[Time | None]) -> dict[str, Any]:
    """Times as distances from the first one, with that base; with texts if distances are inexact.

    ``exact``: base and distance add up to the time. ``ranked``: only the order of times is kept.
    """
    values = list(values)
    given = [value for value in values if value is not None]
    base = min(given, default=0)
    if all(type(value) is int for value in given) and max(given, default=0) - base < _EXACT_INTEGER_BOUND:
        exact = [None if value is None else value - base for value in values]
        return {"base": str(base), "exact": True, "ranked": False, "values": exact, "texts": None}
    ranked = max(given) - base > _MAX_TIME_SPAN
    scale = {time: float(rank) for rank, time in enumerate(sorted(set(given)))} if ranked else {}
    numbers = [None if value is None else scale[value] if ranked else float(value - base) for value in values]
    texts = [None if value is None else str(value) for value in values]
    return {"base": str(base), "exact": False, "ranked": ranked, "values": numbers, "texts": texts}
