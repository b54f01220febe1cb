# SPDX-License-Identifier: Apache-2.0
"""A failure as a ``Finding``: run again, twice, narrated, with what orders of its operations would have allowed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from linpoint.explore.testing.exploring import Deviations, Exploration, Failure
from linpoint.explore.testing.judging import Judge, blocked_calls
from linpoint.explore.testing.runs import Performed, Run
from linpoint.histories.trace import Failure as TraceFailure
from linpoint.histories.trace import StepKind, Trace
from linpoint.histories.values import Value, canonical, show
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts.finding import Finding, Ran


def told(failure: Failure, exploration: Exploration, *, minimal: bool, replay: Mapping[str, Any]) -> Finding:
    """The finding of a failure. A run that cannot be repeated is a finding of its own kind."""
    scenario = failure.run.scenario
    again, diverged = _repeat(failure, exploration)
    if again is None:
        return nondeterminism(failure, diverged, replay)
    run, trace = again
    allowed = results_allowed(exploration.judge, scenario)
    operations = tuple(_ran(run, allowed))
    orders = _orders(failure, operations, exploration.judge)
    message = _message(failure, operations, orders)
    shown = TraceFailure(failure.kind, _telling_step(trace, failure), "")
    return Finding(
        failure.kind,
        message,
        operations,
        str(scenario),
        failure.schedule,
        failure.preemptions,
        Trace(trace.threads, trace.steps, trace.memory_model, schedule_text(failure.schedule), shown),
        failure.judgement.verdict,
        orders,
        minimal,
        replay,
    )


def schedule_text(schedule: Deviations) -> str:
    """The departures from the default schedule, as in ``4:1 9:0``: at step 4 thread 1 goes on."""
    return " ".join(f"{step}:{process}" for step, process in schedule) or "as the threads come"


def nondeterminism(failure: Failure, step: int | None, replay: Mapping[str, Any]) -> Finding:
    """A failure that the same schedule does not show again."""
    where = "" if step is None else f" from step {step} on"
    message = f"the same schedule gave another run{where}: the code depends on something that is not under control"
    return Finding(
        "nondeterminism",
        message,
        tuple(_ran(failure.run, {})),
        str(failure.run.scenario),
        failure.schedule,
        failure.preemptions,
        None,
        minimal=False,
        replay=replay,
    )


def _repeat(failure: Failure, exploration: Exploration) -> tuple[tuple[Run, Trace] | None, int | None]:
    """The run again, plain and narrated; both must be the same."""
    key = failure.run.key()
    run, _, diverged = exploration.again(failure.schedule)
    if run is None or diverged is not None or run.key() != key:
        return None, diverged
    scenario = failure.run.scenario
    calls = [[(call.operation, call.args) for call in thread] for thread in scenario.threads]
    narrator = exploration.runner.session.narrator(calls, os.getcwd())  # noqa: PTH109 - to make paths relative
    with narrator.listening():
        run, _, diverged = exploration.again(failure.schedule)
    if run is None or diverged is not None or run.key() != key:
        return None, diverged
    for each in run.waiting:
        narrator.block(each.thread, each.owner, each.place)
    return (run, narrator.trace()), None


def _telling_step(trace: Trace, failure: Failure) -> int | None:
    """Where it shows: the exception, the first thread that is blocked, or the last return."""
    kinds = {"exception": StepKind.EXCEPTION, "deadlock": StepKind.BLOCK}
    wanted = kinds.get(failure.kind, StepKind.RETURN)
    found = [position for position, step in enumerate(trace.steps) if step.kind is wanted]
    if not found:
        return None
    return found[0] if failure.kind in kinds else found[-1]


def _ran(run: Run, allowed: dict[tuple[int | None, int], list[Value]]) -> list[Ran]:
    def one(thread: int | None, number: int, each: Performed, *, after: bool = False) -> Ran:
        returned = each.returned is not None
        possible = allowed.get((len(run.threads) if after else thread, number))
        wrong = (
            returned and possible is not None and canonical(each.result) not in {canonical(value) for value in possible}
        )
        given = tuple(possible) if wrong and possible is not None else None
        return Ran(thread, str(each.call), returned, each.result, given, after)

    found = [one(None, number, each) for number, each in enumerate(run.before)]
    found += [one(thread, number, each) for thread, part in enumerate(run.threads) for number, each in enumerate(part)]
    return found + [one(None, number, each, after=True) for number, each in enumerate(run.after)]


def results_allowed(judge: Judge, scenario: Scenario) -> dict[tuple[int | None, int], list[Value]]:
    """For each operation, by its thread as ``sequential_results`` has it and its number: what some order gives it."""
    found: dict[tuple[int | None, int], dict[object, Value]] = {}
    for thread, number, result in judge.sequential_results(scenario):
        found.setdefault((thread, number), {})[canonical(result)] = result
    return {place: list(values.values()) for place, values in found.items()}


def _orders(failure: Failure, operations: tuple[Ran, ...], judge: Judge) -> tuple[tuple[Value, ...], ...]:
    """What orders give, where each result by itself is possible, but not all of them together."""
    if failure.kind != "linearizability" or any(each.allowed is not None for each in operations):
        return ()
    outcomes = judge.sequential_outcomes(failure.run.scenario)
    seen = canonical(tuple(each.result for each in operations if each.thread is not None or each.after))
    return () if any(canonical(each) == seen for each in outcomes) else outcomes


def _message(failure: Failure, operations: tuple[Ran, ...], orders: tuple[tuple[Value, ...], ...]) -> str:
    run = failure.run
    if failure.kind == "deadlock":
        waiting = ", ".join(str(call) for call in blocked_calls(run))
        return f"deadlock: {waiting} never come{'s' * (len(blocked_calls(run)) == 1)} back, and the spec would let one go on"
    if failure.kind == "livelock":
        return "livelock: the threads have not come to an end after many steps, though each got its turn"
    if failure.kind == "exception":
        raised = next(each for each in operations if each.returned and _raises(each.result))
        return f"{raised.call} raised {raised.result['raises']}, which no order of the operations gives"
    impossible = [each for each in operations if each.allowed is not None]
    if impossible:
        one = impossible[0]
        values = ", ".join(map(show, one.allowed or ())) or "nothing"
        return f"{one.call} returned {show(one.result)}, but no order of the operations allows that (allowed: {values})"
    results = ", ".join(
        f"{each.call} -> {show(each.result)}" for each in operations if each.thread is not None and each.returned
    )
    later = ", ".join(f"{each.call} -> {show(each.result)}" for each in operations if each.after and each.returned)
    results += f", and then {later}" if later else ""
    if run.observed is not UNSET and failure.judgement.verdict is not None:
        return f"no order of the operations gives these results and this final state: {results}; {show(run.observed)}"
    if not orders:
        return f"no order of the operations that keeps what came first in real time gives these results: {results}"
    return f"no order of the operations gives these results together: {results}"


def _raises(result: Value) -> bool:
    return isinstance(result, Mapping) and "raises" in result
