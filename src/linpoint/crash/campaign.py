# SPDX-License-Identifier: Apache-2.0
"""A whole test of a persistent object: a workload is found and traced, crashed in many ways, and what does not survive is
told with its cause and the smallest workload that shows it.

Guarantee: a violation was confirmed in a process of its own and by the general checker. HOLDS says that no crash that was
tested is a violation, and the result says which were; it is UNKNOWN where nothing could be tested or trusted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from linpoint.crash.crash_host import CrashReply
from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.crash_run import CrashRun, CrashRunner
from linpoint.crash.minimising import smallest
from linpoint.crash.replaying import content_of
from linpoint.crash.root_causes import RootCause, group_by_cause
from linpoint.crash.store_places import StorePlaces
from linpoint.crash.workload_generation import generate_workload
from linpoint.histories.values import counted
from linpoint.hosts.crash_messages import NeedlessFlush
from linpoint.scenarios.scenario import Call
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest
from linpoint.subjects.persistent_object.crash_free_failures import finding_without_crash
from linpoint.subjects.persistent_object.finding_builder import CrashFindingBuilder
from linpoint.verdicts.durability import CrashFinding, CrashResult, CrashTested, Needless
from linpoint.verdicts.program import Answer

_FINDING_WORKLOAD: Final = 0.3
"""Of the time, at most: it is seldom needed, and whoever runs out of it gets another workload than others."""
_TESTING: Final = 0.7
"""Of the time that is left then; what remains is for making findings small."""
_ONE_TRACE: Final = 10.0
_AT_LEAST: Final = 0.2
_MOST_FINDINGS: Final = 40
"""Of more causes only the number is told."""
_SHORT: Final = 12
"""Workloads of so many operations are told as they are."""
_MOST_ADVICE: Final = 20
_SHARES: Final = ((("dl1", "dl2", "c2"), 4), (("dl3",), 3), (("recovery",), 1), (("exhaustive",), 4))
"""Kinds of tests that run together, and how the time is shared between them. What one does not need, the next one gets."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a campaign is."""

    what: str
    tests: int = 0
    rate: float = 0.0


Watcher = Callable[[Progress], None]


