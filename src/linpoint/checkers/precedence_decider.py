# SPDX-License-Identifier: Apache-2.0
"""Runs the precedence graph, and gives the reason why it applies or the reason that excludes it.

Guarantee: every answer is certified. An order is replayed, and each link of a refutation is compared with the recorded
history. An answer by the paper's rules as published need not be certified, since those rules are wrong in some cases.
Cost: O(kn log n) for k words per operation; see ``precedence.hpp``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Final

from linpoint.checkers._native_search import (
    Because,
    Columns,
    Flaw,
    Graphed,
    GraphExclusion,
    GraphStatus,
    Proof,
    StopToken,
    graph,
)
from linpoint.checkers._native_search import Link as NativeLink
from linpoint.checkers.blind_write_scope import certify_blind_scope
from linpoint.checkers.certify import broken_certificate, refuse
from linpoint.checkers.conditions import NOT_LOCAL
from linpoint.checkers.exact_decision import ExactDecision
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.native_spec_twin import NativeTwin, WordsTwin
from linpoint.histories.values import Value, format_value
from linpoint.specs.spec import Spec
from linpoint.verdicts.refutation import Link, Pattern, Precedence
from linpoint.verdicts.witness import Witness

_GRAPH: Final = "graph"
_WHY: Final = "each value is written to a word at most once"
_NOT_CONFIRMED: Final = "the graph found a violation, but the time did not suffice to confirm it by a search"
_SCOPE_SEARCH_S: Final = 30.0
"""Maximum seconds for the search of a scope."""
_BECAUSE: Final = {
    Because.TIME: "real-time",
    Because.READS_FROM: "reads-from",
    Because.REPLACED: "replaced",
    Because.FAILED_AFTER: "failed-after",
    Because.FAILED_BEFORE: "failed-before",
}
_EXCLUDED: Final = {
    GraphExclusion.KIND: "the spec {spec} has no precedence graph",
    GraphExclusion.WRITE: "{op} does not return the value it overwrote",
    GraphExclusion.COMPARE_ONLY: "{op} leaves a word unchanged",
    GraphExclusion.RESULT: "the result of {op} was not observed, or the graph does not support it",
    GraphExclusion.SHAPE: "{op} has words or values that are lists",
    GraphExclusion.DUPLICATE: "a value is written to a word more than once, for example by {op}",
    GraphExclusion.CUT_OFF_SWAP: "the values that swaps with an unknown outcome, such as {op}, overwrote are unknown",
    GraphExclusion.CHOICES: "failed operations, such as {op}, have too many explanations",
}
MEMORIES: Final = ("register", "mwcas")


def select_memory(reading: HistoryInterpretation) -> bool:
    """Whether ``auto`` runs the graph: for words, and for CAS registers without blind writes."""
    spec = reading.spec
    return is_memory_without_writes(spec, {spec.step_named(name).name for name in reading.history.columns.names})


def is_memory_without_writes(spec: Spec, steps: Collection[str]) -> bool:
    """The same for the names of the steps that occur in a history."""
    if spec.twin is None or spec.twin.kind not in MEMORIES:
        return False
    return spec.twin.kind == "mwcas" or (("cas" in steps or "swap" in steps) and "write" not in steps)


def exclusion_reason(reading: HistoryInterpretation) -> str | None:
    """The reason that excludes the graph for a whole history; None if it can be run."""
    if reading.spec.twin is None or reading.spec.twin.kind not in MEMORIES:
        return _EXCLUDED[GraphExclusion.KIND].format(spec=reading.spec.name)
    if reading.condition == "buffered-durable":
        return "precedence graphs do not support the condition buffered-durable"
    if reading.condition in NOT_LOCAL and reading.history.keyed:
        return (
            f"precedence graphs do not support several objects together, as the condition {reading.condition} requires"
        )
    return None


def decide_by_precedence(
    reading: HistoryInterpretation,
    positions: Sequence[int],
    stop: StopToken,
    *,
    threads: int = 1,
    seconds: float | None = None,
) -> ExactDecision | None:
    """Run the graph on one object; None if it was stopped. ``seconds`` limits the search that confirms a scope."""
    memory = MemoryWords(reading)
    answer = memory.ask(positions, stop, threads=threads)
    match answer.status:
        case GraphStatus.LINEARIZABLE:
            refuse(reading.history, *answer.flaw)
            return ExactDecision(_GRAPH, _WHY, witness=Witness(answer.order))
        case GraphStatus.VIOLATION if answer.scope:
            limit = min(_SCOPE_SEARCH_S, _SCOPE_SEARCH_S if seconds is None else seconds)
            history, spec, condition = reading.history, reading.spec, reading.condition
            if not certify_blind_scope(history, spec, condition, positions, answer.scope, seconds=limit):
                return ExactDecision(_GRAPH, _NOT_CONFIRMED)
            pattern = Pattern("overwritten", tuple(answer.scope), tuple(answer.scope))
            return ExactDecision(_GRAPH, _WHY, refutation=pattern)
        case GraphStatus.VIOLATION:
            if answer.proof is Proof.BROKEN:
                raise broken_certificate("the links of the precedence graph differ from the recorded history")
            if answer.proof is Proof.TOO_LONG:
                return ExactDecision(_GRAPH, _excluded(reading, GraphExclusion.CHOICES, answer.failed[0]))
            return ExactDecision(_GRAPH, _WHY, refutation=memory.refutation(answer))
    if answer.exclusion is GraphExclusion.STOPPED:
        return None
    return ExactDecision(_GRAPH, _excluded(reading, answer.exclusion, answer.culprit))


def by_the_paper(
    reading: HistoryInterpretation,
    positions: Sequence[int],
    stop: StopToken,
    *,
    threads: int = 1,
    seconds: float | None = None,
) -> ExactDecision | None:
    """The same by the paper's rules as published. The reason states whether the answer is correct, if that is known."""
    memory = MemoryWords(reading)
    answer = memory.ask(positions, stop, paper=True, threads=threads)
    if answer.exclusion is GraphExclusion.STOPPED:
        return None
    if answer.status is GraphStatus.EXCLUDED:
        return ExactDecision(_GRAPH, _excluded(reading, answer.exclusion, answer.culprit))
    right = decide_by_precedence(reading, positions, stop, threads=threads, seconds=seconds)
    why = "by the paper's rules as published, not certified"
    if right is not None and right.decided:
        same = (right.witness is not None) is (answer.status is GraphStatus.LINEARIZABLE)
        why += ", and correct here" if same else ", and wrong here"
    if answer.status is GraphStatus.LINEARIZABLE:
        return ExactDecision(_GRAPH, why, witness=Witness(answer.order, certified=answer.flaw[0] is Flaw.NONE))
    certified = answer.proof is Proof.HOLDS
    return ExactDecision(_GRAPH, why, refutation=dataclasses.replace(memory.refutation(answer), certified=certified))


