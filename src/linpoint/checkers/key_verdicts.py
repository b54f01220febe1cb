# SPDX-License-Identifier: Apache-2.0
"""Combines the answers for parts into the certified verdict of each object."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from linpoint.checkers._native_search import StopReason
from linpoint.checkers.certify import certify_prefix, certify_witness
from linpoint.checkers.exact_deciders import KeyedObject
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.part_search import HistoryPart
from linpoint.checkers.portfolio import PortfolioAnswer
from linpoint.checkers.stuck_frontier import partial_search_of, stuck_frontier
from linpoint.histories.values import format_value
from linpoint.text.phrases import count_noun
from linpoint.verdicts import KeyVerdict, PartialSearch, Status, Witness

_FRONTIER_MAX_OPERATIONS: Final = 10_000

_REASONS: Final = {
    StopReason.TIME: "the time budget ran out",
    StopReason.MEMORY: "the memory budget ran out",
    StopReason.NONE: "the history is too long for this checker",
}


def build_key_verdict(
    reading: HistoryInterpretation,
    objects: Sequence[KeyedObject],
    stopped: StopReason,
    *,
    interrupted: bool,
    threads: int,
) -> list[KeyVerdict]:
    """The certified verdict of each object, from an exact decision or its parts. ``stopped`` is why the run stopped."""
    one = functools.partial(_judge_object, reading, stopped=stopped, interrupted=interrupted)
    searched = sum(bool(each.parts) for each in objects)
    if threads == 1 or searched <= 1 or not reading.native:
        return [one(each) for each in objects]
    with ThreadPoolExecutor(threads) as pool:  # certification is then native and cannot hang
        return list(pool.map(one, objects, chunksize=1))


def _judge_object(
    reading: HistoryInterpretation, judged: KeyedObject, *, stopped: StopReason, interrupted: bool
) -> KeyVerdict:
    if not judged.parts:
        return _exact_verdict(reading, judged, stopped, interrupted=interrupted)
    history, spec, condition = reading.history, reading.spec, reading.condition
    parts, positions = judged.parts, judged.positions
    answers = [part.answer for part in parts]
    not_exact = "".join(f"; {each.checker} not used: {each.why}" for each in judged.decisions)

    def verdict(status: Status, part: HistoryPart, why: str, **evidence: Any) -> KeyVerdict:
        configurations = sum(answer.configurations for answer in answers)
        return KeyVerdict(
            part.key, status, part.checker_and_reason()[0], why, positions, configurations=configurations, **evidence
        )

    for part, answer in zip(parts, answers, strict=True):
        if answer.found is False and part.refuted_start is not None:
            return verdict(
                Status.VIOLATION, part, part.checker_and_reason()[1] + not_exact, refutation=part.refuted_start
            )
        if answer.found is False:
            stuck = stuck_frontier(history, part.positions, spec, condition, answer.witness.order, reading=reading)
            certify_prefix(history, part.positions, spec, condition, stuck, reading=reading)
            return verdict(Status.VIOLATION, part, part.checker_and_reason()[1] + not_exact, refutation=stuck)
    for part, answer in zip(parts, answers, strict=True):
        if answer.found is None and part.checker == "frontier" and part.excluded is not None:
            return verdict(Status.UNKNOWN, part, part.excluded)
        if answer.found is None:
            how_far = partial_search_of(reading, part.positions, answer.witness.order)
            why = _why_stopped(part, answer, how_far, interrupted=interrupted)
            return verdict(Status.UNKNOWN, part, why + not_exact, reached=how_far)
    witnesses = [answer.witness for answer in answers]
    witness = witnesses[0] if len(parts) == 1 else merge_witnesses(reading, witnesses, positions)
    if witness is None:
        raise AssertionError("parts are only searched apart where their orders fit together")
    certify_witness(history, positions, spec, condition, witness, reading=reading)
    return verdict(Status.LINEARIZABLE, parts[0], parts[0].checker_and_reason()[1] + not_exact, witness=witness)


def _exact_verdict(
    reading: HistoryInterpretation, judged: KeyedObject, stopped: StopReason, *, interrupted: bool
) -> KeyVerdict:
    if judged.decision is None and (not judged.decisions or stopped is not StopReason.NONE):
        why = _stopped(stopped, interrupted=interrupted)
        # In a long history, even computing the first candidates takes time and memory, and neither is left.
        start = (
            partial_search_of(reading, judged.positions, ())
            if len(judged.positions) <= _FRONTIER_MAX_OPERATIONS
            else None
        )
        return KeyVerdict(judged.key, Status.UNKNOWN, judged.last_decider, why, judged.positions, reached=start)
    decision = judged.decisions[-1]
    status = Status.LINEARIZABLE if decision.witness else Status.VIOLATION if decision.refutation else Status.UNKNOWN
    return KeyVerdict(
        judged.key,
        status,
        decision.checker,
        decision.why,
        judged.positions,
        decision.witness,
        decision.refutation,
        configurations=decision.configurations,
    )


def merge_witnesses(
    reading: HistoryInterpretation, witnesses: Sequence[Witness | None], positions: Sequence[int]
) -> Witness | None:
    """Merge the orders of independent parts: each operation takes effect at the latest call so far in its own order.

    That instant lies inside the operation's interval, so sorting by it respects real time.
    """
    problem = reading.timing(positions)
    if problem.constrained:
        return None
    rank = dict(zip(problem.positions, problem.calls, strict=True))
    points: list[tuple[int, int]] = []
    for witness in witnesses:
        if witness is None:
            return None
        point = -1
        for position in witness.order:
            point = max(point, rank[position])
            points.append((point, position))
    points.sort(key=lambda each: each[0])
    return Witness(tuple(position for _, position in points))


def _stopped(reason: StopReason, *, interrupted: bool) -> str:
    if reason is StopReason.REQUEST:
        return "the run was interrupted" if interrupted else "another key is in violation"
    return _REASONS[reason]


def _why_stopped(part: HistoryPart, answer: PortfolioAnswer, how_far: PartialSearch, *, interrupted: bool) -> str:
    reason = _stopped(answer.reason, interrupted=interrupted)
    where = "" if part.key is None else f" on key {format_value(part.key)}"
    who = "the portfolio" if answer.raced else part.checker_and_reason()[0]
    return (
        f"{reason}{where}: {who} explored {count_noun(answer.configurations, 'configuration')}; the longest legal "
        f"prefix found has {len(how_far.prefix):,} of {how_far.operations:,} operations"
    )