@dataclass(slots=True)
class Campaign:
    """One test, from its beginning to its end."""

    test: BuiltCrashTest
    seconds: float
    watch: Watcher = lambda _: None
    started: float = field(default_factory=time.monotonic)
    runs: list[CrashRun] = field(default_factory=list)
    tests: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False
    given_up: str = ""
    _runner: CrashRunner | None = None
    _testing: float = 0.0
    _peak: int = 0

    @property
    def deadline(self) -> float:
        """When all must be said."""
        return self.started + self.seconds

    @property
    def runner(self) -> CrashRunner:
        """Runs plans."""
        if self._runner is None:
            test = self.test
            self._runner = CrashRunner(test.host, test.spec, test.asked.judged_by, test.test.types, self._reached)
        return self._runner

    def result(self) -> CrashResult:
        """Do all of it. Ctrl-C ends it with what is known."""
        unseen = self.test.target.contents.unseen
        if unseen:
            why = f"inline assembly is out of sight, so that no crash could be trusted: {unseen[0]}"
            return self.answer(Answer.UNKNOWN, why, None, [])
        try:
            plan = self._plan()
            first = self.runner.trace(plan, max(_AT_LEAST, min(_ONE_TRACE, self.left())))
        except KeyboardInterrupt:
            self.interrupted = True
            return self.answer(Answer.UNKNOWN, "it was interrupted before any crash was tested", None, [])
        self._note(first.heard)
        if not first.sound:
            return self._without_crash(first)
        self._test(first)
        causes = group_by_cause((run, self.places(run)) for run in self.runs)
        findings = self._findings(causes)
        if findings:
            return self.answer(Answer.VIOLATION, f"a crash shows it{self._untold(causes)}", first, findings)
        return self._passed(first)

    def left(self) -> float:
        """Seconds."""
        return self.deadline - time.monotonic()

    def _plan(self) -> CrashPlan:
        """The workload that was given, or a generated one that covers much."""
        given = self.test.given()
        if given is not None:
            return self.test.plan(*given)
        self.watch(Progress("finding a workload"))
        until = time.monotonic() + _FINDING_WORKLOAD * max(0.0, self.left())

        def edges(calls: Sequence[Call]) -> int:
            seconds = max(_AT_LEAST, min(_ONE_TRACE, until - time.monotonic()))
            heard = self.test.host.trace(CrashPlan(self.test.name, tuple(calls)), seconds)
            self._note(heard)
            if heard.interrupted:
                raise KeyboardInterrupt
            return heard.traced.edges if heard.traced is not None and heard.traced.ended == "complete" else -1

        asked = self.test.asked
        calls = generate_workload(
            self.test.vocabulary, asked.length, asked.seed or 0, edges, enough=lambda: time.monotonic() >= until
        )
        # Who gives the workload says what is to run side by side.
        return self.test.plan(calls, reads=True)

    def _note(self, heard: CrashReply) -> None:
        self._peak = max(self._peak, heard.peak_memory_bytes)
        self.interrupted = self.interrupted or heard.interrupted

    def _test(self, first: CrashRun) -> None:
        """Crash tests of all kinds that were asked for."""
        phases = [([kind for kind in kinds if kind in self.test.asked.kinds], share) for kinds, share in _SHARES]
        phases = [(kinds, share) for kinds, share in phases if kinds]
        end = time.monotonic() + _TESTING * max(0.0, self.left())
        for at, (kinds, share) in enumerate(phases):
            whole = sum(each for _, each in phases[at:])
            seconds = max(_AT_LEAST, (end - time.monotonic()) * share / whole)
            run = self.runner.test(first.plan, kinds, seconds, known=first.oracle)
            run.modules = run.modules or first.modules
            self.add(run)
            self._judge_run(run)
            if self.interrupted or self.given_up:
                break

    def add(self, run: CrashRun) -> None:
        """Count a run among those that were made."""
        self._note(run.heard)
        self.runs.append(run)
        self._testing += run.heard.seconds
        for result in run.heard.results.values():
            self.tests.update({kind: count for kind, count in result.tests.items() if count})

    def _judge_run(self, run: CrashRun) -> None:
        """What keeps a run from being trusted."""
        refused = [each for each in run.heard.results.values() if each.ended in ("refused", "error")]
        if run.differs:
            self.given_up = (
                "the workload gives other results when it runs again: it depends on something that is not under control"
            )
        elif refused:
            self.given_up = refused[0].reason or "the host gives no reason"
        elif run.heard.died:
            self.given_up = run.heard.died

    def _reached(self, tests: int) -> None:
        done = sum(self.tests.values()) + tests
        seconds = time.monotonic() - self.started
        self.watch(Progress("testing crashes", done, done / seconds if seconds > 0 else 0.0))

    def places(self, run: CrashRun) -> StorePlaces:
        """The lines of the code of a run."""
        return run.places(self.test.target.library, self.test.sources)

    def _findings(self, causes: Sequence[RootCause]) -> list[CrashFinding]:
        """The findings, made small one after the other."""
        found = []
        for at, cause in enumerate(causes[:_MOST_FINDINGS]):
            self.watch(Progress(f"making finding {at + 1} of {len(causes)} small", sum(self.tests.values())))
            shown, run, minimal = cause.shown, cause.run, False
            left = max(0.0, self.left()) / (min(len(causes), _MOST_FINDINGS) - at)
            if not self.interrupted:
                try:
                    others = [code for other in causes if other is not cause for code in other.codes]
                    small = smallest(cause, self.test, self.runner, time.monotonic() + left, others)
                    shown, run, minimal = small.shown, small.run, small.minimal
                except KeyboardInterrupt:
                    self.interrupted = True
            assert run.oracle is not None
            replay = content_of(self.test, run.plan, shown)
            telling = CrashFindingBuilder(run.oracle, self.places(run))
            found.append(
                telling.finding(shown, classes=cause.classes, count=cause.count, minimal=minimal, replay=replay)
            )
        return found

    def _untold(self, causes: Sequence[RootCause]) -> str:
        """Of more causes than anybody reads."""
        left = causes[_MOST_FINDINGS:]
        return f"; {counted(len(left), 'more cause')} for which there is no room" if left else ""

    def _without_crash(self, first: CrashRun) -> CrashResult:
        """The workload itself goes wrong, so that no crash is tested."""
        if first.heard.interrupted:
            return self.answer(Answer.UNKNOWN, "it was interrupted before any crash was tested", None, [])
        finding, why = finding_without_crash(first, self.test, self.runner, self.places(first), self.deadline)
        if finding is None:
            return self.answer(Answer.UNKNOWN, why, first, [])
        return self.answer(Answer.VIOLATION, "it goes wrong without any crash", first, [finding])

    def _passed(self, first: CrashRun) -> CrashResult:
        """No violation was found: what that is worth."""
        unconfirmed = sum(not each.confirmed for run in self.runs for _, each in run.heard.violations)
        if self.given_up:
            return self.answer(Answer.UNKNOWN, self.given_up, first, [])
        if unconfirmed:
            states = counted(unconfirmed, "crash state")
            why = f"{states} looked wrong and did not in a process of its own: the target keeps something between runs"
            return self.answer(Answer.UNKNOWN, why, first, [])
        undecided = sum(run.oracle.undecided for run in self.runs[:1] if run.oracle is not None)
        if undecided:
            return self.answer(Answer.UNKNOWN, f"{counted(undecided, 'crash')} could not be judged", first, [])
        if not sum(self.tests.values()):
            end = "it was interrupted" if self.interrupted else "the budget ended"
            return self.answer(Answer.UNKNOWN, f"{end} before any crash was tested", first, [])
        return self.answer(Answer.HOLDS, self._why_it_holds(), first, [])

    def _why_it_holds(self) -> str:
        if self._complete("exhaustive"):
            return "every crash state of the workload is survived"
        whole = all(each.ended == "complete" for run in self.runs for each in run.heard.results.values())
        if self.interrupted or not whole:
            end = "it was interrupted" if self.interrupted else "the budget ended"
            return f"every crash that was tested is survived; {end} before all were"
        return "every crash that was tested is survived"

    def _complete(self, kind: str) -> bool:
        results = [result for run in self.runs if kind in run.kinds for result in run.heard.results.values()]
        asked = kind in self.test.asked.kinds and not self.interrupted
        return asked and bool(results) and all(each.exhaustive and each.ended == "complete" for each in results)

    def answer(self, answer: Answer, why: str, first: CrashRun | None, findings: Sequence[CrashFinding]) -> CrashResult:
        """The result; ``first`` is the workload without a crash."""
        asked, results = self.test.asked, [each for run in self.runs for each in run.heard.results.values()]
        traced = None if first is None else first.traced
        plan = None if first is None else first.plan
        qualified = dict.fromkeys(each.rstrip(".") for result in results for each in result.qualified)
        for path in self.test.target.contents.unhooked:
            qualified[f"{Path(path).name} is not instrumented: compile its sources together with the test"] = None
        tested = CrashTested(
            operations=0 if plan is None else len(plan.workload) + len(plan.beside),
            tests=dict(self.tests),
            schedules=sum(each.schedules for each in results),
            infeasible=sum(each.infeasible for each in results),
            duplicates=sum(each.duplicates for each in results),
            retests=sum(each.retests for each in results),
            judgements=0 if first is None or first.oracle is None else first.oracle.asked,
            stores=0 if traced is None else traced.stores,
            flushes=0 if traced is None else traced.flushes,
            fences=0 if traced is None else traced.fences,
            allocations=0 if traced is None else traced.allocations,
            points={}
            if traced is None
            else {
                name: getattr(traced.points, name) for name in ("stores", "atomic", "guarded", "publishing", "fresh")
            },
            edges=0 if traced is None else traced.edges,
            probes=0 if plan is None else len(plan.probes),
            seconds=time.monotonic() - self.started,
            testing_seconds=self._testing,
            peak_memory_bytes=self._peak,
        )
        bounds: dict[str, Any] = {"kinds": list(asked.kinds), "persistency": asked.persistency or "adr"}
        bounds |= {"points_only": True} if asked.points_only else {}
        bounds |= {} if plan is None or len(plan.workload) > _SHORT else {"workload": list(map(str, plan.workload))}
        return CrashResult(
            self.test.name,
            answer,
            answer is Answer.HOLDS and self._complete("exhaustive"),
            why,
            tuple(findings),
            tested,
            asked.spec or "",
            asked.judged_by,
            bounds,
            tuple(self._advice()),
            tuple(qualified),
            self.test.file,
            self.interrupted,
        )

    def _advice(self) -> list[Needless]:
        """Flushes and fences that change nothing, by their lines; those of one run stand for all."""
        told: dict[tuple[str, str], Needless] = {}
        for run in self.runs[:1]:
            places = self.places(run)
            advised: list[NeedlessFlush] = [each for result in run.heard.results.values() for each in result.advice]
            places.look_up(each.place for each in advised)
            for each in advised:
                place = places.of(each.place)
                if place is not None:
                    key = each.kind, f"{place.file}:{place.line}"
                    before = told.get(key)
                    # Every shard has the whole trace: the counts are the same.
                    count = max(each.count, before.count if before is not None else 0)
                    told[key] = Needless(each.kind, place, count)
        return sorted(told.values(), key=lambda each: -each.count)[:_MOST_ADVICE]
