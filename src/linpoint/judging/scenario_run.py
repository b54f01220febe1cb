# SPDX-License-Identifier: Apache-2.0
"""A run of a scenario as the engines observe it and the judges decide it: values, without any of the engine."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from linpoint.histories.values import Value, canonical
from linpoint.scenarios.scenario import Call, Scenario

_OPEN: Final = object()
"""In the place of the result of an operation that did not return."""


class RunEnding(enum.IntEnum):
    """How a run ended; the numbers are those of the native control."""

    COMPLETE = 0
    STUCK = 1
    STOPPED = 2
    CUT = 3
    REDUNDANT = 4
    STALLED = 5


@dataclass(frozen=True, slots=True)
class PerformedOperation:
    """One operation of a run. ``called`` and ``returned`` count steps; None for what did not happen."""

    call: Call
    called: int | None
    returned: int | None
    result: Value = None


@dataclass(frozen=True, slots=True)
class WaitingThread:
    """A thread that could not go on when the run ended."""

    thread: int
    owner: int | None
    """The thread that has what it waits for, if one has it."""
    place: int = 0
    """Of the lock, comparable within the run only."""


@dataclass(frozen=True, slots=True, eq=False)
class ScenarioRun:
    """What one schedule of a scenario did. A runner gives the same one again for what it has seen before."""

    scenario: Scenario
    ending: RunEnding
    before: tuple[PerformedOperation, ...]
    threads: tuple[tuple[PerformedOperation, ...], ...]
    after: tuple[PerformedOperation, ...]
    observed: Value
    """UNSET where nothing was observed."""
    waiting: tuple[WaitingThread, ...]
    goes_round: bool = False
    """It was cut because its threads wait in loops for what nobody will write: more steps would not end it."""
    given_up: bool = False
    """An operation that runs alone had not come to its end after very many instructions, and perhaps never does."""

    def operations(self, *, returned: bool) -> set[str]:
        """The names of operations that were called and came to their end, or of those that did not."""
        parts = (self.before, *self.threads, self.after)
        called = (each for part in parts for each in part if each.called is not None)
        return {each.call.operation for each in called if (each.returned is not None) == returned}

    def key(self) -> object:
        """Equal for runs that a spec cannot tell apart: the same results, and the same order in real time."""
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
