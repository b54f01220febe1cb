# SPDX-License-Identifier: Apache-2.0
"""Torn snapshots: an operation on several words that is possible for each word, but not for all together."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Final

from linpoint.explain.history.causes.suspicion import Suspicion
from linpoint.explain.history.claims.whole_object import WholeObject
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.reasons import CauseEvidence
from linpoint.explain.history.value_flow import kind_of
from linpoint.explain.wording.operation_names import who
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical
from linpoint.verdicts import KeyVerdict

_MAX_OPERATIONS: Final = 40
"""The number of operations of the core to examine."""


def torn_snapshot_causes(explanation: Explanation, key: KeyVerdict, *, deadline: float) -> Iterator[Suspicion]:
    """A torn snapshot, if an operation of the explanation looks like one."""
    verdict = explanation.verdict
    if kind_of(verdict.spec) not in ("mwcas", "multi-register"):
        return
    whole = WholeObject(verdict.history, key.positions, verdict.spec, verdict.condition, deadline=deadline)
    for position in explanation.core[:_MAX_OPERATIONS]:
        op = verdict.history.operations[position]
        alone = list(_words(op))
        if len(alone) < 2:
            continue
        if all(whole.has_order(replaced={position: each}) for each in alone):
            sentence = f"Each word of {who(verdict, op)} is consistent alone, but not all of them together."
            evidence = [
                CauseEvidence("fits-word-by-word", sentence, (position,)),
                *_changed_at_once(explanation, key.positions, position),
            ]
            text = "Several words were read or changed one after another, and another operation ran in between."
            yield Suspicion(98, "torn-snapshot", text, evidence)
            return


def _words(op: Operation) -> Iterator[Operation]:
    """The operation on each of its words separately; empty if a word occurs twice."""
    words = op.args[0] if op.args and isinstance(op.args[0], tuple) else ()
    if op.outcome is not Outcome.OK or len(set(map(_word, words))) < len(words):
        return
    results = op.result
    if op.name in ("read", "txn") and isinstance(results, tuple) and len(results) == len(words):
        for word, result in zip(words, results, strict=True):
            yield dataclasses.replace(op, args=((word,),), result=(result,))
    elif op.name == "mwcas" and op.result is True:
        for word in words:
            yield dataclasses.replace(op, args=((word,),))


def _word(cell: Any) -> Any:
    """The word of a cell: ``x``, ``["x", 0, 1]`` or ``["read", "x", null]``."""
    if isinstance(cell, tuple):
        return canonical(cell[1] if cell[0] in ("read", "write") and len(cell) == 3 else cell[0])
    return canonical(cell)


def _changed_at_once(explanation: Explanation, positions: Sequence[int], seen: int) -> Iterator[CauseEvidence]:
    """The evidence of a concurrent operation that changed several of the same words."""
    verdict = explanation.verdict
    mine = verdict.history.operations[seen]
    looked_at = set(map(_word, mine.args[0]))
    for position in positions:
        op = verdict.history.operations[position]
        if (
            position == seen
            or op.outcome is not Outcome.OK
            or op.name == "read"
            or (op.name == "mwcas" and op.result is not True)
        ):
            continue
        cells = op.args[0] if op.args and isinstance(op.args[0], tuple) else ()
        changed = {_word(cell) for cell in cells if not (isinstance(cell, tuple) and cell[0] == "read")}
        if op.call <= mine.end and mine.call <= op.end and len(changed & looked_at) > 1:
            yield CauseEvidence(
                "changed-several",
                f"{who(verdict, op)} overlaps it and wrote several of these words.",
                (position, seen),
            )
            return
