# SPDX-License-Identifier: Apache-2.0
"""One run of hosts over a plan, with an oracle that answers their questions.

Guarantee: crashes are judged only after the workload was found to satisfy the spec. A workload whose results differ
from those before ends the run.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from linpoint.crash.crash_host import CrashHost, CrashReply, CrashTesting
from linpoint.crash.crash_oracle import CrashOracle
from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.store_places import StorePlaces
from linpoint.histories.values import canonical, freeze
from linpoint.hosts.crash_messages import CrashViolation, WorkloadTraced
from linpoint.hosts.search_messages import CodeModule
from linpoint.scenarios.cpp_test_description import OperationDescription
from linpoint.specs.spec import Spec
from linpoint.verdicts import Status, Verdict


@dataclass(slots=True)
class CrashRun:
    """One run and its results."""

    plan: CrashPlan
    kinds: tuple[str, ...] = ()
    """The kinds of its crash tests."""
    reply: CrashReply = field(default_factory=CrashReply)
    oracle: CrashOracle | None = None
    wrong: Verdict | None = None
    """The verdict on the workload without a crash, if it violates the spec."""
    differs: bool = False
    """Whether the workload gave different results than before."""
    wanted: CrashViolation | None = None
    modules: list[CodeModule] = field(default_factory=list)

    @property
    def traced(self) -> WorkloadTraced | None:
        """The report on the workload without a crash."""
        return self.reply.traced

    @property
    def sound(self) -> bool:
        """Whether the workload finished and satisfied the spec."""
        return self.oracle is not None and self.wrong is None and not self.differs

    def places(self, library: Path, sources: Sequence[str] = ()) -> StorePlaces:
        """The source lines of its code."""
        named = [each.modules for each in self.reply.results.values() if each.modules]
        modules = named[0] if named else self.traced.modules if self.traced is not None else []
        return StorePlaces(library, modules or self.modules, sources)


@dataclass(frozen=True, slots=True)
class CrashRunner:
    """Runs plans of one test."""

    host: CrashHost
    spec: Spec
    condition: str
    types: dict[str, OperationDescription]

    def trace(self, plan: CrashPlan, seconds: float) -> CrashRun:
        """Run the workload without a crash."""
        run = CrashRun(plan)
        run.reply = self.host.trace(plan, seconds)
        if run.traced is not None:
            self.begin(run, run.traced)
        return run

    def test(
        self,
        plan: CrashPlan,
        kinds: Sequence[str],
        seconds: float,
        *,
        known: CrashOracle | None = None,
        workers: int = 0,
    ) -> CrashTestEvents:
        """Run crash tests of these kinds. ``known`` is an oracle of the same plan; 0 workers stands for the default."""
        run = CrashRun(plan, tuple(kinds), oracle=known)
        expected = b"" if known is None else known.expected_results(plan.probe_numbers)
        return CrashTestEvents(self, run, self.host.test(plan, kinds, seconds, workers=workers, expected=expected))

    def state(self, plan: CrashPlan, state: str, seconds: float) -> CrashTestEvents:
        """Test one crash state again."""
        return CrashTestEvents(self, CrashRun(plan), self.host.state(plan, state, seconds))

    def begin(self, run: CrashRun, traced: WorkloadTraced) -> None:
        """Judge the workload without a crash."""
        run.modules = traced.modules
        if traced.ended != "complete":
            return
        calls, results = run.plan.calls, [each[0] for each in traced.results]
        oracle = CrashOracle(self.spec, calls, results, types=self.types, condition=self.condition)
        verdict = oracle.before_any_crash()
        run.oracle, run.wrong = oracle, verdict if verdict.status is Status.VIOLATION else None


class CrashTestEvents:
    """Running crash tests. Iterate over violations and numbers of tests; leaving the iteration stops the hosts."""

    def __init__(self, runner: CrashRunner, run: CrashRun, testing: CrashTesting) -> None:
        self.run = run
        self._runner, self._testing = runner, testing
        run.reply = testing.reply

    def __iter__(self) -> Generator[CrashViolation | int, None, None]:
        """Answer the questions of the hosts until they end, or until the workload turns out to be wrong."""
        run, testing = self.run, self._testing
        with testing:
            for host, message in testing:
                if message.question is not None:
                    if run.oracle is None:
                        break
                    try:
                        allowed = run.oracle.allows(message.question)
                    except msgspec.MsgspecError as error:
                        testing.reject(host, error)
                    else:
                        testing.answer(host, allowed=allowed)
                elif message.violation is not None:
                    yield message.violation
                elif message.traced is not None:
                    self._check_trace(message.traced)
                    if not run.sound:
                        break
                elif message.progress is not None or message.result is not None:
                    yield run.reply.reached

    def finish(self) -> CrashRun:
        """Run all tests and return the run."""
        for _ in self:
            pass
        return self.run

    def _check_trace(self, traced: WorkloadTraced) -> None:
        run = self.run
        if run.oracle is None:
            self._runner.begin(run, traced)
        elif traced.ended != "complete" or not _alike(run.oracle.results, traced):
            run.differs = True


def _alike(results: Sequence[Any], traced: WorkloadTraced) -> bool:
    return canonical([freeze(each[0]) if each else None for each in traced.results]) == canonical(list(results))
