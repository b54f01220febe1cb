# SPDX-License-Identifier: Apache-2.0
"""Checks all evidence again before it is reported, independently of the algorithms that found it.

A witness is compared with the recorded times by the definition of the condition and replayed on the spec. Nothing is
shared with the searches: no ranks, no problem, none of the steps they took. Specs with a native twin are replayed on
separate plain objects of the native core, which are tested against the Python steps; all other specs are replayed with
their own steps. A separate search decides the pattern of a monitor. Cost: O(n log n) and one spec step per operation,
plus that search.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Final

from linpoint.checkers import conditions
from linpoint.checkers._native_search import (
    Flaw,
    Reason,
    SearchStatus,
    StopToken,
    certify_count,
    certify_order,
    certify_replay,
    certify_run,
    certify_scope,
    certify_start,
    linear,
)
from linpoint.checkers.eras import Eras
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.native_spec_twin import NativeTwin
from linpoint.checkers.subhistory_decider import has_order
from linpoint.errors import CertificateError, SpecError
from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec, State
from linpoint.verdicts.refutation import Pattern, RefutedStart, StuckFrontier
from linpoint.verdicts.witness import Witness

_PATTERN_SEARCH_S: Final = 30.0
"""Maximum seconds for the search of a pattern; some patterns of hundreds of operations would take practically forever.
"""

_WORDS: Final = {
    Flaw.LEFT_OUT: "the order omits {}",
    Flaw.FAILED: "the order contains {}, which had no effect",
    Flaw.RETURNED_EARLIER: "{} returned before the call of an operation that precedes it in the order",
    Flaw.ENDED_AT_CRASH: "{} ended at a crash before the call of an operation that precedes it in the order",
    Flaw.EARLIER_ERA: "{} follows an operation of a later era",
    Flaw.PROCESS_ORDER: "{} follows a later operation of its process",
    Flaw.HINT: "{} follows an operation with a larger order value",
    Flaw.REJECTED: "the spec rejects {} at its position",
    Flaw.UNLIKE: "{} was treated as another operation",
    Flaw.NEEDED: "{} was omitted and may remove the violation",
}


def certify_witness(
    history: History,
    positions: Sequence[int],
    spec: Spec,
    condition: str,
    witness: Witness,
    *,
    reading: HistoryInterpretation | None = None,
) -> None:
    """Raise ``CertificateError`` unless ``witness`` shows that these operations satisfy ``condition``.

    ``reading`` is an existing interpretation of the history.
    """
    reading = reading or HistoryInterpretation(history, spec, condition)
    _certify_order(reading, positions, witness.order, whole=True)
    if condition == "buffered-durable":
        _certify_eras(history, spec, witness)
    else:
        _certify_run(reading, witness.order)


def certify_prefix(
    history: History,
    positions: Sequence[int],
    spec: Spec,
    condition: str,
    stuck: StuckFrontier,
    *,
    reading: HistoryInterpretation | None = None,
) -> None:
    """Raise unless the longest prefix of a refutation is a legal start that respects real time."""
    reading = reading or HistoryInterpretation(history, spec, condition)
    if condition != "buffered-durable":  # its runs are interrupted by crashes, which a prefix does not show
        _certify_order(reading, positions, stuck.prefix, whole=False)
        _certify_run(reading, stuck.prefix)
    elif not set(stuck.prefix) <= set(positions):
        raise broken_certificate("the prefix names an operation that does not exist")


def certify_pattern(
    reading: HistoryInterpretation, positions: Sequence[int], pattern: Pattern, *, seconds: float | None = None
) -> bool:
    """Raise unless a separate search shows that the scope of a pattern is a violation, and hence all ``positions`` are.

    False if time ran out before the search ended.
    """
    if not set(pattern.operations) <= set(pattern.scope):
        raise broken_certificate("the operations of the pattern are not in its scope")
    twin = reading.twin
    assert twin is not None
    if pattern.counted:  # count where that is proof: counting takes a moment, a search may never end
        reason = Reason[pattern.reason.upper().replace("-", "_")]
        content = twin.content(positions)
        if certify_count(reading.columns, positions, pattern.operations, reason, twin.blueprint, content):
            return True
    items = len(twin.content(positions)) if twin.kind == "queue" else 0
    refuse(reading.history, *certify_scope(reading.columns, positions, pattern.scope, twin.blueprint, items))
    return _has_no_order(reading, positions, pattern, seconds)


def certify_keyed_pattern(
    reading: HistoryInterpretation,
    keys: Sequence[Sequence[int]],
    twin: NativeTwin,
    pattern: Pattern,
    *,
    seconds: float | None = None,
) -> bool:
    """The same for a pattern that spans several keys; ``keys`` contains the operations on each."""
    scope = set(pattern.scope)
    for members in keys:
        inside = [position for position in members if position in scope]
        if inside:
            refuse(reading.history, *certify_scope(reading.columns, members, inside, twin.blueprint, 0))
    return _has_no_order(reading, reading.timed.effective(), pattern, seconds)


def _has_no_order(
    reading: HistoryInterpretation, positions: Sequence[int], pattern: Pattern, seconds: float | None
) -> bool:
    history, spec = select_scope(reading.history, positions, pattern.scope, reading.spec)
    found = has_order(history, spec, reading.condition, seconds=min(seconds or _PATTERN_SEARCH_S, _PATTERN_SEARCH_S))
    if found:
        raise broken_certificate("the operations of the pattern have an order")
    return found is False


def certify_refuted_start(
    reading: HistoryInterpretation, positions: Sequence[int], start: RefutedStart, *, stop: StopToken, allowance: int
) -> bool:
    """Raise unless a refuted start refutes all ``positions``; return whether Linear confirms that it has no order.

    Linear shares only the times with the search that refuted it. False if ``allowance`` does not suffice.
    """
    scope, still_open = start.scope, set(start.still_open)
    if start.last in still_open or start.last not in scope or not still_open <= set(scope):
        raise broken_certificate("the refuted start does not end at its last operation")
    twin = reading.twin
    assert twin is not None
    items = len(twin.content(positions)) if twin.kind == "queue" else 0
    found = certify_start(
        reading.columns, positions, scope, start.still_open, reading.native_condition, twin.blueprint, items
    )
    refuse(reading.history, *found)
    problem = reading.problem(scope, still_open=start.still_open)
    status = linear(problem, reading.machine, stop.child()).run(allowance)
    if status is SearchStatus.LINEARIZABLE:
        raise broken_certificate("the operations of the refuted start have an order")
    return status is SearchStatus.VIOLATION


def select_scope(history: History, positions: Sequence[int], scope: Sequence[int], spec: Spec) -> tuple[History, Spec]:
    """The operations of a scope as a separate history, on an object that initially holds no other values."""
    part = history.select(scope)
    kind = "" if spec.twin is None else spec.twin.kind
    if kind == "map":  # an operation outside the scope may have put the deleted entry there
        deletes = ("delete", "erase", "remove")
        for position, op in enumerate(part.operations):
            if op.result is True and spec.step(op).name in deletes:
                part = part.replace(position, dataclasses.replace(op, result=None))
    elif kind in ("queue", "stack", "deque", "priority-queue") and spec.initial and len(part) < len(positions):
        # An initial value is removed together with its operations. One without operations stays, even if other objects
        # use an equal value.
        inside, everywhere = _values_of(part), _values_of(history.select(positions))
        first = tuple(v for v in spec.initial if canonical(v) in inside or canonical(v) not in everywhere)
        spec = dataclasses.replace(spec, initial=first)
    return part, spec


def _values_of(history: History) -> set[Any]:
    return {canonical(value) for op in history.operations for value in (*op.args, op.result)}


def _certify_order(
    reading: HistoryInterpretation, positions: Sequence[int], order: Sequence[int], *, whole: bool
) -> None:
    found = certify_order(
        reading.columns if reading.spec.key_argument or reading.history.keyed else reading.timed,
        positions,
        order,
        reading.native_condition,
        reading.spec.key_argument,
        whole,
    )
    refuse(reading.history, *found)


def _certify_run(reading: HistoryInterpretation, order: Sequence[int]) -> None:
    if reading.condition in conditions.NOT_LOCAL:  # each object has its own state, but one order covers all
        run_prefix(
            reading.spec, _objects(reading.history, reading.spec), (reading.history.operations[p] for p in order)
        )
        return
    twin = reading.twin
    if twin is None:
        flaw, position = certify_run(reading.columns, reading.names, order, *reading.certifying(order))
        if flaw is Flaw.REJECTED and reading.spec.changes is not None:
            raise _unrepeatable(reading.spec, reading.history.operations[position])
        refuse(reading.history, flaw, position)
        return
    for each in reading.by_object(order):
        refuse(reading.history, *certify_replay(reading.columns, each, twin.blueprint, twin.content(each)))


def refuse(history: History, flaw: Flaw, position: int) -> None:
    """Raise an error that names the flaw of the evidence and the operation."""
    if flaw is Flaw.NONE:
        return
    if flaw is Flaw.SURVIVORS:
        raise broken_certificate("it does not state the survivors of each crash")
    if flaw is Flaw.NOT_THERE:
        raise broken_certificate("the order names an operation twice, or one that does not exist")
    raise broken_certificate(_WORDS[flaw].format(history.operations[position]))


def run_prefix(spec: Spec, objects: bool, ops: Iterable[Operation]) -> list[dict[Any, State]]:
    """The states after a run of the spec; raises if a step is illegal. With ``objects``, each key has its own state."""
    states: list[dict[Any, State]] = [{}]
    for op in ops:
        states = prefix_step(spec, objects, states, op)
        if not states:
            if spec.changes is not None:
                raise _unrepeatable(spec, op)
            raise broken_certificate(f"the spec rejects {op} at its position")
    return states


def _unrepeatable(spec: Spec, op: Operation) -> SpecError:
    """The error for a user's spec that does not repeat a step. Built-in specs always do, so the spec is at fault."""
    return SpecError(
        "LP-S009",
        f"the spec {spec.name} gave a different result for {op} when the same operations ran again in the same order.",
        remedy="Let a step depend only on its state and arguments: no global variables, no clock, no random numbers.",
    )


