# SPDX-License-Identifier: Apache-2.0
"""The operations of a page as columns: numbers, and texts that are said once however often they occur.

The times of crashes, annotations and their ends stand behind those of the operations. Times go as distances from the first of them, since a script's numbers are exact up to 2^53 only; where that is not
enough their texts go too. Cost: O(operations), some microseconds for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from linpoint.explain.html.escaping import plain
from linpoint.explain.naming import is_silent, value_of
from linpoint.histories.operation import Operation, Outcome, Time
from linpoint.histories.values import canonical, one_line, show
from linpoint.verdicts import Verdict

_EXACT: Final = 2**53
_LONGEST: Final = 300
_LONGEST_OF_MANY: Final = 40
_MANY: Final = 20_000_000
"""Letters of texts, past which further ones are cut short."""
_OUTCOMES: Final = {Outcome.OK: 0, Outcome.FAILED: 1, Outcome.UNKNOWN: 2}


class Texts:
    """Numbers for texts, in order of appearance."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._numbers: dict[str, int] = {}
        self._letters = 0

    def number(self, text: str) -> int:
        """The number of a text, which is made safe to show and cut short if it is long."""
        found = self._numbers.get(text)
        if found is None:
            longest = _LONGEST if self._letters < _MANY else _LONGEST_OF_MANY
            shown = plain(one_line(text[: 2 * longest]) + text[2 * longest :], longest)
            self._letters += len(shown)
            found = self._numbers[text] = len(self.all)
            self.all.append(shown)
        return found


def columns(verdict: Verdict, positions: Sequence[int]) -> dict[str, Any]:
    """The operations at ``positions`` as columns, with what their numbers stand for."""
    history = verdict.history
    whole = len(positions) == len(history)
    ops = list(history.operations) if whole else [history.operations[position] for position in positions]
    lanes = sorted({op.process for op in ops}, key=lambda process: (isinstance(process, str), process))
    lane_of = {process: number for number, process in enumerate(lanes)}
    texts, names = Texts(), Texts()
    result = _results(verdict, texts)
    data: dict[str, Any] = {
        "position": None if whole else list(positions),
        "lane": [lane_of[op.process] for op in ops],
        "name": [names.number(op.name) for op in ops],
        "args": [texts.number(_arguments(op)) for op in ops],
        "result": [result(op) for op in ops],
        "outcome": [_OUTCOMES[op.outcome] for op in ops],
        "key": keys_of(verdict, positions, ops),
        "line": _optional([op.line for op in ops]),
        "order": _optional([None if op.order is None else plain(str(op.order)) for op in ops]),
    }
    marks = [*(crash.time for crash in history.crashes), *(each.time for each in history.annotations)]
    ends = [each.until for each in history.annotations]
    data["times"] = times([*(op.call for op in ops), *(op.return_ for op in ops), *marks, *ends])
    readings = [op.times or (None, None) for op in ops]
    if any(reading != (None, None) for reading in readings):
        data["clock"] = times([*(call for call, _ in readings), *(end for _, end in readings)])
    data["lanes"] = [plain(str(process), _LONGEST) for process in lanes]
    data["names"], data["texts"] = names.all, texts.all
    return data


def _arguments(op: Operation) -> str:
    return ", ".join([str(value) if type(value) is int else show(value) for value in op.args])


def _results(verdict: Verdict, texts: Texts) -> Callable[[Operation], int]:
    """What an operation returned, as the number of its text; -1 where there is nothing to say."""
    nothing: dict[str, int] = {}

    def result(op: Operation) -> int:
        if op.outcome is not Outcome.OK:
            return -1
        if op.result is not None:
            return texts.number(str(op.result) if type(op.result) is int else show(op.result))
        found = nothing.get(op.name)
        if found is None:
            found = -1 if is_silent(verdict, op) else texts.number(value_of(op, None))
            nothing[op.name] = found
        return found

    return result


def keys_of(verdict: Verdict, positions: Sequence[int], ops: Sequence[Operation]) -> list[int]:
    """The place of each operation's object among the keys of the verdict; failed ones, which nobody checks, by name."""
    where = None if isinstance(positions, range) else {position: at for at, position in enumerate(positions)}
    found = [-1] * len(positions)
    for number, key in enumerate(verdict.keys):
        for position in key.positions:
            at = position if where is None else where.get(position)
            if at is not None:
                found[at] = number
    if -1 in found:
        known = {canonical(key.key): number for number, key in enumerate(verdict.keys)}
        found = [
            known.get(canonical(op.key), -1) if number < 0 else number for number, op in zip(found, ops, strict=True)
        ]
    return found


def _optional(values: list[Any]) -> list[Any] | None:
    """A column, or None where it says nothing."""
    return values if any(value is not None for value in values) else None


def times(values: Iterable[Time | None]) -> dict[str, Any]:
    """Times as distances from the first, and that; with their texts where distances do not tell all.

    ``exact`` says that base and distance add up to the time.
    """
    values = list(values)
    given = [value for value in values if value is not None]
    base = min(given, default=0)
    if all(type(value) is int for value in given) and max(given, default=0) - base < _EXACT:
        exact = [None if value is None else value - base for value in values]
        return {"base": str(base), "exact": True, "values": exact, "texts": None}
    distances = [None if value is None else float(value - base) for value in values]
    return {"base": str(base), "exact": False, "values": distances, "texts": [_time(value) for value in values]}


def _time(value: Time | None) -> str | None:
    return None if value is None else str(value)
