# SPDX-License-Identifier: Apache-2.0
"""Builds the ``Finding`` of a C++ object's failure: the steps of its run, and the results that some order allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linpoint.histories.values import freeze
from linpoint.hosts.address_symbols import AddressSymbols
from linpoint.hosts.search_messages import HostFinding, SearchResult
from linpoint.hosts.trace_builder import HostTraceBuilder, TracedOperations, failure_message, host_schedule_text
from linpoint.judging.failure_text import failure_sentence, orders_given, results_allowed, shown_operations
from linpoint.judging.scenario_run import ScenarioRun
from linpoint.judging.spec_judge import Judge
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.subjects.cpp_object.blocked_operations import BlockedRun, StoppedScenario
from linpoint.subjects.cpp_object.object_under_test import CppObject
from linpoint.subjects.cpp_object.schedule_rerun import ScheduleRerun, scenario_of
from linpoint.subjects.interface import NONDETERMINISM, Failure
from linpoint.traces.trace import StepKind, Trace, TraceFailure
from linpoint.verdicts.evidence import ScenarioEvidence, ShownOperation
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.replay_token import ReplayToken


def build_finding(
    failure: Failure, rerun: ScheduleRerun | None, target: CppObject, judge: Judge, *, minimal: bool
) -> Finding:
    """Build the finding of a failure; ``rerun`` has its steps."""
    match failure.run:
        case BlockedRun() as blocked:
            return _blocked(failure, blocked, rerun, target)
        case ScenarioRun() as run if failure.kind == NONDETERMINISM:
            return _finding(failure, target, failure.message, tuple(shown_operations(run, {})), minimal=minimal)
        case ScenarioRun() as run:
            return _wrong_history(failure, run, rerun, target, judge, minimal=minimal)
        case found:
            return _wrong_process(failure, found, rerun, target, minimal=minimal)


def _wrong_history(
    failure: Failure, run: ScenarioRun, rerun: ScheduleRerun | None, target: CppObject, judge: Judge, *, minimal: bool
) -> Finding:
    operations = tuple(shown_operations(run, results_allowed(judge, run.scenario)))
    orders = orders_given(failure, operations, judge)
    sentence = failure_sentence(failure, operations, orders)
    trace = _trace_of_history(failure, rerun, target)
    return _finding(failure, target, sentence, operations, trace=trace, orders=orders, minimal=minimal)


def _blocked(failure: Failure, blocked: BlockedRun, rerun: ScheduleRerun | None, target: CppObject) -> Finding:
    operations = tuple(shown_operations(blocked.run, {}))
    trace = _trace_of_history(failure, rerun, target)
    return _finding(failure, target, blocked.sentence, operations, trace=trace, minimal=True)


def _wrong_process(
    failure: Failure, found: HostFinding, rerun: ScheduleRerun | None, target: CppObject, *, minimal: bool
) -> Finding:
    trace, message = None, failure.message
    results: list[list[Any]] = []
    result = None if rerun is None else rerun.result
    if result is not None and result.finding is not None:
        found, results = result.finding, result.results
        builder = _trace_builder(found, target, failure.case, result)
        trace = None if builder is None else _trace(builder, found, target)
        by_code = None if builder is None else builder.by_code()
        message = failure_message(found, AddressSymbols(target.host.target, result.modules), trace, by_code)
    operations = tuple(_operations(failure.case, results))
    return _finding(failure, target, message, operations, trace=trace, minimal=minimal)


def _finding(
    failure: Failure,
    target: CppObject,
    message: str,
    operations: tuple[ShownOperation, ...],
    *,
    minimal: bool,
    trace: Trace | None = None,
    orders: tuple[tuple[Any, ...], ...] = (),
) -> Finding:
    scenario = scenario_of(failure.case)
    content = dict(target.token)
    if isinstance(failure.case, StoppedScenario):
        content["stop"] = [failure.case.stop.thread, failure.case.stop.steps]
    content |= {"scenario": scenario.as_dict(), "schedule": [list(each) for each in failure.schedule]}
    return Finding(
        kind=failure.kind,
        message=message,
        evidence=ScenarioEvidence(str(scenario), operations, orders),
        schedule=failure.schedule,
        preemptions=failure.preemptions,
        trace=trace,
        verdict=None if failure.kind == NONDETERMINISM else failure.verdict,
        minimal=minimal,
        replay_token=ReplayToken.from_dict({"kind": "test-cpp", **content, "finding": failure.kind}),
    )


def _operations(scenario: Scenario, results: list[list[Any]]) -> Iterator[ShownOperation]:
    """The operations with their known results."""
    parts: list[tuple[int | None, bool, tuple[Call, ...]]] = [(None, False, scenario.before)]
    parts += [(number, False, thread) for number, thread in enumerate(scenario.threads)]
    parts += [(None, True, scenario.after)]
    number = 0
    for thread, after, calls in parts:
        for call in calls:
            result = results[number] if number < len(results) else []
            yield ShownOperation(thread, str(call), bool(result), freeze(result[0]) if result else None, after=after)
            number += 1


def _trace_of_history(failure: Failure, rerun: ScheduleRerun | None, target: CppObject) -> Trace | None:
    """The steps of a run whose history is wrong; None if they do not match the history."""
    if rerun is None or rerun.result is None:
        return None
    found = HostFinding(failure.kind, "", schedule=list(failure.schedule), preemptions=failure.preemptions)
    builder = _trace_builder(found, target, scenario_of(failure.case), rerun.result)
    trace = None if builder is None else _trace(builder, found, target)
    if trace is None:
        return None
    waits = failure.kind in ("deadlock", "livelock", "progress")
    wanted = StepKind.BLOCK if waits else StepKind.RETURN
    shows = [position for position, step in enumerate(trace.steps) if step.kind is wanted]
    at = shows[-1] if shows else len(trace.steps) - 1
    return Trace(trace.threads, trace.steps, trace.memory_model, trace.schedule, TraceFailure(failure.kind, at, ""))


def _trace_builder(
    found: HostFinding, target: CppObject, scenario: Scenario, result: SearchResult
) -> HostTraceBuilder | None:
    if result.trace is None:
        return None
    returned = {number: freeze(each[0]) for number, each in enumerate(result.results) if each}
    symbols = AddressSymbols(target.host.target, result.modules)
    operations = TracedOperations(scenario.calls, returned)
    return HostTraceBuilder(symbols, result.trace, found, target.model, operations)


def _trace(builder: HostTraceBuilder, found: HostFinding, target: CppObject) -> Trace | None:
    try:
        return builder.trace(host_schedule_text(tuple(found.schedule), target.model))
    except ValueError:
        return None
