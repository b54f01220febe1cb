# SPDX-License-Identifier: Apache-2.0
"""Applies the exact deciders (precedence graphs, monitors, eras) to each independent object of a history."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from linpoint.checkers import buffered_decider, eras_decider, monitor_decider, precedence_decider
from linpoint.checkers._native_search import StopToken
from linpoint.checkers.conditions import BUFFERED
from linpoint.checkers.exact_decision import ExactDecision
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.executors.thread_executor import Task, resident_memory
from linpoint.histories.values import Value
from linpoint.limits.budget import Budget

if TYPE_CHECKING:
    from linpoint.checkers.part_search import HistoryPart

_OBJECTS_PER_TASK: Final = 64
"""Objects that one task decides; a single object takes microseconds."""
_BYTES_PER_OPERATION: Final = {"monitor": 250, "graph": 300, "eras": 100}
"""Maximum bytes per operation that each exact decider needs."""
EXACT_DECIDERS: Final = tuple(_BYTES_PER_OPERATION)


@dataclass(eq=False, slots=True)
class KeyedObject:
    """One independent object: the exact decisions about it, and the parts of it that are searched if none applies."""

    key: Value
    positions: Sequence[int]
    decisions: list[ExactDecision] = field(default_factory=list)
    """The answers of the exact deciders in the order of the attempts; only the last one can be decisive."""
    last_decider: str = "monitor"
    """The decider that was tried last, whether or not it answered."""
    parts: list[HistoryPart] = field(default_factory=list)

    @property
    def decision(self) -> ExactDecision | None:
        """The exact decision, if one was reached."""
        return self.decisions[-1] if self.decisions and self.decisions[-1].decided else None


class ExactDeciders:
    """Tries the exact deciders on all objects, where the selected checker allows it."""

    def __init__(
        self,
        reading: HistoryInterpretation,
        objects: Sequence[KeyedObject],
        checker: str,
        stop: StopToken,
        budget: Budget,
        *,
        threads: int = 1,
        paper: bool = False,
    ) -> None:
        self._reading = reading
        self._objects = objects
        self._checker = checker
        self._stop = stop
        self._budget = budget
        self._threads = max(1, threads // max(1, len(objects)))  # per object
        self._paper = paper
        self.refuted: float | None = None
        """The time at which the first violation was found, on the clock of ``time.perf_counter``."""

    def tasks(self) -> list[Task]:
        """The tasks that try the deciders."""
        if self._checker in EXACT_DECIDERS:
            return self._tasks([self._checker], report_exclusion=True)
        if self._checker != "auto":
            return []
        if self._reading.condition == BUFFERED:
            return self._tasks(["monitor", "eras"], report_exclusion=False)
        if precedence_decider.select_memory(self._reading):
            return self._tasks(["graph", "monitor"], report_exclusion=self._reading.spec.name == "mwcas")
        return self._tasks(["monitor"], report_exclusion=False)

    def _tasks(self, names: list[str], *, report_exclusion: bool) -> list[Task]:
        """The tasks for some deciders. With ``report_exclusion``, what excludes the whole history becomes an answer."""
        usable = []
        for name in names:
            why = self._exclusion_reason(name)
            if why is None:
                usable.append(name)
            elif report_exclusion and name == names[0]:
                for each in self._objects:
                    each.decisions.append(ExactDecision(name, why))
        if not usable:
            return []
        chunks = range(0, len(self._objects), _OBJECTS_PER_TASK)
        return [functools.partial(self._try_all, usable, self._objects[at : at + _OBJECTS_PER_TASK]) for at in chunks]

    def _exclusion_reason(self, name: str) -> str | None:
        if name == "graph":
            return precedence_decider.exclusion_reason(self._reading)
        if name == "eras":
            return eras_decider.exclusion_reason(self._reading)
        if self._reading.condition == BUFFERED:
            return buffered_decider.exclusion_reason(self._reading)
        return monitor_decider.exclusion_reason(self._reading)

    def _try_all(self, names: Sequence[str], objects: Sequence[KeyedObject]) -> Iterable[Task]:
        for each in objects:
            for name in names:
                each.last_decider = name
                decision = self._decide(name, each)
                if decision is None:  # stopped
                    return ()
                each.decisions.append(decision)
                if decision.decided:
                    break
            if each.decision is not None and each.decision.refutation is not None and self.refuted is None:
                self.refuted = time.perf_counter()
        return ()

    def _decide(self, name: str, keyed: KeyedObject) -> ExactDecision | None:
        most = self._budget.max_memory
        if most is not None and resident_memory() + _BYTES_PER_OPERATION[name] * len(keyed.positions) > most:
            return ExactDecision(name, "the memory limit does not suffice")
        if name == "graph":
            decide = precedence_decider.by_the_paper if self._paper else precedence_decider.decide_by_precedence
            left = self._budget.remaining()
            return decide(self._reading, keyed.positions, self._stop, threads=self._threads, seconds=left)
        if name == "eras":
            return eras_decider.decide_by_eras(self._reading, keyed.positions, self._stop)
        decide_monitored = (
            buffered_decider.decide_eras if self._reading.condition == BUFFERED else monitor_decider.decide_by_monitor
        )
        return decide_monitored(self._reading, keyed.positions, self._stop, self._budget.remaining())
