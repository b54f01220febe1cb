# SPDX-License-Identifier: Apache-2.0
"""Fences that fix a test which fails only because stores wait in store buffers.

The candidates are fences after the stores of the failing runs, grouped by source line. The advisor looks for the
smallest set of fences with which all scenarios that are known to fail pass. Then it runs all other scenarios with this
set; one that fails joins the known ones, and the advisor looks again. Guarantee: ``holds`` is claimed only of a set
with which every scenario that was run was explored to its end; ``smallest`` only if every smaller set of these stores
leaves a violation. Cost: an exploration of a few scenarios for each set.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

from linpoint.hosts.address_symbols import AddressSymbols, place_of
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.cpp_object.object_session import FollowUp, ObjectSession, OneSearchSession
from linpoint.subjects.cpp_object.object_under_test import CppObject
from linpoint.subjects.cpp_object.schedule_rerun import rerun_schedule
from linpoint.subjects.interface import Failure, FurtherSearch
from linpoint.text.phrases import count_noun

_FENCE_SET_TIMEOUT_S: Final = 3.0
"""The time limit for one scenario with one set of fences."""
_MIN_SEARCH_S: Final = 0.2
_MAX_FENCE_ROUNDS: Final = 12
_FENCE: Final = "std::atomic_thread_fence(std::memory_order_seq_cst)"


@dataclass(slots=True)
class FenceAdvice:
    """The fences found, and how far they were verified."""

    places: tuple[str, ...] = ()
    """Source lines; fences after their stores fix the test. Empty if no fences do."""
    smallest: bool = False
    others: list[tuple[str, ...]] = field(default_factory=list)
    """Other sets of the same size that also fix the failing scenarios."""
    scenarios: int = 0
    """The number of scenarios that were run with the fences."""
    holds: bool = False

    def sentences(self) -> tuple[str, ...]:
        """The advice as sentences."""
        if not self.places:
            return ("No set of fences after stores fixes it",)
        where = " and ".join(self.places)
        one = len(self.places) == 1
        fix = f"Fix{' (verified)' if self.holds else ''}: add {'one fence' if one else f'{len(self.places)} fences'}"
        stores = "the store" if one else "the stores"
        sentences = [f"{fix} after {stores} at {where}: {_FENCE}, or make {stores} seq_cst"]
        if self.smallest and not one:
            sentences.append("No smaller set of fences suffices")
        if self.others:
            others = "; ".join(" and ".join(each) for each in self.others)
            sentences.append(f"Alternative{'s' if len(self.others) > 1 else ''}: {others}")
        if self.holds:
            all_ = (
                "the scenario passes" if self.scenarios == 1 else f"all {count_noun(self.scenarios, 'scenario')} pass"
            )
            sentences.append(f"With {'it' if one else 'them'}, {all_} under every schedule")
        return tuple(sentences)


class FenceAdvisor:
    """Looks for fences, starting with one failing scenario. The campaign runs the searches."""

    def __init__(self, session: ObjectSession) -> None:
        self._session = session
        self._stores: dict[str, set[int]] = {}
        """Source lines with stores, and the offsets of these stores in the target."""
        self._failing: list[Scenario] = []

    def advise(self, failure: Failure) -> FollowUp[FenceAdvice | None]:
        """The fences that fix the failure; None if the time ran out."""
        self._failing = [failure.case]
        self._collect(failure, ())
        for _ in range(_MAX_FENCE_ROUNDS):
            if not (yield from self._extend()):
                return None if self._late else FenceAdvice()
            found = yield from self._smallest()
            if found is None:
                return None
            chosen, others, smallest = found
            search = ObjectSession(self._with(chosen), self._session.judge.again(), max(_MIN_SEARCH_S, self._left))
            end = yield FurtherSearch(nullcontext(search), search.seconds)
            if not end.failures:
                explored = [each.covered for each in search.explored.scenarios]
                done = sum(bool(each.unbounded) for each in explored)
                holds = bool(done) and all(each.exhaustive for each in explored)
                return FenceAdvice(chosen, smallest, others, done, holds)
            (another,) = end.failures
            self._failing.append(another.case)
            self._collect(another, chosen)
        return None

    @property
    def _left(self) -> float:
        return self._session.deadline - time.monotonic()

    @property
    def _late(self) -> bool:
        return self._left <= 0 or self._session.interrupted

    def _with(self, places: Sequence[str]) -> CppObject:
        """The object with fences after the stores of these lines."""
        offsets = (offset for place in places for offset in sorted(self._stores[place]))
        return replace(self._session.target, fences=tuple(offsets))

    def _collect(self, failure: Failure, places: Sequence[str]) -> bool:
        """Record the stores of a run; returns whether there were new ones."""
        try:
            result = rerun_schedule(self._with(places), failure.case, failure.schedule, trace=True).result
        except KeyboardInterrupt:
            self._session.interrupted = True
            return False
        if result is None or result.trace is None:
            return False
        symbols = AddressSymbols(self._session.target.program.target.library, result.modules)
        stores = [step for step in result.trace.steps if step.kind == "write" and step.buffer and step.pc is not None]
        offsets = {offset for step in stores if (offset := symbols.offset(step.pc or 0, step.module))}
        symbols.look_up(offset - 1 for offset in offsets)
        new = False
        for offset in offsets:
            frame = next((each for each in symbols.frames(offset - 1) if each.users), None)
            if frame is not None:
                where = str(place_of(frame, os.getcwd()))  # noqa: PTH109 - to make paths relative
                known = self._stores.setdefault(where, set())
                new = new or offset not in known
                known.add(offset)
        return new

    def _fails(self, places: Sequence[str]) -> FollowUp[Failure | None]:
        """The failure of the first known scenario that still fails with these fences. Raises TimeoutError."""
        judge = self._session.judge.again()
        for scenario in self._failing:
            if self._late:
                raise TimeoutError
            target = replace(self._with(places), scenarios=(scenario,))
            search = OneSearchSession(target, judge, min(_FENCE_SET_TIMEOUT_S, self._left))
            end = yield FurtherSearch(nullcontext(search), search.seconds)
            if end.failures:
                return end.failures[0]
            if not search.exhausted:
                raise TimeoutError
        return None

    def _extend(self) -> FollowUp[bool]:
        """Add stores until fences after all of them fix the scenarios; False without further stores or time."""
        try:
            while (failure := (yield from self._fails(tuple(self._stores)))) is not None:
                if not self._collect(failure, tuple(self._stores)):
                    return False
        except TimeoutError:
            return False
        return True

    def _smallest(self) -> FollowUp[tuple[tuple[str, ...], list[tuple[str, ...]], bool] | None]:
        """A smallest set that fixes the scenarios, others of its size, and whether all smaller ones were tried."""
        try:
            for size in range(len(self._stores) + 1):
                fixing: list[tuple[str, ...]] = []
                for places in combinations(sorted(self._stores), size):
                    failure = yield from self._fails(places)
                    fixing += [] if failure else [places]
                if fixing:
                    return fixing[0], fixing[1:], True
        except TimeoutError:
            return (tuple(self._stores), [], False) if self._stores else None
        return None
