# SPDX-License-Identifier: Apache-2.0
"""The possible states of the spec: sets of configurations, numbered.

A configuration is an abstract state and, for each process, whether it is idle, pending (with its call) or done (with
the result that it will return): Lowe's, as in the paper. A set is closed: any pending process may have taken effect. It
is closed after each call; a return keeps the configurations in which the process is done with that result, and the
remaining set is already closed.

With linearization points (the paper's theorem 2) there is one configuration, and only a point takes effect.
"""

from __future__ import annotations

from typing import Any

from tests.refine.oracle import language
from tests.refine.oracle.flat_instructions import Value, encoded
from tests.refine.oracle.memory import Event
from tests.refine.oracle.rules import ModelError

Configuration = tuple[Any, tuple[Any, ...]]


class SpecSets:
    """The sets of one model; ``points`` selects the mode."""

    def __init__(self, model: language.Model, *, processes: int, points: bool) -> None:
        self._points = points
        self._functions: dict[str, Any] = {}
        exec(model.spec, self._functions)
        self._numbers: dict[frozenset[Configuration], int] = {}
        self._sets: list[frozenset[Configuration]] = []
        self._steps: dict[tuple[int, Event], int | None] = {}
        self.first = self._number(frozenset({(self._functions["initial"], (None,) * processes)}))

    def after(self, number: int, event: Event) -> int | None:
        """The set after an event; None if the spec rejects it."""
        key = (number, event)
        if key not in self._steps:
            configurations = self._follow(self._sets[number], event)
            self._steps[key] = self._number(configurations) if configurations else None
        return self._steps[key]

    def permuted(self, number: int, order: tuple[int, ...]) -> int:
        """The set in which process i has the status that ``order[i]`` has."""
        key = (number, ("permuted", order))
        if key not in self._steps:
            found = frozenset((state, tuple(status[p] for p in order)) for state, status in self._sets[number])
            self._steps[key] = self._number(found)
        answer = self._steps[key]
        assert answer is not None
        return answer

    def _number(self, configurations: frozenset[Configuration]) -> int:
        if configurations not in self._numbers:
            self._numbers[configurations] = len(self._sets)
            self._sets.append(configurations)
        return self._numbers[configurations]

    def _follow(self, before: frozenset[Configuration], event: Event) -> frozenset[Configuration]:
        word, p, *rest = event
        if word == "call":
            name, args = rest
            called = {(state, _with(status, p, ("pending", name, args))) for state, status in before}
            return frozenset(called) if self._points else self._closed(called)
        if word == "return":
            done = ("done", rest[0])
            return frozenset((state, _with(status, p, None)) for state, status in before if status[p] == done)
        if word == "point" and self._points:
            found = [each for one in before for each in self._effects(one, p)]
            if len(found) > 1:
                raise ModelError("points need a spec that is deterministic")
            return frozenset(found)
        return before

    def _closed(self, configurations: set[Configuration]) -> frozenset[Configuration]:
        waiting = list(configurations)
        while waiting:
            one = waiting.pop()
            for p in range(len(one[1])):
                for effect in self._effects(one, p):
                    if effect not in configurations:
                        configurations.add(effect)
                        waiting.append(effect)
        return frozenset(configurations)

    def _effects(self, one: Configuration, p: int) -> list[Configuration]:
        """The possible effects of a process's pending operation."""
        state, status = one
        if status[p] is None or status[p][0] != "pending":
            return []
        _, name, args = status[p]
        outcomes = self._functions[name](state, *args)
        pairs = outcomes if isinstance(outcomes, list) else [outcomes]
        return [(new, _with(status, p, ("done", encoded(result)))) for result, new in pairs]


def _with(status: tuple[Any, ...], p: int, value: Value) -> tuple[Any, ...]:
    return (*status[:p], value, *status[p + 1 :])
