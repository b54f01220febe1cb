# SPDX-License-Identifier: Apache-2.0
"""What failed in a run, in words: its operations with what orders of them would have allowed, and one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import UNSET

from linpoint.histories.values import Value, canonical, format_value
from linpoint.judging.scenario_run import PerformedOperation, ScenarioRun
from linpoint.judging.spec_judge import SequentialOrders, blocked_calls
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts import Verdict
from linpoint.verdicts.evidence import ShownOperation


class FailedRun(Protocol):
    """A run that is wrong: of which kind, and the verdict on its history, where there is one."""

    @property
    def kind(self) -> str:
        """The kind of finding."""
        ...

    @property
    def run(self) -> ScenarioRun:
        """What was observed."""
        ...

    @property
    def verdict(self) -> Verdict | None:
        """None for an outcome that was compared without a spec."""
        ...


def shown_operations(run: ScenarioRun, allowed: dict[tuple[int | None, int], list[Value]]) -> list[ShownOperation]:
    """The operations of a run, each with what it may have returned where it returned something else."""

    def one(thread: int | None, number: int, each: PerformedOperation, *, after: bool = False) -> ShownOperation:
        returned = each.returned is not None
        possible = allowed.get((len(run.threads) if after else thread, number))
        wrong = (
            returned and possible is not None and canonical(each.result) not in {canonical(value) for value in possible}
        )
        given = tuple(possible) if wrong and possible is not None else None
        return ShownOperation(thread, str(each.call), returned, each.result, given, after)

    found = [one(None, number, each) for number, each in enumerate(run.before)]
    found += [one(thread, number, each) for thread, part in enumerate(run.threads) for number, each in enumerate(part)]
    return found + [one(None, number, each, after=True) for number, each in enumerate(run.after)]


def results_allowed(judge: SequentialOrders, scenario: Scenario) -> dict[tuple[int | None, int], list[Value]]:
    """For each operation, by its thread as ``sequential_results`` has it and its number: what some order gives it."""
    found: dict[tuple[int | None, int], dict[object, Value]] = {}
    for thread, number, result in judge.sequential_results(scenario):
        found.setdefault((thread, number), {})[canonical(result)] = result
    return {place: list(values.values()) for place, values in found.items()}


def orders_given(
    failure: FailedRun, operations: tuple[ShownOperation, ...], judge: SequentialOrders
) -> tuple[tuple[Value, ...], ...]:
    """What orders give, where each result by itself is possible, but not all of them together."""
    if failure.kind != "linearizability" or any(each.allowed is not None for each in operations):
        return ()
    outcomes = judge.sequential_outcomes(failure.run.scenario)
    seen = canonical(tuple(each.result for each in operations if each.thread is not None or each.after))
    return () if any(canonical(each) == seen for each in outcomes) else outcomes


def failure_sentence(
    failure: FailedRun, operations: tuple[ShownOperation, ...], orders: tuple[tuple[Value, ...], ...]
) -> str:
    """What is wrong, in a sentence."""
    run = failure.run
    if failure.kind == "deadlock":
        waiting = ", ".join(str(call) for call in blocked_calls(run))
        # Who compares outcomes has no spec, and no verdict of one.
        who = "atomic operations" if failure.verdict is None else "the spec"
        come = "comes" if len(blocked_calls(run)) == 1 else "come"
        return f"deadlock: {waiting} never {come} back, and {who} would let one go on"
    if failure.kind == "livelock":
        return "livelock: the threads have not come to an end after many steps, though each got its turn"
    if failure.kind == "exception":
        raised = next(each for each in operations if each.returned and _raises(each.result))
        return f"{raised.call} raised {raised.result['raises']}, which no order of the operations gives"
    impossible = [each for each in operations if each.allowed is not None]
    if impossible:
        one = impossible[0]
        values = ", ".join(map(format_value, one.allowed or ())) or "nothing"
        return f"{one.call} returned {format_value(one.result)}, but no order of the operations allows that (allowed: {values})"
    results = ", ".join(
        f"{each.call} -> {format_value(each.result)}"
        for each in operations
        if each.thread is not None and each.returned
    )
    later = ", ".join(
        f"{each.call} -> {format_value(each.result)}" for each in operations if each.after and each.returned
    )
    results += f", and then {later}" if later else ""
    if run.observed is not UNSET and failure.verdict is not None:
        return f"no order of the operations gives these results and this final state: {results}; {format_value(run.observed)}"
    if not orders:
        return f"no order of the operations that keeps what came first in real time gives these results: {results}"
    return f"no order of the operations gives these results together: {results}"


def _raises(result: Value) -> bool:
    return isinstance(result, Mapping) and "raises" in result
