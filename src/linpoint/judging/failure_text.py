# SPDX-License-Identifier: Apache-2.0
"""The failure of a run as text: its operations with the results that valid orders give, and one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import UNSET

from linpoint.histories.values import Value, canonical, format_value
from linpoint.judging.scenario_run import PerformedOperation, ScenarioRun
from linpoint.judging.spec_judge import SequentialOrders, blocked_calls
from linpoint.scenarios.scenario import Scenario
from linpoint.text.phrases import join_words
from linpoint.verdicts import Verdict
from linpoint.verdicts.evidence import ShownOperation


class FailedRun(Protocol):
    """A failing run: its kind, and the verdict on its history, where there is one."""

    @property
    def kind(self) -> str:
        """The kind of finding."""
        ...

    @property
    def run(self) -> ScenarioRun:
        """The observed run."""
        ...

    @property
    def verdict(self) -> Verdict | None:
        """None for an outcome that was compared without a spec."""
        ...


def shown_operations(run: ScenarioRun, allowed: dict[tuple[int | None, int], list[Value]]) -> list[ShownOperation]:
    """The operations of a run, each with the allowed results where its own is not among them."""

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
    """The results that orders give each operation, by its thread as in ``sequential_results`` and its number."""
    found: dict[tuple[int | None, int], dict[object, Value]] = {}
    for thread, number, result in judge.sequential_results(scenario):
        found.setdefault((thread, number), {})[canonical(result)] = result
    return {place: list(values.values()) for place, values in found.items()}


def orders_given(
    failure: FailedRun, operations: tuple[ShownOperation, ...], judge: SequentialOrders
) -> tuple[tuple[Value, ...], ...]:
    """The results of orders, where each observed result is possible, but not all of them together."""
    if failure.kind != "linearizability" or any(each.allowed is not None for each in operations):
        return ()
    outcomes = judge.sequential_outcomes(failure.run.scenario)
    seen = canonical(tuple(each.result for each in operations if each.thread is not None or each.after))
    return () if any(canonical(each) == seen for each in outcomes) else outcomes


def failure_sentence(
    failure: FailedRun, operations: tuple[ShownOperation, ...], orders: tuple[tuple[Value, ...], ...]
) -> str:
    """The failure as a sentence."""
    run = failure.run
    if failure.kind == "deadlock":
        waiting = ", ".join(str(call) for call in blocked_calls(run))
        # A comparison of outcomes has no spec, and so no verdict.
        who = "atomic operations" if failure.verdict is None else "the spec"
        if len(blocked_calls(run)) == 1:
            return f"deadlock: {waiting} never returns, although {who} would let it proceed"
        return f"deadlock: {waiting} never return, although {who} would let one of them proceed"
    if failure.kind == "livelock":
        return "livelock: the threads did not finish after many steps, although each of them was scheduled"
    if failure.kind == "exception":
        raised = next(each for each in operations if each.returned and _raises(each.result))
        return f"{raised.call} raised {raised.result['raises']}, which no valid order gives"
    impossible = [each for each in operations if each.allowed is not None]
    if impossible:
        one = impossible[0]
        values = join_words(list(map(format_value, one.allowed or ())), "or")
        required = f"every valid order requires {values}" if values else "no valid order lets it return"
        return f"{one.call} returned {format_value(one.result)}; {required}"
    results = ", ".join(
        f"{each.call} -> {format_value(each.result)}"
        for each in operations
        if each.thread is not None and each.returned
    )
    later = ", ".join(
        f"{each.call} -> {format_value(each.result)}" for each in operations if each.after and each.returned
    )
    results += f", then {later}" if later else ""
    if run.observed is not UNSET and failure.verdict is not None:
        return f"no valid order gives these results and this final state: {results}; {format_value(run.observed)}"
    if not orders:
        return f"no order consistent with real time gives these results: {results}"
    return f"no valid order gives these results together: {results}"


def _raises(result: Value) -> bool:
    return isinstance(result, Mapping) and "raises" in result
