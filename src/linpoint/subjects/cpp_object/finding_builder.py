# SPDX-License-Identifier: Apache-2.0
"""A failure of a C++ test as a ``Finding``: its schedule run again with its steps, and what orders would have allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.histories.values import freeze
from linpoint.hosts.address_symbols import AddressSymbols
from linpoint.hosts.scenario_histories import scenario_runs_of
from linpoint.hosts.search_messages import HostFinding, ScenarioHistory, SearchResult
from linpoint.hosts.test_host import Listening
from linpoint.hosts.trace_builder import HostTraceBuilder, TracedOperations, failure_message, host_schedule_text
from linpoint.judging.failure_text import failure_sentence, orders_given, results_allowed, shown_operations
from linpoint.judging.scenario_run import ScenarioRun
from linpoint.scenarios.cpp_test_description import scenario_text
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.subjects.cpp_object.object_search import Broken, ObjectSearch, Wrong
from linpoint.subjects.cpp_object.progress_check import BlockedOperations, StoppedThread
from linpoint.subjects.interface import Failure
from linpoint.traces.trace import StepKind, Trace, TraceFailure
from linpoint.verdicts.finding import Finding, Ran
from linpoint.verdicts.schedule import Schedule, another_run

_TO_TELL: Final = 10.0
"""Seconds for one run that is told: more than any takes that is not cut."""


@dataclass(slots=True)
class ShownSchedule:
    """One schedule of a scenario, run again."""

    result: SearchResult | None = None
    histories: list[ScenarioHistory] = field(default_factory=list)


def rerun_schedule(
    search: ObjectSearch,
    scenario: Scenario,
    schedule: Schedule,
    *,
    trace: bool = True,
    stop: StoppedThread | None = None,
) -> ShownSchedule:
    """Run one schedule of a scenario again; a thread may stop in it."""
    shown = ShownSchedule()
    text = ",".join(f"{step}.{process}" for step, process in schedule)
    heard = search.host.run(
        [("" if stop is None else stop.words) + scenario_text(search.test.definition.name, scenario)],
        f"replay:{text}",
        seconds=_TO_TELL,
        listening=Listening(shown.histories.append),
        trace=trace,
        more=search.settings.more,
    )
    shown.result = heard.results.get(0)
    search.interrupted = search.interrupted or heard.interrupted
    return shown


def build_finding(wrong: Wrong, search: ObjectSearch, *, minimal: bool, replay: Mapping[str, Any]) -> Finding:
    """The finding of a failure. A run that cannot be repeated is a finding of its own kind."""
    if isinstance(wrong, Broken):
        return _broken(wrong, search, minimal=minimal, replay=replay)
    scenario = wrong.run.scenario
    shown = rerun_schedule(search, scenario, wrong.schedule)
    run = next((each for said in shown.histories for each in scenario_runs_of(scenario, said)), None)
    if run is None or _results(run) != _results(wrong.run):
        return _nondeterminism(wrong, shown, replay)
    allowed = results_allowed(search.judge, scenario)
    operations = tuple(shown_operations(wrong.run, allowed))
    orders = orders_given(wrong, operations, search.judge)
    found = HostFinding(wrong.kind, "", schedule=list(wrong.schedule), preemptions=wrong.preemptions)
    return Finding(
        wrong.kind,
        failure_sentence(wrong, operations, orders),
        operations,
        str(scenario),
        wrong.schedule,
        wrong.preemptions,
        _trace(found, search, scenario, shown),
        wrong.verdict,
        orders,
        minimal,
        _replay(replay, scenario, wrong.schedule, wrong.kind),
    )


def told_kept(kept: BlockedOperations, search: ObjectSearch, replay: Mapping[str, Any]) -> Finding:
    """The finding that operations can be kept from finishing."""
    shown = rerun_schedule(search, kept.scenario, kept.schedule, stop=kept.stop)
    found = HostFinding("progress", "", schedule=list(kept.schedule), preemptions=kept.preemptions)
    stop = {"stop": [kept.stop.thread, kept.stop.steps]}
    return Finding(
        "progress",
        kept.sentence,
        tuple(shown_operations(kept.run, {})),
        str(kept.scenario),
        kept.schedule,
        kept.preemptions,
        _trace(found, search, kept.scenario, shown),
        minimal=True,
        replay=_replay({**replay, **stop}, kept.scenario, kept.schedule, "progress"),
    )


def _results(run: ScenarioRun) -> object:
    return [
        (each.call, each.result if each.returned is not None else ..., each.returned is None)
        for part in (run.before, *run.threads, run.after)
        for each in part
    ]


def _replay(replay: Mapping[str, Any], scenario: Scenario, schedule: Schedule, kind: str) -> dict[str, Any]:
    return {**replay, "scenario": scenario.as_dict(), "schedule": [list(each) for each in schedule], "finding": kind}


def _nondeterminism(failure: Failure, shown: ShownSchedule, replay: Mapping[str, Any]) -> Finding:
    step = None if shown.result is None else shown.result.diverged_at
    return Finding(
        "nondeterminism",
        another_run(step),
        tuple(shown_operations(failure.run, {})),
        str(failure.run.scenario),
        failure.schedule,
        failure.preemptions,
        None,
        minimal=False,
        replay=_replay(replay, failure.run.scenario, failure.schedule, "nondeterminism"),
    )


def _broken(wrong: Broken, search: ObjectSearch, *, minimal: bool, replay: Mapping[str, Any]) -> Finding:
    found, scenario = wrong.found, wrong.scenario
    schedule = tuple(found.schedule)
    trace, message = None, found.message
    results: list[list[Any]] = []
    if not found.lost:
        shown = rerun_schedule(search, scenario, schedule)
        if shown.result is not None and shown.result.finding is not None:
            found, results = shown.result.finding, shown.result.results
            telling = _telling(found, search, scenario, shown.result)
            trace = None if telling is None else _traced(telling, found, search)
            by_code = None if telling is None else telling.by_code()
            message = failure_message(found, AddressSymbols(search.host.target, shown.result.modules), trace, by_code)
    return Finding(
        wrong.found.kind,
        message,
        tuple(_ran(scenario, results)),
        str(scenario),
        schedule,
        wrong.found.preemptions,
        trace,
        minimal=minimal,
        replay=_replay(replay, scenario, schedule, wrong.found.kind),
    )


def _ran(scenario: Scenario, results: list[list[Any]]) -> Iterator[Ran]:
    """The operations with the results that are known."""
    parts: list[tuple[int | None, bool, tuple[Call, ...]]] = [(None, False, scenario.before)]
    parts += [(number, False, thread) for number, thread in enumerate(scenario.threads)]
    parts += [(None, True, scenario.after)]
    number = 0
    for thread, after, calls in parts:
        for call in calls:
            result = results[number] if number < len(results) else []
            yield Ran(thread, str(call), bool(result), freeze(result[0]) if result else None, after=after)
            number += 1


def _trace(found: HostFinding, search: ObjectSearch, scenario: Scenario, shown: ShownSchedule) -> Trace | None:
    """The steps of a run that is wrong by its history; None where the numbers do not fit together."""
    telling = None if shown.result is None else _telling(found, search, scenario, shown.result)
    trace = None if telling is None else _traced(telling, found, search)
    if trace is None:
        return None
    waits = found.kind in ("deadlock", "livelock", "progress")
    wanted = StepKind.BLOCK if waits else StepKind.RETURN
    shows = [position for position, step in enumerate(trace.steps) if step.kind is wanted]
    at = shows[-1] if shows else len(trace.steps) - 1
    return Trace(trace.threads, trace.steps, trace.memory_model, trace.schedule, TraceFailure(found.kind, at, ""))


def _telling(
    found: HostFinding, search: ObjectSearch, scenario: Scenario, result: SearchResult
) -> HostTraceBuilder | None:
    if result.trace is None:
        return None
    returned = {number: freeze(each[0]) for number, each in enumerate(result.results) if each}
    symbols = AddressSymbols(search.host.target, result.modules)
    model = search.host.config.memory_model
    return HostTraceBuilder(symbols, result.trace, found, model, TracedOperations(scenario.calls, returned))


def _traced(telling: HostTraceBuilder, found: HostFinding, search: ObjectSearch) -> Trace | None:
    try:
        return telling.trace(host_schedule_text(tuple(found.schedule), search.host.config.memory_model))
    except ValueError:
        return None
