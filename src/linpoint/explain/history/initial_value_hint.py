# SPDX-License-Identifier: Apache-2.0
"""Looks for another initial value that would remove the violation. A verdict never assumes one; the hint only reports
it.

Guarantee: with the reported value, all operations of the object satisfy the condition; every candidate is decided on
all of them. Only values that the observations suggest are tried, so the absence of a hint proves nothing. Cost: at most
``MOST`` decisions, for a set or a map for each wrong part, all within a time limit.
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
    """An initial value with which these operations satisfy the condition, as for ``--initial``; None if none is found.

    It is in a tuple, since null is a valid initial value. The values that the conflicting operations in ``core``
    observed are tried first.
    """
    built_in = BUILT_IN.get(spec.name.partition("(")[0])
    if built_in is None or built_in.factory is not spec.factory:
        return None  # linpoint cannot derive the states of a user's spec from observations
    search = _Search(history, spec, condition, time.monotonic() + seconds)
    if spec.partition is not None:
        return search.by_parts(positions, spec.partition, core)
    return search.first_fit(positions, first_values(spec, search.ops(positions), search.ops(core)))


class _Search:
    """Tries initial values on parts of one history until the deadline."""

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
            except SpecError:  # not a valid initial value of this spec
                continue
            if fits:
                return (candidate,)
        return None

    def by_parts(self, positions: Sequence[int], partition: Any, core: Sequence[int]) -> tuple[Any] | None:
        """An initial value for an object of independent parts, with a separate search for each wrong part."""

        def part_of(op: Operation) -> Value:
            return partition(self._spec.arguments(op))

        as_it_is = SubhistoryDecider(self._history, self._spec, self._condition)
        parts: dict[Any, list[Any]] = {}
        if self._spec.initial:  # the hint must not remove the initial values of the other keys
            named = partition_by_key(self._history, range(len(self._history)), part_of)
            parts = {canonical(part): part_now(self._spec, part) for part, _ in named}
        conflicting = {canonical(part): members for part, members in partition_by_key(self._history, core, part_of)}
        # Start with the parts of the conflicting operations: if no value helps them, the rest does not matter.
        for part, members in sorted(
            partition_by_key(self._history, positions, part_of), key=lambda each: canonical(each[0]) not in conflicting
        ):
            if self._fits(as_it_is, members):
                continue
            mine = conflicting.get(canonical(part), ())
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
