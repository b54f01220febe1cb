# SPDX-License-Identifier: Apache-2.0
"""The runs of a stress test: made, watched and checked one after another, several at once if asked.

Guarantee: a run counts only once it is decided. One that hangs ends the campaign, unless the spec lets it wait; its
workers are left behind, and the next run has others. The switch interval is put back whatever happens.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final, Self

from linpoint.errors import UsageError
from linpoint.executors.thread_executor import peak_memory, resident_memory
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.judging.stress_judge import StressJudge, StressOutcome
from linpoint.record.log_assembly import history_of
from linpoint.record.result import StressResult, has_interpreter_lock
from linpoint.record.stress_workload import Program, StressPlan, StressWorkload
from linpoint.record.thread_pool import FreshObject, PoolJob, ThreadPool
from linpoint.specs.spec import Spec
from linpoint.verdicts import Budget
from linpoint.verdicts.hung_thread import HungThread

if TYPE_CHECKING:
    from linpoint.scenarios import ConcurrentTestDefinition

_INTERVALS: Final = (1e-6, 1e-6, 1e-5, 1e-4)
_PAUSING: Final = (0.0, 0.0, 0.02, 0.2)
"""What an erratic run draws its switch interval and its share of pauses from: which of them finds a bug depends on it."""
_MAX_PAUSE_S: Final = 2e-5
_REMAINING_RUNS_FACTOR: Final = 2
"""So many times the longest run so far must fit into the rest of the budget for another one to begin."""


class StressSession:
    """The runs of one stress test and what is known of them."""

    def __init__(
        self,
        definition: ConcurrentTestDefinition,
        spec: Spec,
        workload: StressWorkload,
        budget: Budget,
        *,
        instances: int,
        erratic: bool,
        patience: float,
    ) -> None:
        self._definition, self._spec, self._workload, self._budget = definition, spec, workload, budget
        self._decider = StressJudge(spec, budget, patience)
        self._instances, self._erratic, self._patience = instances, erratic, patience
        self._threads = workload.most_threads
        self._interval = sys.getswitchinterval()
        self._crew: ThreadPool | None = None
        self._started = time.monotonic()
        self._longest = 0.0

    @property
    def runs(self) -> int:
        """Runs that were decided."""
        return self._decider.runs

    @property
    def operations(self) -> int:
        """All their operations."""
        return self._decider.operations

    @property
    def finding(self) -> StressOutcome | None:
        """What is certain, whatever happens now."""
        return self._decider.finding

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        sys.setswitchinterval(self._interval)
        if self._crew is not None:
            self._crew.close()

    def over(self) -> str | None:
        """Why no other run is to begin, if so."""
        remaining = self._budget.remaining()
        if remaining is not None and remaining <= (_REMAINING_RUNS_FACTOR * self._longest if self.runs else 0):
            return "stopped with the budget"
        if self._budget.max_memory is not None and resident_memory() > self._budget.max_memory:
            return "stopped at the limit of memory"
        return None

    def round(self, instances: int) -> StressOutcome | None:
        """So many runs at once, each on a fresh object of its own; what is wrong with the first that is wrong."""
        began = time.monotonic()
        numbers = range(self.runs, self.runs + instances)
        crew = self._crew = self._crew or ThreadPool(
            self._instances * self._threads, expected=self._workload.most_operations, precise=self._erratic
        )
        if self._erratic:
            sys.setswitchinterval(self._workload.rng(self.runs, "interval").choice(_INTERVALS))
        hanging = self._perform(crew, numbers)
        sys.setswitchinterval(self._interval)
        histories = [self._history(crew, at) for at in range(instances)]
        stuck = self._stuck(crew, hanging, histories) if hanging else {}
        if hanging:
            crew.close()
            self._crew = None
        else:
            for log in crew.logs:
                log.clear()
        finding = None
        for at, history in enumerate(histories):
            finding = self._decider.decide(history, numbers[at], stuck.get(at, ()))
            if finding is not None:
                break
        self._longest = max(self._longest, time.monotonic() - began)
        return finding

    def result(self, finding: StressOutcome, seed: int) -> StressResult:
        """The answer, with what was covered."""
        elapsed = time.monotonic() - self._started
        statistics = {
            "seconds": round(elapsed, 6),
            "peak_memory_bytes": peak_memory(),
            **self._decider.statistics(),
            "threads": self._threads,
            "instances": self._instances,
            "seed": seed,
            "erratic": self._erratic,
            "switch_interval": self._interval,
            "gil": has_interpreter_lock(),
        }
        return StressResult(
            finding.status,
            self._definition.name,
            self._spec.name,
            self.runs,
            self.operations,
            elapsed,
            finding.why,
            finding.kind,
            finding.verdict,
            finding.history,
            finding.stuck,
            statistics,
            tuple(self._decider.warnings()),
        )

    def _perform(self, crew: ThreadPool, numbers: range) -> frozenset[int]:
        """Let the workers do these runs, each on a fresh object; those that hang."""
        plans = [self._workload.plan(number) for number in numbers]
        subjects = [FreshObject(self._definition.setup) for _ in plans]
        hanging: frozenset[int] = frozenset()
        for phase in (_before, _together, _after):
            jobs = {
                at * self._threads + thread: PoolJob(
                    subject, program, self._pauses(number, thread, program), thread == 0
                )
                for at, (number, plan, subject) in enumerate(zip(numbers, plans, subjects, strict=True))
                for thread, program in enumerate(phase(plan))
                if program or (thread == 0 and phase is _together)  # who makes the object, if nobody did
            }
            hanging = crew.run(jobs, patience=self._patience, deadline=self._budget.deadline)
            if hanging:
                break
        self._raise_for(subjects)
        return hanging

    def _raise_for(self, subjects: list[FreshObject]) -> None:
        error = next((each.error for each in subjects if each.error is not None), None)
        if error is not None:
            raise UsageError(
                "LP-U009",
                f"the setup of {self._definition.name} raised {type(error).__name__}: {error}.",
                remedy="It makes a fresh object for each run, without arguments.",
            ) from error

    def _pauses(self, run: int, thread: int, program: Program) -> list[float] | None:
        if not self._erratic:
            return None
        share = self._workload.rng(run, "pauses").choice(_PAUSING)
        if not share:
            return None
        rng = self._workload.rng(run, f"pauses of {thread}")
        return [rng.random() * _MAX_PAUSE_S if rng.random() < share else 0.0 for _ in program]

    def _history(self, crew: ThreadPool, at: int) -> History:
        first = at * self._threads
        logs = list(enumerate(crew.logs[first : first + self._threads]))
        return history_of(logs, self._workload.labels, source=self._definition.name)

    def _stuck(
        self, crew: ThreadPool, hanging: frozenset[int], histories: list[History]
    ) -> dict[int, tuple[HungThread, ...]]:
        """The threads that hang, by the run that they belong to."""
        found: dict[int, list[HungThread]] = {}
        for worker, (stack, running) in crew.stuck(hanging).items():
            at, process = divmod(worker, self._threads)
            last = next((op for op in reversed(histories[at]) if op.process == process), None)
            inside = str(last) if last is not None and last.outcome is Outcome.UNKNOWN else None
            found.setdefault(at, []).append(HungThread(process, inside, stack, running))
        # Who is nowhere waits for the others; but a run that hangs never goes without anybody who does.
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
