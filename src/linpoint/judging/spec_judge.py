# SPDX-License-Identifier: Apache-2.0
"""Decides whether the history of a run is correct with respect to a spec.

If threads wait forever, the history ends with a question to the spec, as a separate operation: ``blocked`` (is none of
them able to continue?). Guarantee: a run fails only with a verdict of ``check``, which is certified. A sample of the
passes of the fast search is certified too, and ``check`` decides those whose certificate fails. Cost: one search for
each distinct history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from msgspec import UNSET

from linpoint.checkers.certify import certify_witness
from linpoint.checkers.check import check
from linpoint.checkers.small_history_checker import SmallHistoryChecker
from linpoint.errors import CertificateError
from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import FrozenObject, Value, canonical
from linpoint.judging.scenario_run import PerformedOperation, RunEnding, ScenarioRun
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.specs.spec import Outcomes, Spec
from linpoint.specs.spec_with_question import with_question
from linpoint.verdicts import Status, Verdict, Witness

ALONE: Final = "alone"
"""The process of the operations before and after the threads."""
OBSERVE: Final = "observe"
BLOCKED: Final = "blocked"

_MAX_SHOWN_OUTCOMES: Final = 20
_CHECK_TIMEOUT_S: Final = 10.0
"""Maximum seconds of one check; scenarios are small, so it takes a few milliseconds."""

PASSES_PER_CERTIFICATE = 256
"""One in this many passes of the fast search is certified, including the first; the long test lane sets it to 1."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement on a run. ``kind`` is that of the finding; None if the run is correct or undecided."""

    kind: str | None
    verdict: Verdict | None
    decided: bool = True


_RIGHT: Final = Judgement(None, None)


class RunJudge(Protocol):
    """Decides the runs of a test."""

    def judge(self, run: ScenarioRun) -> Judgement:
        """The judgement on a run."""
        ...


class SequentialOrders(Protocol):
    """Computes the results of operations that run one after another."""

    def sequential_results(self, scenario: Scenario) -> Iterable[tuple[int | None, int, Value]]:
        """The results of operations in all orders: their thread, their number in it, and the result."""
        ...

    def sequential_outcomes(self, scenario: Scenario) -> tuple[tuple[Value, ...], ...]:
        """Some combinations of results that single orders give."""
        ...


class Judge(RunJudge, SequentialOrders, Protocol):
    """A judge that several searches of scenarios share."""

    def prepare(self, scenarios: Sequence[Scenario]) -> None:
        """Prepare for runs of these scenarios."""
        ...

    def again(self) -> Judge:
        """A new judge for another search."""
        ...


