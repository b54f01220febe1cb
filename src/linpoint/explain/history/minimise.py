# SPDX-License-Identifier: Apache-2.0
"""Minimises a violation: finds the few operations that must stay as recorded so that no order exists.

Operations are not dropped but *relaxed*: a relaxed operation may or may not have happened, within its times, and may
have returned anything. Any order that explains the history as recorded also explains it relaxed. So a contradiction
between the remaining operations is one of the history itself, never an artefact of leaving something out. (Dropping
would be faster but wrong: without the acquire, every release looks like a violation.) The explanation also shows the
relaxed operations that would explain each of them if another one was missing, such as the write that a stale read
observed.

A long history is first reduced by dropping, under a rule that keeps most of it meaningful. The result is then verified
against all other operations, relaxed. Cost: O(log n) decisions to find the end of the violation, and O(k log k) to
O(k^2) to relax operations, all within a time limit; when it ends, the smallest set so far is returned.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.checkers.portfolio import PortfolioAnswer
from linpoint.checkers.subhistory_decider import SubhistoryDecider
from linpoint.explain.history.value_sources import ValueSources
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.specs.spec import Spec

_ATTEMPT_S: Final = 0.5
"""Seconds for one decision. A sub-history that takes longer is skipped, so that Ctrl-C takes effect soon."""

_SMALL_OPERATIONS: Final = 48
"""Up to this number, operations are relaxed from the start; longer histories are first reduced by dropping."""


@dataclass(frozen=True, slots=True)
class MinimalCore:
    """Operations that are a violation by themselves, ordered by call.

    The operations in ``needed`` must stay as recorded, each of them if ``minimal``; the others are possible sources of
    their results. ``last`` is the operation whose return completed the violation. ``verified``: whether the operations
    also contradict each other among all others.
    """

    positions: tuple[int, ...]
    needed: tuple[int, ...]
    last: int | None
    minimal: bool
    verified: bool


def minimise(history: History, positions: Sequence[int], spec: Spec, condition: str, *, seconds: float) -> MinimalCore:
    """Minimise the violation at ``positions``."""
    return _Minimiser(history, positions, spec, condition, time.monotonic() + seconds).run()


class _Minimiser:
    def __init__(self, history: History, positions: Sequence[int], spec: Spec, condition: str, deadline: float) -> None:
        self._history = history
        self._ops = history.operations
        self._spec = spec
        self._decider = SubhistoryDecider(history, spec, condition)
        self._deadline = deadline
        self._all = sorted(positions, key=lambda position: history.operations[position].call)
        self._doubted = False
        self._timely = condition != "sequential"  # under which later operations may explain a result

    def run(self) -> MinimalCore:
        if self._late():
            return MinimalCore(tuple(self._all), tuple(self._all), None, minimal=False, verified=True)
        supply = ValueSources(self._history, self._all, self._spec)
        for position in supply.invented():
            if self._violated([position]) and not self._something_before(position):
                return MinimalCore((position,), (position,), position, minimal=True, verified=True)
        scene, certain, last = self._end_of_violation() if self._timely else (self._all, self._all, None)
        if len(scene) > _SMALL_OPERATIONS:
            few = self._drop(certain, supply, last)
            chosen = set(few)
            others = [p for p in scene if p not in chosen and not self._spec.reads(self._ops[p])]
            answer = self._decide([*few, *others], others, patience=self._deadline)
            if answer.found is not True:
                verified = answer.found is False
                return MinimalCore(tuple(few), tuple(few), last, minimal=verified and self._certain, verified=verified)
        # The result depends on the order in which operations are tried; the smaller one is better. Trying the latest
        # first mostly wins: it leaves the write that replaced a lost value, without the operations that observed it.
        tries = [self._evidence(scene, certain[::-1])]
        if not self._late():
            tries.append(self._evidence(scene, certain))
        shown, needed = min(tries, key=lambda found: len(found[0]))
        return MinimalCore(tuple(shown), tuple(needed), last, self._certain, verified=True)

    def _something_before(self, position: int) -> bool:
        """Whether the history was a violation before this operation returned."""
        if not self._timely:
            return False
        called, returned = self._until(self._ops[position].end)
        relaxed = {*called} - {*returned} | {position}
        return self._decide(called, relaxed).found is False

    def _evidence(self, scene: list[int], certain: list[int]) -> tuple[list[int], list[int]]:
        """The operations to show, and those that must stay as recorded, both ordered by call."""
        needed = sorted(self._relax(scene, certain), key=lambda p: self._ops[p].call)
        return sorted({*needed, *self._sources(scene, needed)}, key=lambda p: self._ops[p].call), needed

    @property
    def _certain(self) -> bool:
        """Whether every decision so far was made in time."""
        return not self._late() and not self._doubted

    def _late(self) -> bool:
        return time.monotonic() >= self._deadline

    def _decide(
        self, positions: Sequence[int], relaxed: Collection[int] = (), *, patience: float | None = None
    ) -> PortfolioAnswer:
        now = time.monotonic()
        most = _ATTEMPT_S if patience is None else (patience - now) / 2
        ordered = sorted(positions)
        return self._decider.decide(
            ordered, seconds=max(0.001, min(self._deadline - now, most)), relaxed=frozenset(relaxed)
        )

    def _violated(self, positions: Sequence[int], relaxed: Collection[int] = ()) -> bool:
        """Whether these are certainly a violation. In doubt, no, and then the result is not claimed to be minimal."""
        if self._late():
            return False
        found = self._decide(positions, relaxed).found
        self._doubted = self._doubted or found is None
        return found is False

    def _end_of_violation(self) -> tuple[list[int], list[int], int | None]:
        """The shortest prefix of the history that is a violation whatever follows it.

        Operations open at its end may have done anything, so they are relaxed. Returns all operations called by then,
        those that had returned, and the one that returned last.
        """
        returns = sorted((p for p in self._all if self._ops[p].outcome is Outcome.OK), key=lambda p: self._ops[p].end)
        low, high = 0, len(returns) - 1
        while low < high and not self._late():
            middle = (low + high) // 2
            called, returned = self._until(self._ops[returns[middle]].end)
            relaxed = set(called) - set(returned)
            if self._violated(called, relaxed):
                high = middle
            else:
                low = middle + 1
        called, returned = self._until(self._ops[returns[high]].end)
        return called, returned, returns[high]

    def _until(self, end: float) -> tuple[list[int], list[int]]:
        # An operation called within the clock skew later may have come first and may explain earlier results.
        called = [p for p in self._all if self._ops[p].call <= end + self._history.clock_skew]
        return called, [p for p in called if self._ops[p].end <= end]

    def _drop(self, kept: list[int], supply: ValueSources, last: int | None) -> list[int]:
        """Drop operations, which is fast; the caller must verify the result.

        The rest must be the violation that ``last`` completed: it contains ``last``, and without ``last`` it is valid.
        Otherwise dropping a pop would blame the next one, whatever the actual violation is.
        """

        def violated(rest: list[int]) -> bool:
            if last is None:
                return self._violated(rest)
            if last not in rest or not self._violated(rest):
                return False
            before = self._decide([p for p in rest if p != last]).found
            self._doubted = self._doubted or before is None
            return before is True

        size = len(kept) + 1
        while len(kept) < size:
            size = len(kept)
            kept = self._shrink(kept, supply.without, violated)
            for together in supply.stays(kept):
                rest = [p for p in kept if p not in together]
                if len(rest) < len(kept) and not self._late() and violated(rest):
                    kept = rest
        return kept

    def _relax(self, scene: list[int], certain: list[int]) -> list[int]:
        """Reduce the operations by relaxing others."""
        changing = [p for p in scene if not self._spec.reads(self._ops[p])]

        def violated(rest: list[int]) -> bool:
            kept = set(rest)
            others = [p for p in changing if p not in kept]
            return self._violated([*rest, *others], others)

        def without(kept: list[int], dropped: Sequence[int]) -> list[int]:
            gone = set(dropped)
            return [p for p in kept if p not in gone]

        return self._shrink(certain, without, violated)

    def _shrink(
        self,
        kept: list[int],
        without: Callable[[list[int], Sequence[int]], list[int]],
        violated: Callable[[list[int]], bool],
    ) -> list[int]:
        """Delta debugging: try chunks from half of many operations down to single ones, until none can be left out."""
        size = 1 if len(kept) <= _SMALL_OPERATIONS else len(kept) // 2
        while not self._late():
            before = len(kept)
            at = 0
            while at < len(kept) and not self._late():
                rest = without(kept, kept[at : at + size])
                if len(rest) < len(kept) and violated(rest):
                    kept = rest
                else:
                    at += size
            if size == 1 and len(kept) == before:
                break
            size = max(1, min(size, len(kept)) // 2)
        return list(kept)

    def _sources(self, scene: list[int], needed: list[int]) -> set[int]:
        """A minimal set of relaxed operations that explain the needed ones if any single one of those is missing."""
        sources: set[int] = set()
        changing = [p for p in scene if not self._spec.reads(self._ops[p])]
        for left_out in needed:
            if self._late():
                break
            answer = self._without(needed, left_out, changing)
            if self._late() or not answer.found:
                continue
            used = [p for p in answer.witness.order if p not in needed]
            for each in list(used):
                fewer = [p for p in used if p != each]
                if not self._late() and self._without(needed, left_out, fewer).found:
                    used = fewer
            sources |= set(used)
        for each in sorted(sources, key=lambda p: self._ops[p].call):
            fewer = sorted(sources - {each})
            if not self._late() and all(self._without(needed, left_out, fewer).found for left_out in needed):
                sources.remove(each)
        return sources

    def _without(self, needed: Sequence[int], left_out: int, others: Sequence[int]) -> PortfolioAnswer:
        """Whether the needed operations except one have an order, with that one and ``others`` relaxed."""
        kept = {*needed} - {left_out}
        relaxed = {left_out, *others} - kept
        if self._spec.reads(self._ops[left_out]):
            relaxed.discard(left_out)
        return self._decide([*kept, *relaxed], relaxed)
