# SPDX-License-Identifier: Apache-2.0
"""The objects of a history, each decided by a monitor, or by its parts, with a contest of searches or the oracle."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.checkers import select
from linpoint.checkers._native_search import StopToken
from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.interpretation import Interpretation
from linpoint.checkers.monitors.monitoring import Monitoring, excluded, monitored
from linpoint.checkers.search.contest import Answer, Contest
from linpoint.executors.threads import Task, resident_memory
from linpoint.histories.values import Value
from linpoint.verdicts.budget import Budget
from linpoint.verdicts.witness import Witness

_CHUNK: Final = 64
"""Up to so many objects are one task for monitors; a single one takes microseconds."""
_BYTES: Final = 250
"""Memory that a monitor takes for an operation, at most."""


@dataclass(eq=False, slots=True)
class Object:
    """One independent object: what a monitor says of it, and else the parts of it that are searched."""

    key: Value
    positions: Sequence[int]
    monitoring: Monitoring | None = None
    parts: list[Part] = field(default_factory=list)


class Monitors:
    """Asks monitors for all objects, where the checker has a use for them."""

    def __init__(
        self, reading: Interpretation, objects: Sequence[Object], checker: str, stop: StopToken, budget: Budget
    ) -> None:
        self._reading = reading
        self._objects = objects
        self._checker = checker
        self._stop = stop
        self._budget = budget
        self.refuted: float | None = None
        """When one found a violation first, on the clock of ``time.perf_counter``."""

    def tasks(self) -> list[Task]:
        """The tasks that ask them."""
        if self._checker not in ("auto", "monitor"):
            return []
        why = excluded(self._reading)
        if why is None:
            chunks = range(0, len(self._objects), _CHUNK)
            return [functools.partial(self._ask, self._objects[at : at + _CHUNK]) for at in chunks]
        if self._checker == "monitor":
            for each in self._objects:
                each.monitoring = Monitoring(why)
        return []

    def _ask(self, some: Sequence[Object]) -> Iterable[Task]:
        for each in some:
            if self._too_large(each):
                each.monitoring = Monitoring("there is not enough memory for it")
                continue
            each.monitoring = monitored(self._reading, each.positions, self._stop, self._budget.remaining())
            if each.monitoring is None:
                break
            if each.monitoring.pattern is not None and self.refuted is None:
                self.refuted = time.perf_counter()
        return ()

    def _too_large(self, asked: Object) -> bool:
        most = self._budget.max_memory
        return most is not None and resident_memory() + _BYTES * len(asked.positions) > most


def searched(reading: Interpretation, objects: Sequence[Object], checker: str) -> list[Part]:
    """The parts that are left for searches, once monitors were asked."""
    if checker == "monitor":
        return []
    for each in objects:
        if each.monitoring is None or not each.monitoring.decided:
            each.parts = [Part(reading, each.key, positions, checker) for positions in reading.parts(each.positions)]
    return [part for each in objects for part in each.parts]


class Part:
    """Operations that are searched together: one object, or one independent part of it."""

    def __init__(self, reading: Interpretation, key: Value, positions: Sequence[int], checker: str) -> None:
        self.key = key
        self.positions = positions
        self._reading = reading
        self._checker = checker
        self._selection = select.Selection(checker, ())
        self._contest: Contest | None = None
        self._answer = Answer(None, Witness(()), 0)

    def begin(self, stop: StopToken, threads: int) -> Iterable[Task]:
        """Begin to decide it; the tasks that are given back go on with it."""
        if stop.stopped:  # with thousands of parts even to begin takes time
            self._answer = Answer(None, Witness(()), 0, reason=stop.reason)
            return ()
        if self._checker == "brute-force":
            self._answer = _ask_oracle(self._reading, self.positions, stop)
            return ()
        problem = self._reading.problem(self.positions)
        self._selection = select.select(self._checker, problem, threads=threads)
        self._contest = Contest(
            problem, self._reading.machine, stop, self._selection.searches, at_once=self._selection.at_once
        )
        return self._contest.begin()

    @property
    def refuted(self) -> float | None:
        """When it was found in violation, on the clock of ``time.perf_counter``."""
        return None if self._contest is None else self._contest.refuted

    @property
    def answer(self) -> Answer:
        """What was found by now."""
        return self._answer if self._contest is None else self._contest.answer()

    def told(self) -> tuple[str, str]:
        """The checker that answered, and why it was that one."""
        return self._selection.told(self.answer)


class _StoppedError(Exception):
    """The oracle was told to stop."""


def _ask_oracle(reading: Interpretation, positions: Sequence[int], stop: StopToken) -> Answer:
    steps = 0

    def tick() -> None:
        nonlocal steps
        steps += 1
        if stop.poll():
            raise _StoppedError

    try:
        found, witness = brute_force(reading.history, positions, reading.spec, reading.condition, tick=tick)
    except (_StoppedError, RecursionError):
        return Answer(None, Witness(()), steps, "brute-force", reason=stop.reason)
    return Answer(found, witness, steps, "brute-force")