class SpecJudge:
    """Decides runs against one spec, and caches its decisions for the latest scenario."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._scenario: Scenario | None = None
        self._known: dict[object, Judgement] = {}
        self._judged: dict[ScenarioRun, Judgement] = {}
        """The same by the runs themselves, for faster lookup."""
        self._specs: dict[tuple[Call, ...], Spec] = {}
        self._searches: dict[Spec, SmallHistoryChecker] = {}
        self._passes = 0

    def prepare(self, scenarios: Sequence[Scenario]) -> None:
        """Does nothing."""

    def again(self) -> SpecJudge:
        """A new judge for another search."""
        return SpecJudge(self.spec)

    def judge(self, run: ScenarioRun, spec: Spec | None = None) -> Judgement:
        """The judgement on a run; ``spec`` is for a run with further questions than the scenario's spec answers."""
        if run.scenario is not self._scenario:
            self._scenario, self._known, self._judged = run.scenario, {}, {}
            self._check_calls(run.scenario)
        found = self._judged.get(run)
        if found is None:
            key = run.key()
            found = self._known.get(key)
            if found is None:
                found = self._known[key] = self._judged[run] = self._decide(run, spec or self._spec_of(run))
        return found

    def _check_calls(self, scenario: Scenario) -> None:
        """Reject operations that the spec does not have."""
        for call in scenario.calls:
            complaint = self.spec.complaint(Operation(ALONE, call.operation, call.args))
            if complaint is not None:
                raise complaint

    @property
    def histories(self) -> int:
        """The number of distinct histories of the scenario."""
        return len(self._known)

    def _decide(self, run: ScenarioRun, spec: Spec) -> Judgement:
        operations = operations_of(run)
        if self._has_order(operations, spec):
            return _RIGHT
        verdict = check(History(operations), spec, budget=_CHECK_TIMEOUT_S, jobs=1)
        if verdict.status is Status.LINEARIZABLE:
            return _RIGHT
        if verdict.status is Status.UNKNOWN:
            return Judgement(None, verdict, decided=False)
        if blocked_calls(run):
            plain = replace(run, ending=RunEnding.COMPLETE, waiting=(), after=())
            without = check(History(operations_of(plain, observed=False)), self.spec, budget=_CHECK_TIMEOUT_S, jobs=1)
            # If even the completed operations violate the spec, that comes first.
            waits = "livelock" if run.ending is RunEnding.CUT else "deadlock"
            return Judgement(waits if without.status is Status.LINEARIZABLE else self._kind(run), verdict)
        return Judgement(self._kind(run), verdict)

    def _has_order(self, operations: list[Operation], spec: Spec) -> bool:
        """Whether the fast search finds an order; a sample of its orders is certified."""
        search = self._searches.get(spec)
        if search is None:
            search = self._searches[spec] = SmallHistoryChecker(spec)
        order = search.find_order(operations)
        if order is None:
            return False
        self._passes += 1
        if self._passes % PASSES_PER_CERTIFICATE != 1 % PASSES_PER_CERTIFICATE:
            return True
        history = History(operations)
        try:
            certify_witness(history, range(len(history)), spec, "linearizable", Witness(tuple(order)))
        except CertificateError:
            return False
        return True

    def _kind(self, run: ScenarioRun) -> str:
        raised = [each for each in _performed(run) if isinstance(each.result, FrozenObject) and "raises" in each.result]
        if any(not self._may_give(run.scenario, each) for each in raised):
            return "exception"
        return "linearizability"

    def _may_give(self, scenario: Scenario, performed: PerformedOperation) -> bool:
        """Whether some order of the scenario's operations gives this result."""
        wanted = canonical(performed.result)
        parts = (scenario.before, *scenario.threads, scenario.after)
        return any(
            parts[0 if thread is None else thread + 1][number] == performed.call and canonical(result) == wanted
            for thread, number, result in self.sequential_results(scenario)
        )

    def sequential_results(self, scenario: Scenario) -> Iterator[tuple[int | None, int, Value]]:
        """The results of operations in all orders: their thread, their number in it, and the result.

        The thread is None for operations that run alone before the threads, and one past the last for those that run
        alone after them.
        """
        parts = (scenario.before, *scenario.threads, scenario.after)
        last = len(parts) - 1
        todo: list[tuple[tuple[int, ...], Any]] = [((0,) * len(parts), self.spec.initial)]
        seen = set()
        while todo:
            at, state = todo.pop()
            for number, calls in enumerate(parts):
                earlier = parts[:last] if number == last else parts[: min(number, 1)]
                if at[number] == len(calls) or any(at[each] < len(part) for each, part in enumerate(earlier)):
                    continue
                call = calls[at[number]]
                for result, after in self.spec.outcomes(state, Operation(number, call.operation, call.args)):
                    yield (number - 1 if number else None), at[number], result
                    following = (*at[:number], at[number] + 1, *at[number + 1 :])
                    key = following, canonical(after)
                    if key not in seen:
                        seen.add(key)
                        todo.append((following, after))

    def sequential_outcomes(self, scenario: Scenario, most: int = _MAX_SHOWN_OUTCOMES) -> tuple[tuple[Value, ...], ...]:
        """Combinations of results that single orders give, up to about ``most`` of them.

        Each begins with the results of the threads' operations, thread by thread, followed by those of the operations
        after them.
        """
        found: dict[object, tuple[Value, ...]] = {}
        parts = (*scenario.threads, scenario.after)
        lengths = [len(part) for part in parts]
        state: Any = self.spec.initial
        for call in scenario.before:
            outcomes = self.spec.outcomes(state, Operation(ALONE, call.operation, call.args))
            if not outcomes:
                return ()
            state = outcomes[0][1]
        todo: list[tuple[tuple[tuple[Value, ...], ...], Any]] = [(((),) * len(lengths), state)]
        seen: set[object] = set()
        while todo and len(found) < most:
            results, state = todo.pop()
            if [len(each) for each in results] == lengths:
                together = tuple(value for each in results for value in each)
                found.setdefault(canonical(together), together)
                continue
            concurrent = [len(each) for each in results[:-1]] != lengths[:-1]
            for number, calls in reversed(list(enumerate(parts[:-1] if concurrent else parts))):
                done = results[number]
                if len(done) == len(calls):
                    continue
                call = calls[len(done)]
                for result, after in self.spec.outcomes(state, Operation(number, call.operation, call.args)):
                    grown = (*results[:number], (*done, result), *results[number + 1 :])
                    key = canonical(grown), canonical(after)
                    if key not in seen:
                        seen.add(key)
                        todo.append((grown, after))
        return tuple(found.values())

    def _spec_of(self, run: ScenarioRun) -> Spec:
        waiting = blocked_calls(run)
        return self._asking(waiting) if waiting else self.spec

    def _asking(self, waiting: tuple[Call, ...]) -> Spec:
        """The spec with a question at the end, about the waiting operations."""
        found = self._specs.get(waiting)
        if found is None:
            found = self._specs[waiting] = with_question(self.spec, BLOCKED, self._blocked(waiting))
        return found

    def _blocked(self, waiting: tuple[Call, ...]) -> Callable[..., Outcomes]:
        def blocked(state: Any) -> Outcomes:
            able = any(self.spec.outcomes(state, Operation(0, call.operation, call.args)) for call in waiting)
            return [] if able else [(None, state)]

        return blocked