def blind_write(reading: HistoryInterpretation, positions: Sequence[int], stop: StopToken) -> str | None:
    """The reason that names a blind write, or None. The graph may decide such a history without edges."""
    answer = MemoryWords(reading).ask(positions, stop, paper=True)
    return _excluded(reading, answer.exclusion, answer.culprit) if answer.exclusion is GraphExclusion.WRITE else None


def _excluded(reading: HistoryInterpretation, exclusion: GraphExclusion, culprit: int) -> str:
    op = format_value(None) if culprit < 0 else str(reading.history.operations[culprit])
    return _EXCLUDED[exclusion].format(spec=reading.spec.name, op=op)


class MemoryWords:
    """The columns in which the graph reads a history: words as read, or a register whose equal values are merged."""

    def __init__(self, reading: HistoryInterpretation) -> None:
        self.twin: WordsTwin | NativeTwin
        self.columns: Columns
        self._reading = reading
        kind = "" if reading.spec.twin is None else reading.spec.twin.kind
        if kind == "mwcas":
            self.twin = WordsTwin(reading.history, reading.spec)
            self.columns = self.twin.columns
        else:
            twin = reading.twin or NativeTwin.of(reading.history, reading.spec)
            assert twin is not None
            self.twin = twin
            self.columns = reading.columns

    def ask(self, positions: Sequence[int], stop: StopToken, *, paper: bool = False, threads: int = 1) -> Graphed:
        """The answer of the native core for the operations on one object, by its own rules or by the paper's."""
        content, condition = self.twin.content(positions), self._reading.native_condition
        return graph(self.columns, positions, content, self.twin.blueprint, condition, stop, paper, threads > 1)

    def refutation(self, answer: Graphed) -> Precedence:
        """The refutation, with values in place of numbers."""
        contradictions = tuple(tuple(self.link(each) for each in links) for links in answer.contradictions)
        kept = tuple(self.link(each) for each in answer.kept)
        return Precedence(answer.reason.name.lower().replace("_", "-"), contradictions, tuple(answer.failed), kept)

    def link(self, link: NativeLink) -> Link:
        """A link, with values in place of numbers; both are looked up in the operations that it connects."""
        source = None if link.source < 0 else link.source
        if link.because is Because.TIME:
            return Link(source, link.target, _BECAUSE[link.because])
        word = self._value(link.word) if self.twin.kind == "mwcas" else None
        return Link(source, link.target, _BECAUSE[link.because], word, self._value(link.value))

    def _value(self, number: int) -> Value:
        columns = self._reading.history.columns
        values = columns.scalars if self.twin.kind == "mwcas" else columns.values
        return values[number]
