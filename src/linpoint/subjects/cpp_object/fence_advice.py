# SPDX-License-Identifier: Apache-2.0
"""Which fences would mend a test that fails only because stores wait in buffers.

A fence is tried after each store of the runs that fail, by lines of source, and the smallest set of them is looked for
with which the scenarios that are known to fail do not any more; then all others are run with it, and one that fails joins
them. Guarantee: ``holds`` is said only of a set with which every scenario that was asked for was explored to its end;
``smallest`` only if every smaller set of these stores leaves a violation. Cost: an exploration of few scenarios for each
set that is tried.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

from linpoint.histories.values import counted
from linpoint.hosts.address_symbols import AddressSymbols, place_of
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.cpp_object.finding_builder import rerun_schedule
from linpoint.subjects.cpp_object.object_search import Coverage, ObjectSearch, Wrong, scenario_of, schedule_of
from linpoint.verdicts.schedule import Schedule

_FENCE_SET_TIMEOUT_S: Final = 3.0
"""Seconds for one set of fences."""
_MAX_FENCE_ROUNDS: Final = 12
_WORDS: Final = "std::atomic_thread_fence(std::memory_order_seq_cst)"

Places = dict[str, set[int]]
"""Lines of source with stores, and where these are in the target."""


@dataclass(slots=True)
class FenceAdvice:
    """What was found out."""

    places: tuple[str, ...] = ()
    """Lines of source, after whose stores fences mend it; none if no fences do."""
    smallest: bool = False
    others: list[tuple[str, ...]] = field(default_factory=list)
    """Sets of the same size that mend the scenario, too."""
    scenarios: int = 0
    """That hold with the fences, and all that were asked for if ``holds``."""
    holds: bool = False

    def sentences(self) -> tuple[str, ...]:
        """In words."""
        if not self.places:
            return ("No set of fences after stores mends it",)
        where = " and ".join(self.places)
        fence = "One fence mends it" if len(self.places) == 1 else f"{len(self.places)} fences mend it"
        said = [
            f"{fence}: {_WORDS} after the store at {where}, or make {'it' if len(self.places) == 1 else 'them'} seq_cst"
        ]
        if self.smallest and len(self.places) > 1:
            said.append("No smaller set does")
        if self.others:
            said.append(
                f"So do{'es' if len(self.others) == 1 else ''}: {'; '.join(' and '.join(e) for e in self.others)}"
            )
        if self.holds:
            all_ = "The scenario holds" if self.scenarios == 1 else f"All {counted(self.scenarios, 'scenario')} hold"
            said.append(f"{all_} with {'it' if len(self.places) == 1 else 'them'}, under every schedule")
        return tuple(said)


class FenceAdvisor:
    """Looks for fences, beginning with one scenario that fails."""

    def __init__(self, search: ObjectSearch, until: float) -> None:
        self._search = search
        self._until = until
        self._places: Places = {}
        self._failing: list[Scenario] = []

    def advise(self, scenario: Scenario, schedule: Schedule) -> FenceAdvice | None:
        """What mends it; None if there was no time to find out."""
        self._failing = [scenario]
        self._collect(scenario, schedule, ())
        for _ in range(_MAX_FENCE_ROUNDS):
            if not self._extend():
                return None if self._late() else FenceAdvice()
            found = self._smallest()
            if found is None:
                return None
            chosen, others, smallest = found
            wrong, covered = self._everywhere(chosen)
            if wrong is None:
                done = [each for each in covered if each.schedules]
                holds = bool(done) and all(each.exhaustive for each in covered)
                return FenceAdvice(chosen, smallest, others, len(done), holds)
            self._failing.append(scenario_of(wrong))
            self._collect(scenario_of(wrong), schedule_of(wrong), chosen)
        return None

    def _late(self) -> bool:
        return time.monotonic() >= self._until or self._search.interrupted

    def _with(self, places: Sequence[str]) -> ObjectSearch:
        """A search of the program with fences."""
        offsets = ",".join(str(offset) for place in places for offset in sorted(self._places[place]))
        settings = self._search.settings
        left = max(0.2, self._until - time.monotonic())
        settings = replace(
            settings, budget=left, more=(*settings.more, "--fences", offsets) if offsets else settings.more
        )
        return ObjectSearch(self._search.test, self._search.host, self._search.judge.again(), settings)

    def _collect(self, scenario: Scenario, schedule: Schedule, places: Sequence[str]) -> bool:
        """Note the stores of a run; whether there were new ones."""
        shown = rerun_schedule(self._with(places), scenario, schedule)
        result = shown.result
        if result is None or result.trace is None:
            return False
        symbols = AddressSymbols(self._search.host.target, result.modules)
        stores = [step for step in result.trace.steps if step.kind == "write" and step.buffer and step.pc is not None]
        offsets = {offset for step in stores if (offset := symbols.offset(step.pc or 0, step.module))}
        symbols.look_up(offset - 1 for offset in offsets)
        new = False
        for offset in offsets:
            frame = next((each for each in symbols.frames(offset - 1) if each.users), None)
            if frame is not None:
                where = str(place_of(frame, os.getcwd()))  # noqa: PTH109 - to make paths relative
                known = self._places.setdefault(where, set())
                new = new or offset not in known
                known.add(offset)
        return new

    def _fails(self, places: Sequence[str]) -> Wrong | None:
        """The first of the scenarios that still fails with these fences. Raises TimeoutError."""
        search = self._with(places)
        for scenario in self._failing:
            if self._late():
                raise TimeoutError
            wrong, covered = search.fails(scenario, "dpor", min(_FENCE_SET_TIMEOUT_S, self._until - time.monotonic()))
            if wrong is not None:
                return wrong
            if not covered.exhaustive:
                raise TimeoutError
        return None

    def _extend(self) -> bool:
        """Add stores until fences after all of them mend the scenarios; false if there are no more, or no time."""
        try:
            while (wrong := self._fails(tuple(self._places))) is not None:
                if not self._collect(scenario_of(wrong), schedule_of(wrong), tuple(self._places)):
                    return False
        except TimeoutError:
            return False
        return True

    def _smallest(self) -> tuple[tuple[str, ...], list[tuple[str, ...]], bool] | None:
        """The smallest set that mends the scenarios, others of its size, and whether all smaller ones were tried."""
        try:
            for size in range(len(self._places) + 1):
                mending = [places for places in self._sets(size) if self._fails(places) is None]
                if mending:
                    return mending[0], mending[1:], True
        except TimeoutError:
            return (tuple(self._places), [], False) if self._places else None
        return None

    def _sets(self, size: int) -> Iterator[tuple[str, ...]]:
        return combinations(sorted(self._places), size)

    def _everywhere(self, places: Sequence[str]) -> tuple[Wrong | None, list[Coverage]]:
        """Whether any scenario of the test fails with the fences."""
        search = self._with(places)
        return search.run(), search.covered
