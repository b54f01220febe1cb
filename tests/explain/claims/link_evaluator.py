# SPDX-License-Identifier: Apache-2.0
"""Whether the links of a precedence graph's contradiction are true, according to arguments and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical, equal_values
from linpoint.verdicts import Link

if TYPE_CHECKING:
    from tests.explain.claims.claim_evaluator import Evaluator

Word = tuple[Any, Any]


def link_is_true(at: Evaluator, link: Link) -> bool:
    """Whether the statement of a link about two operations is true."""
    mine = canonical(link.word), canonical(link.value)
    target = at.ops[link.target]
    if link.source is None:
        never = not any(mine in written(op) for op in map(at.ops.__getitem__, at.everything) if not failed(op))
        return mine in seen(target) and never and not _at_first(at, link)
    source = at.ops[link.source]
    match link.because:
        case "reads-from":
            writers = [p for p in at.everything if mine in written(at.ops[p]) and not failed(at.ops[p])]
            return mine in seen(target) and writers == [link.source] and not _at_first(at, link)
        case "replaced":
            return mine in seen(source) and mine in expected(target) and not failed(target)
        case "failed-after":
            return failed(target) and mine in expected(target) and mine in expected(source) and not failed(source)
        case "failed-before":
            return failed(source) and mine in expected(source) and mine in written(target) and not failed(target)
    return _in_time(at, link.source, link.target)


def no_operation_replaced(at: Evaluator, position: int) -> bool:
    """Whether no operation can have replaced a value that a failed one expected."""
    blamed = at.ops[position].result
    words = [
        (word, value)
        for word, value in expected(at.ops[position])
        if not (isinstance(blamed, Mapping) and "at" in blamed) or canonical(blamed["at"]) == word
    ]
    others = [at.ops[p] for p in at.everything if p != position and not failed(at.ops[p])]
    return not any(
        word in expected(op) and all(new != word for new in written(op) if new[0] == word[0])
        for op in others
        for word in words
    )


def failed(op: Operation) -> bool:
    """Whether a compare-and-swap reports that it changed nothing."""
    if op.outcome is not Outcome.OK or op.name not in ("cas", "mwcas"):
        return op.outcome is Outcome.FAILED
    if op.result is False or isinstance(op.result, Mapping):
        return True
    return isinstance(op.result, tuple) and not all(
        equal_values(value, cell[1]) for value, cell in zip(op.result, op.args[0], strict=True)
    )


def seen(op: Operation) -> list[Word]:
    """The values that the operation certainly found in words."""
    if op.outcome is not Outcome.OK:
        return [] if op.name in ("read", "swap", "mwswap") else list(expected(op))
    match op.name:
        case "read" | "swap" if not op.args or op.name == "swap":
            return [(canonical(None), canonical(op.result))]
        case "read" | "mwswap":
            words = [cell[0] if op.name == "mwswap" else cell for cell in op.args[0]]
            return [(canonical(w), canonical(v)) for w, v in zip(words, op.result, strict=True)]
        case "mwcas" if isinstance(op.result, tuple):
            return [(canonical(c[0]), canonical(v)) for c, v in zip(op.args[0], op.result, strict=True)]
    return [] if failed(op) else list(expected(op))


def expected(op: Operation) -> Iterator[Word]:
    """The values that the operation replaces if it succeeds."""
    match op.name:
        case "cas":
            yield canonical(None), canonical(op.args[0])
        case "mwcas":
            yield from ((canonical(word), canonical(old)) for word, old, _ in op.args[0])
        case "swap" | "mwswap" if op.outcome is Outcome.OK:
            yield from seen(op)


def written(op: Operation) -> list[Word]:
    """The values that the operation writes if it succeeds."""
    match op.name:
        case "cas" | "swap" | "write":
            return [(canonical(None), canonical(op.args[-1]))]
        case "mwcas" | "mwswap" | "mwwrite":
            return [(canonical(cell[0]), canonical(cell[-1])) for cell in op.args[0]]
    return []


def _at_first(at: Evaluator, link: Link) -> bool:
    initial = at.verdict.spec.initial
    if isinstance(initial, Mapping) and "default" in initial:
        return equal_values(initial.get((True, canonical(link.word)), initial["default"]), link.value)
    return equal_values(initial, link.value)


def _in_time(at: Evaluator, first: int, second: int) -> bool:
    a, b = at.ops[first], at.ops[second]
    hinted = a.order is not None and b.order is not None and a.order < b.order
    crash = any(a.call < crash.time <= b.call for crash in at.history.crashes)
    return at.before(first, second) or hinted or crash or (a.process == b.process and a.call <= b.call)
