# SPDX-License-Identifier: Apache-2.0
"""Workloads that fail without a crash: they do not finish, or their results violate the spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from linpoint.crash.crash_run import CrashRun
from linpoint.crash.store_places import StorePlaces
from linpoint.histories.values import format_value, freeze
from linpoint.scenarios.scenario import Call
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest
from linpoint.subjects.persistent_object.crash_token import token_content
from linpoint.verdicts.evidence import CrashEvidence, CrashOperation
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.replay_token import ReplayToken

_KINDS: Final = {
    "crash": "crash",
    "hang": "livelock",
    "deadlock": "deadlock",
    "memory": "memory",
    "assertion": "assertion",
    "exception": "exception",
}
"""The kind of finding by the ending of a workload."""
_VERBS: Final = {
    "crash": "crashes",
    "livelock": "does not return",
    "deadlock": "blocks forever",
    "memory": "accesses invalid memory",
    "assertion": "fails an assertion",
    "exception": "throws an exception",
}


def crash_free_kind(run: CrashRun) -> str:
    """The kind of finding of a failing workload; empty if it does not fail or the reason is unknown."""
    if run.wrong is not None:
        return "linearizability"
    traced = run.traced
    if traced is not None and traced.ended in _KINDS:
        return _KINDS[traced.ended]
    return "crash" if run.reply.died and run.reply.by_itself else ""


def unknown_ending(run: CrashRun) -> str:
    """The reason why an unfinished workload is undecided."""
    refused = next((each.reason for each in run.reply.results.values() if each.reason), "")
    ended = "" if run.traced is None else f"the workload ended with {run.traced.ended} {run.traced.message}".strip()
    return run.reply.died or refused or ended or "the host gave no reason"


def crash_free_finding(
    run: CrashRun, kind: str, test: BuiltCrashTest, places: StorePlaces, *, minimal: bool
) -> Finding:
    """Build the finding of a workload that fails without a crash."""
    traced = run.traced
    place = None if traced is None else places.of(traced.place)
    results = [] if traced is None else traced.results
    calls = run.plan.workload
    at = sum(map(bool, results))
    if run.wrong is not None:
        message = f"without any crash, {_refused(run)}"
    else:
        who = str(calls[at]) if at < len(calls) else "the workload"
        reason = traced.message if traced is not None else run.reply.died
        message = f"without any crash, {who} {_VERBS[kind]}" + (f": {reason}" if reason else "")
    return Finding(
        kind=kind,
        message=message,
        evidence=CrashEvidence(operations=tuple(_operations(calls, results))),
        place=place,
        verdict=run.wrong,
        minimal=minimal,
        replay_token=ReplayToken.from_dict({"kind": "crash", **token_content(test, run.plan, None, finding=kind)}),
    )


def _refused(run: CrashRun) -> str:
    """A sentence on the first operation whose result the spec does not allow."""
    assert run.oracle is not None
    oracle = run.oracle
    number = oracle.first_refused()
    if number is None:
        return "the workload violates the spec"
    return f"{oracle.calls[number]} returned {format_value(oracle.results[number])}, which the spec does not allow"


def _operations(calls: Sequence[Call], results: Sequence[Sequence[object]]) -> Iterator[CrashOperation]:
    for number, call in enumerate(calls):
        result = results[number] if number < len(results) else ()
        yield CrashOperation(str(call), "before", bool(result), freeze(result[0]) if result else None)
