# SPDX-License-Identifier: Apache-2.0
"""An object in persistent memory: the campaign finds and traces a workload, crashes it in many states, and probes.

Guarantee: each violation was confirmed in a pristine process and by the general checker. HOLDS claims that no tested
crash is a violation, and the result counts the tests. The status is UNKNOWN if no crash was tested or a run is
unreliable.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from linpoint.crash.crash_host import CrashReply
from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.crash_run import CrashRun, CrashRunner, CrashTestEvents
from linpoint.crash.root_causes import RootCause, cause_key, group_by_cause, violation_class
from linpoint.crash.store_places import StorePlaces
from linpoint.crash.workload_generation import candidate_workloads
from linpoint.hosts.crash_messages import CrashViolation
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.scenario import Call
from linpoint.subjects.interface import (
    CampaignProgress,
    Claim,
    Failure,
    Progress,
    Reproduction,
    Search,
    SearchTask,
    Session,
)
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest
from linpoint.subjects.persistent_object.crash_coverage import CrashCoverage, why_untrusted
from linpoint.subjects.persistent_object.crash_failure import (
    DURABILITY,
    ShownCrash,
    crash_failure,
    crash_free_failure,
    crash_state_of,
    failures_of,
    with_healed,
)
from linpoint.subjects.persistent_object.crash_free_failures import crash_free_finding, unknown_ending
from linpoint.subjects.persistent_object.crash_test_phases import crash_phases
from linpoint.subjects.persistent_object.crash_token import token_content
from linpoint.subjects.persistent_object.finding_builder import CrashFindingBuilder
from linpoint.subjects.persistent_object.workload_shrinking import (
    Candidate,
    CrashFreeWorkload,
    Shrinking,
    UnchangedWorkload,
    smaller_crash_free_workloads,
    smaller_workloads,
)
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Status
from linpoint.verdicts.coverage import Coverage
from linpoint.verdicts.evidence import NeedlessInstruction
from linpoint.verdicts.finding import Finding

_GENERATION_SHARE: Final = 0.3
"""The maximum fraction of the time to find a workload. Exhausting it, which is rare, changes the workload."""
_TESTING_SHARE: Final = 0.7
"""The fraction of the remaining time for crash tests; the rest is for shrinking."""
_MAX_TRACE_S: Final = 10.0
_MIN_TRACE_S: Final = 0.2
_MAX_REPLAY_S: Final = 10.0
_MAX_ATTEMPT_S: Final = 3.0
"""The time limit for one smaller workload."""
_MAX_FINDINGS: Final = 40
"""The maximum number of findings; further causes are only counted."""
_MAX_SHOWN_WORKLOAD: Final = 12
"""The maximum length of a workload that the bounds list."""
_NO_TEST_MADE: Final = "the run was interrupted before any crash was tested"


@dataclass(frozen=True, slots=True)
class PersistentObjectSubject:
    """A built crash test."""

    test: BuiltCrashTest

    @contextmanager
    def open(self, seconds: float, progress: Progress) -> Iterator[PersistentObjectSession]:
        """Open a session of the test; each run starts hosts."""
        yield PersistentObjectSession(self.test, seconds, progress)


class PersistentObjectSession(Session):
    """The crash tests of one workload."""

    kind: ClassVar = "crash"
    collects: ClassVar = True
    repetitions: ClassVar = ()  # the host has confirmed each violation in a pristine process
    changed_warning: ClassVar = "the target has changed since the finding, so the crash state may not apply"
    shows_it: ClassVar = "a crash state fails"
    gone: ClassVar = "this crash state does not fail"

    def __init__(self, test: BuiltCrashTest, seconds: float, progress: Progress) -> None:
        super().__init__(seconds)
        self.test = test
        self.name, self.file = test.name, test.file
        self.spec_name, self.condition = test.options.spec or "", test.options.condition
        self.phases = crash_phases(test.options.kinds)
        self.tested = CrashCoverage()
        self.causes: list[RootCause] = []
        self.runner = CrashRunner(test.host, test.spec, test.options.condition, test.test.types)
        self._progress = progress
        self._given_up = ""
        self._search_until = self.deadline
        self._searched_for_others = False
        """Whether the crash state of a replay did not fail, so that other crashes of its kind were tested."""

    @property
    def search_until(self) -> float:
        """The end of the crash tests; the remaining time is for shrinking."""
        return self._search_until

    @property
    def done(self) -> bool:
        """Whether the search was given up or interrupted, or the workload fails without a crash."""
        first = self.tested.first
        return bool(self._given_up) or self.interrupted or (first is not None and not first.sound)

    # --- search

    def prepare(self) -> Iterator[Failure]:
        """Find a workload and trace it; yields a failure if it fails without a crash."""
        unseen = self.test.target.contents.unseen
        if unseen:
            self._given_up = f"inline assembly cannot be instrumented, so no crash test is reliable: {unseen[0]}"
            return
        plan = self._plan()
        first = self.runner.trace(plan, max(_MIN_TRACE_S, min(_MAX_TRACE_S, self.left)))
        self.tested.first = first
        self._note(first.reply)
        self._search_until = time.monotonic() + _TESTING_SHARE * self.left
        if not first.sound and not self.interrupted:
            failure = crash_free_failure(first)
            if failure is not None:
                yield failure

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """The violations of crash tests of some kinds."""
        first = self.tested.first
        assert first is not None
        kinds = task.search.name.split(",")
        run = self._followed(self.runner.test(first.plan, kinds, task.limits.seconds(), known=first.oracle))
        run.modules = run.modules or first.modules
        self._add(run)
        if not self._searched_for_others:
            self._given_up = why_untrusted(run)
        yield from failures_of(run)

    def distinct(self, failures: list[Failure]) -> list[Failure]:
        """One failure for each root cause, by rank."""
        if any(failure.kind != DURABILITY for failure in failures):
            return failures
        runs = {id(failure.run.run): failure.run.run for failure in failures}
        self.causes = group_by_cause((run, self._places(run)) for run in runs.values())
        return [crash_failure(cause.run, cause.shown, cause) for cause in self.causes[:_MAX_FINDINGS]]

    def smaller(self, failure: Failure, limits: SearchLimits) -> Shrinking:
        """Workloads with fewer operations."""
        cause: RootCause | None = failure.run.cause
        if cause is None:
            return (yield from smaller_crash_free_workloads(failure, failure.case.workload, limits))
        at = next(at for at, each in enumerate(self.causes) if each is cause)
        text = f"shrinking finding {at + 1} of {len(self.causes)}"
        self._progress(CampaignProgress(text=text, executions=self.tested.tests.total()))
        others = [code for other in self.causes if other is not cause for code in other.codes]
        return (yield from smaller_workloads(failure, cause, others, limits, keyed=self.test.purposes.keyed))

    def retry(self, candidate: Candidate, limits: SearchLimits) -> Failure | None:
        """The failure that a smaller workload shows."""
        if isinstance(candidate, UnchangedWorkload):
            return with_healed(candidate)
        seconds = min(_MAX_ATTEMPT_S, limits.seconds())
        if isinstance(candidate, CrashFreeWorkload):
            run = self.runner.trace(CrashPlan(self.test.name, candidate.workload), seconds)
            _stop_if_interrupted(run.reply)
            return crash_free_failure(run)
        cause = candidate.cause

        plan = replace(self.test.plan(candidate.workload, candidate.beside), healed=candidate.healed)
        run = self._followed(self.runner.test(plan, [cause.shown.kind.lower()], seconds, workers=1), cause)
        _stop_if_interrupted(run.reply)
        return None if run.wanted is None or not run.sound else crash_failure(run, run.wanted, cause)

    def shrinking_limits(self, at: int, count: int) -> SearchLimits:
        """An equal share of the remaining time for each remaining finding."""
        return SearchLimits(time.monotonic() + self.left / (count - at))

    # --- findings

    def to_token(self, failure: Failure) -> dict[str, Any]:
        """The content of a replay token."""
        shown: ShownCrash = failure.run
        return token_content(self.test, shown.run.plan, shown.violation, failure.kind)

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Crash the workload of a failure in the same state again, or run it without a crash."""
        state, seconds = crash_state_of(failure), max(_MIN_TRACE_S, min(_MAX_REPLAY_S, self.left))
        if state is None:
            run = self.runner.trace(failure.case, seconds)
        else:
            run = self._followed(self.runner.state(failure.case, state.text(), seconds))
        self.tested.first = self.tested.first or run
        self._add(run)
        if self.interrupted:
            return Reproduction(run, None)
        if not run.sound:
            return Reproduction(run, crash_free_failure(run))
        causes = group_by_cause([(run, self._places(run))])
        shown = [crash_failure(run, cause.shown, cause) for cause in causes]
        return Reproduction(run, shown[0] if shown else None, others=tuple(shown[1:]))

    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """Build the finding of a root cause, or of a workload that fails without a crash."""
        shown: ShownCrash = failure.run
        places, cause = self._places(shown.run), shown.cause
        if shown.violation is None or cause is None:
            return crash_free_finding(shown.run, failure.kind, self.test, places, minimal=minimal)
        assert shown.run.oracle is not None
        return CrashFindingBuilder(shown.run.oracle, places).finding(
            shown.violation,
            classes=cause.classes,
            count=max(1, cause.count),
            minimal=minimal,
            replay=self.to_token(failure),
        )

    # --- claims

    def shown_by(self, findings: Sequence[Finding], *, replayed: bool) -> str:
        """The reason for a violation, with the number of causes without a finding."""
        if findings[0].kind != DURABILITY:
            return "it fails without any crash"
        rest = self.causes[_MAX_FINDINGS:]
        more = f"; {count_noun(len(rest), 'more cause')} not shown" if rest else ""
        return f"{self.shows_it}{more}"

    def claim(self) -> Claim:
        """The claim that crash tests without a failure support."""
        why = self._why_unknown()
        if why:
            return Claim(Status.UNKNOWN, why)
        if self._all_states_tested():
            return Claim(Status.LINEARIZABLE, "correct after every crash state of the workload", exhaustive=True)
        end = "" if not self.interrupted and self.tested.all_ended() else f"; {self._end()} before all were tested"
        return Claim(Status.LINEARIZABLE, f"correct after every crash tested{end}")

    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The executed crash tests, with the workload if it is short."""
        options, first = self.test.options, self.tested.first
        bounds: dict[str, Any] = {"kinds": list(options.kinds), "persistency": options.persistency}
        if options.points_only:
            bounds["points_only"] = True
        if first is not None and len(first.plan.workload) <= _MAX_SHOWN_WORKLOAD:
            bounds["workload"] = list(map(str, first.plan.workload))
        return self.tested.measured(time.monotonic() - self.started, bounds)

    def needless_instructions(self) -> tuple[NeedlessInstruction, ...]:
        """Flushes and fences without effect."""
        runs = self.tested.runs
        return tuple(self.tested.advice(self._places(runs[0]))) if runs else ()

    def warnings(self, claim: Claim) -> tuple[str, ...]:
        """Warnings that a replay needed other crashes than its own, and about code without instrumentation."""
        warnings = list(claim.warnings)
        if claim.status is Status.VIOLATION and self._searched_for_others:
            warnings.append("the crash state itself does not fail, but others of its kind do")
        unseen = [
            f"{Path(path).name} is not instrumented: compile its sources together with the test"
            for path in self.test.target.contents.unhooked
        ]
        return (*warnings, *dict.fromkeys([*self.tested.qualifications(), *unseen]))

    # --- replays

    def replay_searches(self, failure: Failure, *, elsewhere: bool) -> Iterator[SearchTask]:
        """A search of crashes of the same kind, since the crash state may not apply to a changed target."""
        state = crash_state_of(failure)
        if state is not None:
            self._searched_for_others = True
            limits = SearchLimits(time.monotonic() + min(_MAX_REPLAY_S, self.left))
            yield SearchTask(None, Search(state.kind.lower()), limits)

    def replay_claim(self, reproduction: Reproduction | None) -> Claim:
        """The claim that the failure is gone; UNKNOWN if the run is not conclusive."""
        run = self.tested.first
        if run is None or run.reply.interrupted:
            return Claim(Status.UNKNOWN, "the run was interrupted")
        why = run.reply.died if run.sound else unknown_ending(run)
        return Claim(Status.UNKNOWN, why) if why else Claim(Status.LINEARIZABLE, self.gone)

    # --- helpers

    def _plan(self) -> CrashPlan:
        """The given workload, or a generated one with high coverage."""
        given = self.test.given()
        if given is not None:
            return self.test.plan(*given)
        self._progress(CampaignProgress(text="finding a workload"))
        until = time.monotonic() + _GENERATION_SHARE * self.left

        options = self.test.options
        candidates = candidate_workloads(self.test.purposes, options.length, options.seed, SearchLimits(until))
        try:
            calls = next(candidates)
            while True:
                calls = candidates.send(self._covered_edges(calls, until))
        except StopIteration as end:
            calls = end.value
        # Only a generated workload needs concurrent reads: a given one names its concurrent operations.
        return self.test.plan(calls, reads=True)

    def _note(self, reply: CrashReply) -> None:
        self.tested.observe_memory(reply)
        self.interrupted = self.interrupted or reply.interrupted

    def _add(self, run: CrashRun) -> None:
        self._note(run.reply)
        self.tested.add(run)

    def _covered_edges(self, calls: Sequence[Call], until: float) -> int:
        """The number of edges of the target that a workload covers; negative if the workload did not finish."""
        seconds = max(_MIN_TRACE_S, min(_MAX_TRACE_S, until - time.monotonic()))
        reply = self.test.host.trace(CrashPlan(self.test.name, tuple(calls)), seconds)
        self._note(reply)
        _stop_if_interrupted(reply)
        return reply.traced.edges if reply.traced is not None and reply.traced.ended == "complete" else -1

    def _followed(self, events: CrashTestEvents, cause: RootCause | None = None) -> CrashRun:
        """Follow a run of crash tests to its end, or to the first confirmed violation with this cause."""
        run = events.run
        with closing(iter(events)) as following:
            for event in following:
                if isinstance(event, int):
                    self._progress(CampaignProgress(executions=self.tested.tests.total() + event))
                elif cause is not None and self._has_cause(run, event, cause):
                    run.wanted = event
                    break
        return run

    def _has_cause(self, run: CrashRun, violation: CrashViolation, cause: RootCause) -> bool:
        if not violation.confirmed or violation_class(violation) != violation_class(cause.shown):
            return False
        return cause_key(violation, self._places(run)) == cause.key

    def _places(self, run: CrashRun) -> StorePlaces:
        """The source lines of a run's code."""
        return run.places(self.test.target.library, self.test.sources)

    def _why_unknown(self) -> str:
        """The reason why a search without a finding is not a pass; empty if it is one."""
        first, covered = self.tested.first, self.tested
        if self._given_up:
            return self._given_up
        if first is None or (not first.sound and first.reply.interrupted):
            return _NO_TEST_MADE
        if not first.sound:
            return unknown_ending(first)
        if covered.unconfirmed:
            states = count_noun(covered.unconfirmed, "crash state")
            return f"{states} failed, but not in a fresh process: the target keeps state between runs"
        if covered.undecided:
            return f"{count_noun(covered.undecided, 'crash test')} could not be decided"
        return "" if covered.tests.total() else f"{self._end()} before any crash was tested"

    def _end(self) -> str:
        return "the run was interrupted" if self.interrupted else "the budget ended"

    def _all_states_tested(self) -> bool:
        exhaustive = "exhaustive" in self.test.options.kinds and not self.interrupted
        return exhaustive and self.tested.is_complete("exhaustive")


def _stop_if_interrupted(reply: CrashReply) -> None:
    if reply.interrupted:
        raise KeyboardInterrupt
