# SPDX-License-Identifier: Apache-2.0
"""Derives the initial values of the words of a memory. A register is a memory of one word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value, canonical, equal_values
from linpoint.specs.builtin.registers_and_mwcas import UNNAMED, look
from linpoint.specs.spec import Spec

_THE_WORD = "the word"
Cell = tuple[Value, Value]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A value that an operation found in a word, before any operation can have put it there (``early``) or later."""

    word: Value
    value: Value
    early: bool


def first_words(spec: Spec, ops: Sequence[Operation], core: Sequence[Operation]) -> Iterator[Value]:
    """Candidates for the initial value of a register, or of a memory: one value for all words or an object of words.

    A value that was found before any operation can have put it there was there initially. Without such a value, the
    initial value may also be one that an operation wrote: then the candidates are the values that the conflicting
    operations found.
    """
    put: dict[Any, float] = {}
    for op in ops:
        for word, value in _puts(spec, op):
            name = (canonical(word), canonical(value))
            put[name] = min(put.get(name, op.call), op.call)

    def seen_by(some: Iterable[Operation]) -> list[_Seen]:
        return [
            _Seen(word, value, op.end < put.get((canonical(word), canonical(value)), float("inf")))
            for op in some
            if op.outcome is Outcome.OK
            for word, value in _finds(spec, op)
        ]

    seen, conspiring = seen_by(ops), seen_by(core)
    early = [each for each in seen if each.early]
    if spec.name in ("register", "cas-register"):
        yield from (each.value for each in early or [*conspiring, *seen])
        return
    now = _now(spec, ops)
    sure = _first_of_each(early)
    for chosen in (sure, _first_of_each([*early, *conspiring, *seen]), _first_of_each(seen)):
        values = {canonical(value): value for _, value in chosen.values()}
        if len(values) == 1:
            yield next(iter(values.values()))  # one value for all words is shorter
        yield _memory({**now, **chosen})
    for each in conspiring:
        yield _memory({**now, **sure, canonical(each.word): (each.word, each.value)})


def words_before(spec: Spec, ops: Sequence[Operation]) -> tuple[Value] | None:
    """The initial memory, in the form of ``--initial``, that gives these operations the values that none of them wrote.

    The result is a tuple, since null is also a value; None if a word would need two values.
    """
    put = {(canonical(word), canonical(value)) for op in ops for word, value in _puts(spec, op)}
    register = spec.name in ("register", "cas-register")
    needed: dict[Any, Cell] = {}
    for op in ops:
        for word, value in (*_finds(spec, op), *_expects(spec, op)):
            name = canonical(word)
            if (name, canonical(value)) in put:
                continue
            if name in needed and not equal_values(needed[name][1], value):
                return None
            needed[name] = (word, value)
    if register:
        return (needed[_THE_WORD][1] if needed else spec.initial,)
    named = {canonical(word): word for op in ops for word, _ in (*_finds(spec, op), *_puts(spec, op))}
    return (_memory({name: needed.get(name, (word, look(spec.initial, word))) for name, word in named.items()}),)


def _expects(spec: Spec, op: Operation) -> Iterator[Cell]:
    """The value that an operation expected if it failed or its outcome is unknown."""
    name = spec.step(op).name
    if name == "mwcas" and not isinstance(op.result, tuple):
        blamed = op.result.get("at") if isinstance(op.result, Mapping) else None
        yield from ((word, old) for word, old, _ in op.args[0] if blamed is None or equal_values(word, blamed))
    elif name == "cas":
        yield _THE_WORD, op.args[0]


def _now(spec: Spec, ops: Sequence[Operation]) -> dict[Any, Cell]:
    """The spec's own initial values of words, where they differ from that of unnamed words."""
    named = {canonical(word): word for op in ops for word, _ in (*_finds(spec, op), *_puts(spec, op))}
    cells = {name: (word, look(spec.initial, word)) for name, word in named.items()}
    return {name: cell for name, cell in cells.items() if not equal_values(cell[1], UNNAMED[spec.name])}


def _first_of_each(seen: Iterable[_Seen]) -> dict[Any, Cell]:
    first: dict[Any, Cell] = {}
    for each in seen:
        first.setdefault(canonical(each.word), (each.word, each.value))
    return first


def _memory(cells: Mapping[Any, Cell]) -> Value:
    """The memory in the form of ``--initial``: an object where all words are strings, else pairs."""
    pairs = [list(cell) for cell in cells.values()]
    return dict(pairs) if all(isinstance(word, str) for word, _ in pairs) else pairs


def _finds(spec: Spec, op: Operation) -> Iterator[Cell]:
    """The words that an operation read, with their values. Results may be anything; malformed ones are skipped."""
    name, result = spec.step(op).name, op.result
    if name == "txn":
        own = set()
        for kind, word, value in result if _is_txn(result) else ():
            if kind == "write":
                own.add(canonical(word))
            elif canonical(word) not in own:
                yield word, value
    elif name == "mwcas" and result is True:
        yield from ((word, old) for word, old, _ in op.args[0])
    elif spec.name == "mwcas":
        named = op.args[0] if name == "read" else [cell[0] for cell in op.args[0]]
        if isinstance(result, tuple) and len(result) == len(named):
            yield from zip(named, result, strict=True)
    elif name == "cas":
        yield from [(_THE_WORD, op.args[0])] if result is True else []
    elif name != "write":
        yield _THE_WORD, result


def _puts(spec: Spec, op: Operation) -> Iterator[Cell]:
    """The words that an operation may have written."""
    name = spec.step(op).name
    if name == "txn":
        yield from ((word, value) for kind, word, value in op.args[0] if kind == "write")
    elif spec.name == "mwcas" and name != "read" and op.result is not False:
        yield from ((cell[0], cell[-1]) for cell in op.args[0])
    elif name in ("write", "swap", "cas") and op.result is not False:
        yield _THE_WORD, op.args[-1]


def _is_txn(result: Value) -> bool:
    return isinstance(result, tuple) and all(isinstance(micro, tuple) and len(micro) == 3 for micro in result)