def prefix_step(spec: Spec, objects: bool, states: list[dict[Any, State]], op: Operation) -> list[dict[Any, State]]:
    """The states to which one operation leads from any of ``states``."""
    key = canonical(op.key) if objects else None
    after = [{**state, key: each} for state in states for each in spec.successors(state.get(key, spec.initial), op)]
    return after if len(after) <= 1 else list({canonical(state): state for state in after}.values())


def _objects(history: History, spec: Spec) -> bool:
    return not spec.key_argument and history.keyed


def _certify_eras(history: History, spec: Spec, witness: Witness) -> None:
    """Run each era from the state that survived the previous one. All its operations run; a prefix survives."""
    eras = Eras(history)
    parts, survivors, ends = witness.by_era(), witness.survivors or (), len(eras.ends)
    lengths = witness.eras or ()
    if not len(lengths) == len(survivors) == ends or min(lengths, default=0) < 0 or sum(lengths) > len(witness.order):
        raise broken_certificate("it does not state the survivors of each crash")
    states: list[dict[Any, State]] = [{}]
    objects = _objects(history, spec)
    for era, part in enumerate(parts):
        kept = survivors[era] if era < ends else len(part)
        if not 0 <= kept <= len(part):
            raise broken_certificate("it does not state the survivors of each crash")
        # With nondeterminism the surviving state and the final state of the era must belong to one run: follow both.
        runs = [(state, state) for state in states]
        for number, position in enumerate(part):
            op = history.operations[position]
            first, last = eras.span(op)
            if not first <= era <= last:
                raise broken_certificate(f"{op} cannot take effect in era {era}")
            runs = [
                (current, current if number < kept else saved)
                for before, saved in runs
                for current in prefix_step(spec, objects, [before], op)
            ]
            if not runs:
                raise broken_certificate(f"the spec rejects {op} at its position")
        states = list({canonical(saved): saved for _, saved in runs}.values())


def broken_certificate(message: str) -> CertificateError:
    """The error for evidence that is wrong."""
    return CertificateError(
        "LP-V001",
        f"{message}; the verdict cannot be trusted.",
        remedy="This is a bug in linpoint. Report it with the history.",
    )
