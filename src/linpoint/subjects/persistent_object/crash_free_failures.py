# SPDX-License-Identifier: Apache-2.0
"""A workload that goes wrong without any crash: it does not come to its end, or does not do what the spec says."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.crash_run import CrashRun, CrashRunner
from linpoint.crash.replaying import content_of
from linpoint.crash.store_places import StorePlaces
from linpoint.histories.values import freeze, show
from linpoint.scenarios.scenario import Call
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest
from linpoint.verdicts.durability import CrashFinding, Done

KINDS: Final = {
    "crash": "crash",
    "hang": "livelock",
    "deadlock": "deadlock",
    "memory": "memory",
    "assertion": "assertion",
    "exception": "exception",
    "linearizability": "linearizability",
}
_RUN_TIMEOUT_S: Final = 3.0
_MIN_RUN_S: Final = 0.05


def ending_kind(run: CrashRun) -> str:
    """How a workload went wrong; empty if it did not, or if nobody knows."""
    if run.wrong is not None:
        return "linearizability"
    traced = run.traced
    if traced is not None and traced.ended in KINDS:
        return traced.ended
    return "crash" if run.heard.died and run.heard.by_itself else ""


def finding_without_crash(
    run: CrashRun, test: BuiltCrashTest, runner: CrashRunner, places: StorePlaces, deadline: float
) -> tuple[CrashFinding | None, str]:
    """The finding, with the smallest workload that shows it; or why there is none."""
    how = ending_kind(run)
    if not how:
        refused = next((each.reason for each in run.heard.results.values() if each.reason), "")
        ended = "" if run.traced is None else f"the workload ended by {run.traced.ended} {run.traced.message}".strip()
        return None, run.heard.died or refused or ended or "the host gives no reason"
    minimal = False
    best = run

    def still(calls: Sequence[Call]) -> bool:
        nonlocal best
        left = deadline - time.monotonic()
        if left < _MIN_RUN_S:
            raise TimeoutError
        again = runner.trace(CrashPlan(test.name, tuple(calls)), min(_RUN_TIMEOUT_S, left))
        if again.heard.interrupted or ending_kind(again) != how:
            return False
        best = again
        return True

    try:
        _shrink(list(run.plan.workload), still)
        minimal = True
    except (TimeoutError, KeyboardInterrupt):
        pass
    return _finding(best, how, test, places, minimal=minimal), ""


def _shrink(calls: list[Call], still: Callable[[Sequence[Call]], bool]) -> None:
    size = len(calls) // 2
    while size >= 1:
        at = 0
        while at < len(calls):
            fewer = calls[:at] + calls[at + size :]
            if fewer and still(fewer):
                calls = fewer
            else:
                at += size
        size //= 2


def _finding(run: CrashRun, how: str, test: BuiltCrashTest, places: StorePlaces, *, minimal: bool) -> CrashFinding:
    traced = run.traced
    place = None if traced is None else places.of(traced.place)
    results = [] if traced is None else traced.results
    calls = run.plan.workload
    at = sum(map(bool, results))
    if run.wrong is not None:
        message = f"without any crash, {_refused(run)}"
    else:
        who = str(calls[at]) if at < len(calls) else "the workload"
        said = traced.message if traced is not None else run.heard.died
        message = f"without any crash, {who} {_VERBS[how]}" + (f": {said}" if said else "")
    return CrashFinding(
        KINDS[how],
        message,
        place=place,
        operations=tuple(_operations(calls, results)),
        verdict=run.wrong,
        minimal=minimal,
        replay=content_of(test, run.plan, None, finding=KINDS[how]),
    )


_VERBS: Final = {
    "crash": "crashes",
    "hang": "does not come back",
    "deadlock": "waits for ever",
    "memory": "uses memory that is not there",
    "assertion": "fails an assertion",
    "exception": "ends with an exception",
}


def _refused(run: CrashRun) -> str:
    """The first operation whose result the spec does not allow."""
    assert run.oracle is not None
    oracle = run.oracle
    number = oracle.first_refused()
    if number is None:
        return "the workload does not do what the spec says"
    return f"{oracle.calls[number]} returned {show(oracle.results[number])}, which the spec does not allow"


def _operations(calls: Sequence[Call], results: Sequence[Sequence[object]]) -> Iterator[Done]:
    for number, call in enumerate(calls):
        told = results[number] if number < len(results) else ()
        yield Done(str(call), "before", bool(told), freeze(told[0]) if told else None)
