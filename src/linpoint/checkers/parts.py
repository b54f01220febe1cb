# SPDX-License-Identifier: Apache-2.0
"""The parts of a history that are decided alone, each with its contest of searches or the oracle."""

from __future__ import annotations

from collections.abc import Iterable

from linpoint.checkers import select
from linpoint.checkers._native_search import StopToken
from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.interpretation import Interpretation
from linpoint.checkers.search.contest import Answer, Contest
from linpoint.executors.threads import Task
from linpoint.histories.values import Value
from linpoint.verdicts.witness import Witness


class Part:
    """Operations that are decided together: one object, or one independent part of it."""

    def __init__(self, reading: Interpretation, number: int, key: Value, positions: list[int], checker: str) -> None:
        self.object = number
        """The number of the object it belongs to."""
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


def _ask_oracle(reading: Interpretation, positions: list[int], stop: StopToken) -> Answer:
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