def blocked_calls(run: ScenarioRun) -> tuple[Call, ...]:
    """The operations that wait or run forever: those of threads, and those that run alone."""
    alone = [each.call for each in (*run.before, *run.after) if each.returned is None]
    if run.ending not in (RunEnding.STUCK, RunEnding.CUT):
        return tuple(alone)
    return (*alone, *(thread[-1].call for thread in run.threads if thread and thread[-1].returned is None))


def _performed(run: ScenarioRun) -> Iterator[PerformedOperation]:
    for part in (run.before, *run.threads, run.after):
        yield from (each for each in part if each.returned is not None)


def operations_of(run: ScenarioRun, *, observed: bool = True) -> list[Operation]:
    """The completed operations of a run, in their real-time order, and the questions at its end."""
    operations = []
    clock = 0

    def alone(part: tuple[PerformedOperation, ...]) -> None:
        nonlocal clock
        for each in part:
            if each.returned is not None:
                operations.append(_operation(ALONE, each, clock, clock + 1))
                clock += 2

    alone(run.before)
    start = clock
    for number, thread in enumerate(run.threads):
        for each in thread:
            if each.called is not None and each.returned is not None:
                began, ended = start + 2 * each.called, start + 2 * each.returned + 1
                clock = max(clock, ended + 1)
                operations.append(_operation(f"thread {number + 1}", each, began, ended))
    alone(run.after)
    if not observed:
        return operations
    if blocked_calls(run):
        operations.append(Operation(ALONE, BLOCKED, (), None, clock, clock + 1))
    elif run.observed is not UNSET:
        operations.append(Operation(ALONE, OBSERVE, (), run.observed, clock, clock + 1))
    return operations


def _operation(process: str, each: PerformedOperation, began: int, ended: int) -> Operation:
    return Operation(process, each.call.operation, each.call.args, each.result, began, ended)
