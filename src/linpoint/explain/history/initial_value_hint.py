# SPDX-License-Identifier: Apache-2.0
"""Would another first value remove the violation? It is never guessed, but it is said.

Guarantee: with the value that is said, all operations of the object satisfy the condition; every candidate is decided
on all of them. Only first values that the observations suggest are tried, so a silence proves nothing. Cost: at most
``MOST`` decisions, for a set or a map as many for each of its parts that is wrong, all under a limit of time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from linpoint.checkers.subhistory_decider import SubhistoryDecider
from linpoint.errors import SpecError
from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.partition_by_key import partition_by_key
from linpoint.histories.values import Value, canonical, equal_values
from linpoint.specs.builtin import BUILT_IN
from linpoint.specs.initial_values.initial_values import first_values, part_now, put_together
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import with_initial


def initial_value_hint(
    history: History, positions: Sequence[int], core: Sequence[int], spec: Spec, condition: str, *, seconds: float
) -> tuple[Any] | None:
    """A first value with which these operations satisfy the condition, as ``--initial`` takes it; None if none is found.

    It stands in a tuple, since null is a first value too. ``core`` are the operations that conspire; what they observed is tried first.
    """
    built_in = BUILT_IN.get(spec.name.partition("(")[0])
    if built_in is None or built_in.factory is not spec.factory:
        return None  # what the observations say about the states of a user's spec, only its user knows
    search = _Search(history, spec, condition, time.monotonic() + seconds)
    if spec.partition is not None:
        return search.by_parts(positions, spec.partition, core)
    return search.first_fit(positions, first_values(spec, search.ops(positions), search.ops(core)))


class _Search:
    """Tries first values on parts of one history until the deadline."""

    def __init__(self, history: History, spec: Spec, condition: str, deadline: float) -> None:
        self._history = history
        self._spec = spec
        self._condition = condition
        self._deadline = deadline

    def ops(self, positions: Sequence[int]) -> list[Operation]:
        return [self._history.operations[position] for position in positions]

    def first_fit(self, positions: Sequence[int], candidates: Iterable[Any]) -> tuple[Any] | None:
        """The first candidate with which these operations satisfy the condition."""
        for candidate in candidates:
            try:
                other = with_initial(self._spec, candidate)
                fits = self._fits(SubhistoryDecider(self._history, other, self._condition), positions)
            except SpecError:  # not a first value that this spec can take
                continue
            if fits:
                return (candidate,)
        return None

    def by_parts(self, positions: Sequence[int], partition: Any, core: Sequence[int]) -> tuple[Any] | None:
        """The same for an object of independent parts: each part that is wrong gets a first value of its own."""

        def part_of(op: Operation) -> Value:
            return partition(self._spec.arguments(op))

        as_it_is = SubhistoryDecider(self._history, self._spec, self._condition)
        parts: dict[Any, list[Any]] = {}
        if self._spec.initial:  # what is said must not take away what the history's other keys begin with
            named = partition_by_key(self._history, range(len(self._history)), part_of)
            parts = {canonical(part): part_now(self._spec, part) for part, _ in named}
        conspiring = {canonical(part): members for part, members in partition_by_key(self._history, core, part_of)}
        # The parts of the conspiring operations first: where nothing helps them, there is no need to look at the rest.
        for part, members in sorted(
            partition_by_key(self._history, positions, part_of), key=lambda each: canonical(each[0]) not in conspiring
        ):
            if self._fits(as_it_is, members):
                continue
            mine = conspiring.get(canonical(part), ())
            now = part_now(self._spec, part)
            candidates = first_values(self._spec, self.ops(members), self.ops(mine))
            found = self.first_fit(members, (each for each in candidates if not equal_values(each, now)))
            if found is None:
                return None
            parts[canonical(part)] = found[0]
        return self.first_fit(positions, [put_together(self._spec, parts.values())])

    def _fits(self, decider: SubhistoryDecider, positions: Sequence[int]) -> bool:
        left = self._deadline - time.monotonic()
        return left > 0 and decider.decide(positions, seconds=left).found is True
