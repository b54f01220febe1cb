# SPDX-License-Identifier: Apache-2.0
"""Re-checking evidence before it is shown, independently of the algorithms that found it.

A witness is replayed on the spec and compared with the real-time order by the definition of the condition; nothing
is shared with the searches (no ranks, no automaton, no problem). Cost: O(n log n) and one spec step an operation.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from typing import Any

from linpoint.errors import CertificateError
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome, Process, Time
from linpoint.histories.values import canonical
from linpoint.specs.protocol import Spec, State
from linpoint.verdicts.refutation import StuckFrontier
from linpoint.verdicts.witness import Witness


def certify_witness(history: History, positions: Sequence[int], spec: Spec, condition: str, witness: Witness) -> None:
    """Raise ``CertificateError`` unless ``witness`` shows that these operations satisfy ``condition``."""
    order = witness.order
    if len(set(order)) != len(order) or not set(order) <= set(positions):
        raise _broken("the order names an operation twice or one that is not there")
    left_out = [p for p in set(positions) - set(order) if history.operations[p].outcome is Outcome.OK]
    if left_out:
        raise _broken(f"the order leaves out {history.operations[min(left_out)]}")
    if any(history.operations[p].outcome is Outcome.FAILED for p in order):
        raise _broken("the order keeps a failed operation")
    _certify_times(history, order, condition)
    if condition == "buffered-durable":
        _certify_eras(history, spec, order, witness.survivors)
    else:
        run(spec, _objects(history, spec), (history.operations[p] for p in order))


def certify_prefix(
    history: History, positions: Sequence[int], spec: Spec, condition: str, stuck: StuckFrontier
) -> None:
    """Raise unless the longest prefix of a refutation is a legal start that respects the order of time."""
    if not set(stuck.prefix) <= set(positions):
        raise _broken("the prefix names an operation that is not there")
    if condition != "buffered-durable":  # its runs are interrupted by crashes, which a prefix does not show
        _certify_times(history, stuck.prefix, condition)
        run(spec, _objects(history, spec), (history.operations[p] for p in stuck.prefix))


def run(spec: Spec, objects: bool, ops: Iterable[Operation]) -> list[dict[Any, State]]:
    """The states after a run of the spec; raises when a step is not legal. ``objects``: a state for each key."""
    states: list[dict[Any, State]] = [{}]
    for op in ops:
        states = step(spec, objects, states, op)
        if not states:
            raise _broken(f"the spec rejects {op} in its place")
    return states


def step(spec: Spec, objects: bool, states: list[dict[Any, State]], op: Operation) -> list[dict[Any, State]]:
    """The states that one operation leads to from any of ``states``."""
    key = canonical(op.key) if objects else None
    after = [{**state, key: each} for state in states for each in spec.successors(state.get(key, spec.initial), op)]
    return after if len(after) <= 1 else list({canonical(state): state for state in after}.values())


def _objects(history: History, spec: Spec) -> bool:
    return not spec.key_argument and history.keyed


def _certify_times(history: History, order: Sequence[int], condition: str) -> None:
    """No operation may come after one that had to follow it."""
    crashes = () if condition == "linearizable" else history.crashes
    system = sorted({crash.time for crash in crashes if crash.process is None})
    instants = {crash.time for crash in crashes}
    latest_call: Time = float("-inf")
    latest_era = 0
    latest: dict[Process, tuple[Time, Time, int]] = {}
    for position in order:
        op = history.operations[position]
        certain = op.outcome is Outcome.OK
        own = (op.call, op.return_ if certain and op.return_ is not None else float("inf"), position)
        ends: Time = own[1]
        era = bisect.bisect_right(system, op.call)
        if not certain and condition == "strict":
            cut = [crash for crash in crashes if crash.time > op.call and crash.covers(op.process)]
            ends = cut[0].time if cut else ends
        if condition != "sequential":
            if latest_call > ends:
                raise _broken(f"{op} returned before an operation that comes first was called")
            if ends in instants and op.call < ends <= latest_call:  # at a crash's own time calls come after it
                raise _broken(f"{op} ended at a crash, before an operation that comes first was called")
            if condition == "buffered-durable" and latest_era > era:
                raise _broken(f"{op} comes after an operation of a later era")
        # Within a process the order always counts, but what a crash cut off may come late unless the condition says no.
        keeps_order = certain or condition in ("strict", "recoverable", "sequential")
        if keeps_order and latest.get(op.process, own) > own:
            raise _broken(f"{op} comes after a later operation of process {op.process}")
        latest_call = max(latest_call, op.call)
        latest_era = max(latest_era, era)
        latest[op.process] = max(latest.get(op.process, own), own)


def _certify_eras(history: History, spec: Spec, order: Sequence[int], survivors: Sequence[int] | None) -> None:
    """Run each era from what survived the one before; all its operations run, but only a prefix is kept."""
    system = sorted({crash.time for crash in history.crashes if crash.process is None})
    states: list[dict[Any, State]] = [{}]
    objects = _objects(history, spec)
    for era in range(len(system) + 1):
        ops = [history.operations[p] for p in order if bisect.bisect_right(system, history.operations[p].call) == era]
        if era == len(system):
            kept = len(ops)
        elif survivors is None or len(survivors) != len(system) or not 0 <= survivors[era] <= len(ops):
            raise _broken("it does not say what survives each crash")
        else:
            kept = survivors[era]
        # With nondeterminism the surviving state and the end of the era must belong to one run: follow both.
        runs = [(state, state) for state in states]
        for number, op in enumerate(ops):
            runs = [
                (current, current if number < kept else saved)
                for before, saved in runs
                for current in step(spec, objects, [before], op)
            ]
            if not runs:
                raise _broken(f"the spec rejects {op} in its place")
        states = list({canonical(saved): saved for _, saved in runs}.values())


def _broken(message: str) -> CertificateError:
    return CertificateError(
        "LP-V001",
        f"{message}: the verdict cannot be trusted.",
        remedy="This is a bug in linpoint; please report it with the history.",
    )
