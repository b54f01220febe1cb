# SPDX-License-Identifier: Apache-2.0
"""A Python object on real threads: random operations or scenarios, with each run recorded and checked.

Guarantee: a run that hangs ends the campaign, unless the spec allows it to block; its workers are abandoned, and the
next run starts new ones. The switch interval is always restored.
Cost: a run of a few hundred operations takes about a millisecond, and its check as long again. Checks alternate with
runs: in the background they would take the interpreter lock from the threads that should interfere with each other.
Source: Lowe, *Testing for Linearizability*: workers on one datatype, a log, a decision, repeat. Of the paper's open
questions this implements several concurrent tests (``instances``) and erratic scheduling (``erratic``).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from linpoint.errors import UsageError
from linpoint.executors.thread_executor import resident_memory
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.judging.stress_judge import StressOutcome
from linpoint.record.interpreter_lock import has_interpreter_lock
from linpoint.record.log_assembly import history_of
from linpoint.record.stress_workload import Program, StressPlan, StressWorkload
from linpoint.record.thread_pool import FreshObject, PoolJob, ThreadPool
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.specs.class_as_spec import sequential_calls
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find
from linpoint.subjects.interface import Failure, Progress, Reproduction
from linpoint.subjects.stress.stress_session import StressSession
from linpoint.verdicts.evidence import HungThread

if TYPE_CHECKING:
    from linpoint.scenarios import Scenario

_SWITCH_INTERVALS_S: Final = (1e-6, 1e-6, 1e-5, 1e-4)
_PAUSE_SHARES: Final = (0.0, 0.0, 0.02, 0.2)
"""The shares of pauses from which an erratic run draws, since different bugs need different shares."""
_MAX_PAUSE_S: Final = 2e-5
_REMAINING_RUNS_FACTOR: Final = 2
"""Another run starts only if the rest of the budget exceeds the longest run so far by this factor."""


def spec_of_test(definition: ConcurrentTestDefinition) -> Spec:
    """The spec of a test; by default the object itself, called on one thread and copied between operations."""
    if definition.spec is not None:
        return find(definition.spec)
    calls = {name: (each.call, each.parameters) for name, each in definition.operations.items()}
    return sequential_calls(definition.setup, calls, name=f"{definition.name}, one operation at a time")


@dataclass(frozen=True, slots=True)
class PythonStressSubject:
    """A Python object, its spec, and the options of its threads."""

    definition: ConcurrentTestDefinition
    spec: Spec
    scenarios: tuple[Scenario, ...] | None = None
    threads: int = 4
    operations: int = 50
    iterations: int | None = None
    seed: int = 0
    instances: int = 1
    erratic: bool = False
    patience: float = 5.0
    max_memory: int | None = None

    def __post_init__(self) -> None:
        for name in ("threads", "operations", "instances", "iterations"):
            number = getattr(self, name)
            if number is not None and (type(number) is not int or number < 1):
                raise UsageError("LP-U001", f"{number!r} is not a number of {name}.", remedy="Use 1 or more.")

    @contextmanager
    def open(self, seconds: float, progress: Progress) -> Iterator[PythonStressSession]:
        """Open a session with its own threads."""
        session = PythonStressSession(self, seconds, progress)
        try:
            yield session
        finally:
            session.close()


class PythonStressSession(StressSession):
    """The rounds of one Python object."""

    def __init__(self, subject: PythonStressSubject, seconds: float, progress: Progress) -> None:
        super().__init__(
            subject.definition.name,
            subject.spec,
            seconds,
            progress,
            max_memory=subject.max_memory,
            patience=subject.patience,
        )
        self.subject = subject
        self._workload = StressWorkload(
            subject.definition,
            subject.spec,
            subject.scenarios,
            threads=subject.threads,
            operations=subject.operations,
            seed=subject.seed,
        )
        self._threads = self._workload.most_threads
        self._interval = sys.getswitchinterval()
        self._pool: ThreadPool | None = None
        self._longest_s = 0.0

    def close(self) -> None:
        """Restore the switch interval and end the threads."""
        sys.setswitchinterval(self._interval)
        if self._pool is not None:
            self._pool.close()

    def outcomes(self) -> Iterator[StressOutcome]:
        """Execute rounds of ``instances`` concurrent runs, each on a fresh object, and judge the runs in order."""
        instances, iterations = self.subject.instances, self.subject.iterations
        while not (stopped := self._stop_reason()):
            left = instances if iterations is None else iterations - self.judge.runs
            yield from self._round(min(instances, left))
            self.report_progress()
        self.stopped = stopped

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Check the history of the run again, and report progress."""
        reproduction = super().reproduce(failure, record=record)
        self.report_progress()
        return reproduction

    def statistics(self, elapsed_s: float) -> dict[str, Any]:
        """The counts and settings, as in the JSON contract."""
        return {
            **self.judge.statistics(),
            "threads": self._threads,
            "instances": self.subject.instances,
            "seed": self.subject.seed,
            "erratic": self.subject.erratic,
            "switch_interval": self._interval,
            "gil": has_interpreter_lock(),
        }

    def _stop_reason(self) -> str:
        """The reason to start no further round; empty if there is none."""
        iterations, runs = self.subject.iterations, self.judge.runs
        if iterations is not None and runs >= iterations:
            return "all requested runs are done"
        remaining = self.budget.remaining()
        if remaining is not None and remaining <= (_REMAINING_RUNS_FACTOR * self._longest_s if runs else 0):
            return "the budget ended"
        if self.budget.max_memory is not None and resident_memory() > self.budget.max_memory:
            return "the memory budget ran out"
        return ""

    def _round(self, instances: int) -> Iterator[StressOutcome]:
        """Execute several runs concurrently, and return the wrong or undecided ones."""
        began = time.monotonic()
        first = self.judge.runs
        pool = self._pool = self._pool or ThreadPool(
            self.subject.instances * self._threads,
            expected=self._workload.most_operations,
            precise=self.subject.erratic,
        )
        if self.subject.erratic:
            sys.setswitchinterval(self._workload.rng(first, "interval").choice(_SWITCH_INTERVALS_S))
        hanging = self._perform(pool, range(first, first + instances))
        sys.setswitchinterval(self._interval)
        histories = [self._history(pool, at) for at in range(instances)]
        stuck = self._stuck(pool, hanging, histories) if hanging else {}
        if hanging:
            pool.close()
            self._pool = None
        else:
            for log in pool.logs:
                log.clear()
        for at, history in enumerate(histories):
            outcome = self.judge.decide(history, stuck.get(at, ()))
            if outcome is not None:
                yield outcome
        self._longest_s = max(self._longest_s, time.monotonic() - began)

    def _perform(self, pool: ThreadPool, numbers: range) -> frozenset[int]:
        """Let the workers execute these runs, each on a fresh object; returns the workers that hang."""
        plans = [self._workload.plan(number) for number in numbers]
        subjects = [FreshObject(self.subject.definition.setup) for _ in plans]
        hanging: frozenset[int] = frozenset()
        for phase in (_before, _together, _after):
            jobs = {
                at * self._threads + thread: PoolJob(
                    subject, program, self._pauses(number, thread, program), thread == 0
                )
                for at, (number, plan, subject) in enumerate(zip(numbers, plans, subjects, strict=True))
                for thread, program in enumerate(phase(plan))
                if program or (thread == 0 and phase is _together)  # a worker must construct the object
            }
            hanging = pool.run(jobs, patience=self.subject.patience, deadline=self.budget.deadline)
            if hanging:
                break
        self._raise_for(subjects)
        return hanging

    def _raise_for(self, subjects: list[FreshObject]) -> None:
        error = next((each.error for each in subjects if each.error is not None), None)
        if error is not None:
            raise UsageError(
                "LP-U009",
                f"the setup of {self.name} raised {type(error).__name__}: {error}.",
                remedy="Let setup create a fresh object for each run, without arguments.",
            ) from error

    def _pauses(self, run: int, thread: int, program: Program) -> list[float] | None:
        if not self.subject.erratic:
            return None
        share = self._workload.rng(run, "pauses").choice(_PAUSE_SHARES)
        if not share:
            return None
        rng = self._workload.rng(run, f"pauses of {thread}")
        return [rng.random() * _MAX_PAUSE_S if rng.random() < share else 0.0 for _ in program]

    def _history(self, pool: ThreadPool, at: int) -> History:
        first = at * self._threads
        logs = list(enumerate(pool.logs[first : first + self._threads]))
        return history_of(logs, self._workload.labels, source=self.name)

    def _stuck(
        self, pool: ThreadPool, hanging: frozenset[int], histories: list[History]
    ) -> dict[int, tuple[HungThread, ...]]:
        """The hung threads by run."""
        found: dict[int, list[HungThread]] = {}
        for worker, (stack, running) in pool.stuck(hanging).items():
            at, process = divmod(worker, self._threads)
            last = next((op for op in reversed(histories[at]) if op.process == process), None)
            inside = str(last) if last is not None and last.outcome is Outcome.UNKNOWN else None
            found.setdefault(at, []).append(HungThread(process, inside, stack, running))
        # A thread without a stack or an operation waits for the others. Keep all if no thread has either.
        return {
            at: tuple([each for each in threads if each.stack or each.operation] or threads)
            for at, threads in found.items()
        }


def _before(plan: StressPlan) -> tuple[Program, ...]:
    return (plan.before,)


def _together(plan: StressPlan) -> tuple[Program, ...]:
    return plan.threads


def _after(plan: StressPlan) -> tuple[Program, ...]:
    return (plan.after,)
