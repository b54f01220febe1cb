# SPDX-License-Identifier: Apache-2.0
"""A run of a scenario as the engines observe it and the judges decide it: values, independent of the engine."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from linpoint.histories.values import Value, canonical
from linpoint.scenarios.scenario import Call, Scenario

_OPEN: Final = object()
"""Replaces the result of an operation that did not return."""


class RunEnding(enum.IntEnum):
    """The ending of a run; the numbers are those of the native control."""

    COMPLETE = 0
    STUCK = 1
    STOPPED = 2
    CUT = 3
    REDUNDANT = 4
    STALLED = 5


@dataclass(frozen=True, slots=True)
class PerformedOperation:
    """One operation of a run. ``called`` and ``returned`` count steps; None if it did not happen."""

    call: Call
    called: int | None
    returned: int | None
    result: Value = None


@dataclass(frozen=True, slots=True)
class WaitingThread:
    """A thread that was blocked when the run ended."""

    thread: int
    owner: int | None
    """The thread that holds what it waits for, if any."""
    place: int = 0
    """The address of the lock, comparable only within the run."""


@dataclass(frozen=True, slots=True, eq=False)
class ScenarioRun:
    """The observed result of one schedule of a scenario. A runner reuses the object for a result seen before."""

    scenario: Scenario
    ending: RunEnding
    before: tuple[PerformedOperation, ...]
    threads: tuple[tuple[PerformedOperation, ...], ...]
    after: tuple[PerformedOperation, ...]
    observed: Value
    """UNSET if nothing was observed."""
    waiting: tuple[WaitingThread, ...]
    goes_round: bool = False
    """Whether it was stopped because its threads loop until a write that no thread will make, so it would never end."""
    given_up: bool = False
    """Whether an operation that runs alone had not returned after very many instructions; perhaps it never does."""

    def operations(self, *, returned: bool) -> set[str]:
        """The names of operations that were called and returned, or of those that did not return."""
        parts = (self.before, *self.threads, self.after)
        called = (each for part in parts for each in part if each.called is not None)
        return {each.call.operation for each in called if (each.returned is not None) == returned}

    def key(self) -> object:
        """A value that is equal for runs that a spec cannot distinguish: equal results in the same real-time order."""
        performed = [each for thread in self.threads for each in thread]
        order = tuple(
            tuple(
                number
                for number, other in enumerate(performed)
                if other.returned is not None and one.called is not None and other.returned < one.called
            )
            for one in performed
        )
        results = tuple(
            canonical(each.result) if each.returned is not None else _OPEN
            for each in (*self.before, *performed, *self.after)
        )
        stuck = self.ending if self.ending is not RunEnding.COMPLETE else None
        waiting = tuple(each.thread for each in self.waiting)
        return stuck, self.goes_round, order, results, canonical(self.observed), waiting
