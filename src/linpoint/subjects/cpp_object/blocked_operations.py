# SPDX-License-Identifier: Apache-2.0
"""Operations that cannot finish while another thread of the scenario is stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from linpoint.hosts.scenario_histories import scenario_run_of
from linpoint.hosts.search_messages import ScenarioHistory
from linpoint.judging.scenario_run import ScenarioRun
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.subjects.interface import Failure

PROGRESS = "progress"
"""The kind of a failure in which operations cannot finish."""


@dataclass(frozen=True, slots=True)
class StoppedThread:
    """A thread of a scenario (numbered from 1) that stops after this number of steps."""

    thread: int
    steps: int

    @property
    def words(self) -> str:
        """The text that the host reads, in front of the scenario."""
        return f"stop {self.thread}:{self.steps}\n"


@dataclass(frozen=True, slots=True)
class StoppedScenario:
    """A scenario in which a thread stops: the case of a failure."""

    scenario: Scenario
    stop: StoppedThread


@dataclass(frozen=True, slots=True)
class BlockedRun:
    """A run in which operations cannot finish while a thread is stopped."""

    stop: StoppedThread
    run: ScenarioRun
    waiting: tuple[Call, ...]

    @property
    def sentence(self) -> str:
        """The violation as a sentence."""
        stopped = next((each.call for each in reversed(self.run.threads[self.stop.thread - 1])), None)
        inside = "" if stopped is None else f" in {stopped}"
        kept = " and ".join(map(str, self.waiting))
        name = "not obstruction-free" if len(self.run.threads) <= 2 else "not lock-free"
        return (
            f"{name}: if thread {self.stop.thread} stops{inside}, {kept} never finish{'es' * (len(self.waiting) == 1)}"
        )


def blocked_failure(stopped: StoppedScenario, histories: Sequence[ScenarioHistory]) -> Failure | None:
    """The failure that one of these runs shows: operations of other threads cannot finish."""
    for history in histories:
        run = scenario_run_of(stopped.scenario, history, history.orders[0])
        waiting = tuple(_waiting(run, stopped.stop.thread))
        if waiting:
            blocked = BlockedRun(stopped.stop, run, waiting)
            return Failure(
                PROGRESS, stopped, tuple(history.schedule), history.preemptions, blocked, message=blocked.sentence
            )
    return None


def _waiting(run: ScenarioRun, stopped: int) -> Iterator[Call]:
    """The unfinished operations of the other threads."""
    for number, thread in enumerate(run.threads, 1):
        if number != stopped:
            yield from (each.call for each in thread if each.returned is None)
