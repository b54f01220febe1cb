# SPDX-License-Identifier: Apache-2.0
"""Scenarios: calls before, calls of each thread, calls after. They are immutable, and nothing here runs anything.

Guarantee: ``Scenario.parse(str(scenario))`` restores the threads, ``Scenario.from_dict(scenario.as_dict())`` the
complete scenario. Calls are equal if their operations have the same spelling and their arguments are equal for
linpoint: ``true`` is not ``1``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from linpoint.errors import TestError
from linpoint.histories.values import Value, canonical, format_value, thaw
from linpoint.scenarios.json_arguments import json_value
from linpoint.scenarios.scenario_text import NAME, ParsedCall, parse_calls, parse_threads
from linpoint.text.phrases import count_noun


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One operation with its arguments; ``str(call)`` is ``push(1)``."""

    operation: str
    args: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.operation, str) or NAME.fullmatch(self.operation) is None:
            raise TestError(
                "LP-T001",
                f"{self.operation!r} is not a valid name of an operation.",
                remedy="Use an identifier; hyphens are allowed.",
            )
        args = tuple(json_value(value, place=self.operation) for value in self.args)
        object.__setattr__(self, "args", args)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Call):
            return NotImplemented
        return self.operation == other.operation and canonical(self.args) == canonical(other.args)

    def __hash__(self) -> int:
        return hash((self.operation, canonical(self.args)))

    def __str__(self) -> str:
        return f"{self.operation}({', '.join(map(format_value, self.args))})"


@dataclass(frozen=True, slots=True)
class Scenario:
    """The calls of a run. The threads run concurrently; ``before`` and ``after`` run alone.

    There is at least one thread, and each thread has at least one call.
    """

    threads: tuple[tuple[Call, ...], ...]
    """The calls of each thread."""
    before: tuple[Call, ...] = ()
    """The calls that run alone before the threads."""
    after: tuple[Call, ...] = ()
    """The calls that run alone after the threads."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "threads", tuple(map(tuple, self.threads)))
        object.__setattr__(self, "before", tuple(self.before))
        object.__setattr__(self, "after", tuple(self.after))
        if not self.threads or not all(self.threads):
            empty = next((n for n, thread in enumerate(self.threads, 1) if not thread), None)
            fact = "a scenario has no threads." if empty is None else f"thread {empty} has no operations."
            raise TestError("LP-T001", fact, remedy="Give each thread an operation, or remove the thread.")

    @classmethod
    def parse(cls, threads: str, before: str = "", after: str = "") -> Scenario:
        """Parse the text form of a scenario, such as ``push(1); pop() | push(2); pop()``."""
        return cls(
            tuple(map(_calls, parse_threads(threads))),
            _calls(parse_calls(before, "before")),
            _calls(parse_calls(after, "after")),
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Scenario:
        """The scenario from the result of ``as_dict``; raises LP-T001 for anything else."""
        if not isinstance(data, Mapping) or not isinstance(data.get("threads"), (list, tuple)):
            raise _bad_dict("threads", data, "a list of threads")
        threads = tuple(_calls_from(thread, f"threads[{n}]") for n, thread in enumerate(data["threads"]))
        before, after = (_calls_from(data.get(part, ()), part) for part in ("before", "after"))
        return cls(threads, before, after)

    def as_dict(self) -> dict[str, Any]:
        """The scenario as plain JSON with fresh lists; empty parts are omitted."""
        parts = {"before": self.before, "after": self.after}
        return {"threads": [_plain(thread) for thread in self.threads]} | {
            name: _plain(calls) for name, calls in parts.items() if calls
        }

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls: before, then thread by thread, then after."""
        return (*self.before, *(call for thread in self.threads for call in thread), *self.after)

    @property
    def size(self) -> int:
        """The total number of calls."""
        return len(self.before) + sum(map(len, self.threads)) + len(self.after)

    def describe(self) -> str:
        """The complete scenario on one line, for messages; ``str`` gives only the threads."""
        alone = ((part, calls) for part, calls in (("before", self.before), ("after", self.after)) if calls)
        rest = "".join(f", {part}: {_text(calls)}" for part, calls in alone)
        return f"{count_noun(len(self.threads), 'thread')}: {self}{rest}"

    def __str__(self) -> str:
        return " | ".join(map(_text, self.threads))


def _text(calls: Iterable[Call]) -> str:
    return "; ".join(map(str, calls))


def _calls(parsed: Iterable[ParsedCall]) -> tuple[Call, ...]:
    return tuple(Call(name, args) for name, args in parsed)


def _plain(calls: Iterable[Call]) -> list[dict[str, Any]]:
    return [{"op": call.operation} | ({"args": thaw(call.args)} if call.args else {}) for call in calls]


def _calls_from(items: Any, place: str) -> tuple[Call, ...]:
    if not isinstance(items, (list, tuple)):
        raise _bad_dict(place, items, "a list of calls")
    return tuple(_call_from(item, f"{place}[{n}]") for n, item in enumerate(items))


def _call_from(item: Any, place: str) -> Call:
    if not isinstance(item, Mapping) or not isinstance(item.get("op"), str):
        raise _bad_dict(place, item, 'an object with "op"')
    args = item.get("args", ())
    if not isinstance(args, (list, tuple)):
        raise _bad_dict(f"{place}.args", args, "a list of arguments")
    return Call(item["op"], tuple(args))


def _bad_dict(place: str, found: Any, wanted: str) -> TestError:
    return TestError(
        "LP-T001",
        f"expected {wanted}, found {format_value(found)}.",
        place=place,
        remedy='Pass the result of as_dict(): {"threads": [[{"op": "push", "args": [1]}], [{"op": "pop"}]]}.',
    )
