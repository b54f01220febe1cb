# SPDX-License-Identifier: Apache-2.0
"""Registers: one value, one value with compare-and-set, several values in transactions, multi-word CAS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linpoint.histories.values import FrozenObject, Value, canonical, equal_values, format_value, freeze
from linpoint.specs.builtin.spec_declaration import initial_mapping, step, table, unsuccessful
from linpoint.specs.builtin.spec_factory import declare
from linpoint.specs.spec import Outcomes, Returns, Spec, Twin

_PAIR, _TRIPLE = 2, 3
Words = Mapping[Any, Value]
_DEFAULT = "default"  # the initial value of words without one of their own; canonical keys of words are (True, word)
UNNAMED: dict[str, Value] = {"multi-register": None, "mwcas": 0}
"""The initial value of a word if the initial value of the object names only other words."""


def _read(state: Value) -> tuple[Value, Value]:
    return state, state


def _write(_state: Value, value: Value) -> tuple[None, Value]:
    return None, value


def _cas(state: Value, old: Value, new: Value) -> tuple[bool, Value]:
    return (True, new) if equal_values(state, old) else (False, state)


def _swap(state: Value, value: Value) -> tuple[Value, Value]:
    return state, value


_REGISTER = (step("read", _read, result="v", reads=True), step("write", _write, "v", returns=Returns.NOTHING))
_CAS_REGISTER = (
    *_REGISTER,
    step("cas", _cas, "old", "new", returns=Returns.SUCCESS, reads=unsuccessful),
    step("swap", _swap, "v", result="old"),
)


@declare
def register(*, initial: Any = None) -> Spec:
    """One value: read and write."""
    return Spec("register", freeze(initial), table(_REGISTER), twin=Twin("register"))


@declare
def cas_register(*, initial: Any = None) -> Spec:
    """One value: read, write, compare-and-set and swap."""
    return Spec("cas-register", freeze(initial), table(_CAS_REGISTER), twin=Twin("register"))


def _words(name: str, initial: Any) -> Words:
    """The initial words.

    An object or a list of pairs gives some of them a value; any other value is the value of all.
    """
    if isinstance(initial, (Mapping, list, tuple)):
        named = initial_mapping(name, initial)
        return {_DEFAULT: UNNAMED[name], **{(True, word): value for word, value in named.items()}}
    return {_DEFAULT: freeze(initial)}


def look(state: Words, word: Value) -> Value:
    """The value of a word."""
    return state.get((True, canonical(word)), state[_DEFAULT])


def words_at_first(spec: Spec) -> tuple[Value, dict[Any, Value]]:
    """The initial value of all words of a memory, and by canonical form the words with a different one."""
    named = {name[1]: value for name, value in spec.initial.items() if name != _DEFAULT}
    return spec.initial[_DEFAULT], named


def _store(state: Words, word: Value, value: Value) -> Words:
    return {**state, (True, canonical(word)): value}


def _txn(state: Words, micro: tuple[Value, ...]) -> tuple[Value, Words]:
    filled = []
    for kind, word, value in micro:
        if kind == "read":
            filled.append((kind, word, look(state, word)))
        else:
            filled.append((kind, word, value))
            state = _store(state, word, value)
    return tuple(filled), state


def _txn_complaint(args: tuple[Value, ...]) -> str | None:
    for micro in args[0] if isinstance(args[0], tuple) else [args[0]]:
        if not (isinstance(micro, tuple) and len(micro) == _TRIPLE and micro[0] in ("read", "write")):
            return f'{format_value(micro)} is neither ["read", key, null] nor ["write", key, value]'
    return None


@declare
def multi_register(*, initial: Any = None) -> Spec:
    """Several values, read and written together in transactions."""
    steps = [
        step(
            "txn",
            _txn,
            "micro-operations",
            result="the same with reads filled in",
            complaint=_txn_complaint,
            reads=lambda args, _: all(micro[0] == "read" for micro in args[0]),
        )
    ]
    return Spec("multi-register", _words("multi-register", initial), table(steps))


def _mw_read(state: Words, words: tuple[Value, ...]) -> tuple[Value, Words]:
    return tuple(look(state, word) for word in words), state


def _mw_cas(state: Words, cells: tuple[tuple[Value, Value, Value], ...]) -> Outcomes:
    """Compare and swap several words.

    Success returns true; a failure returns false, the word that differs, or the values read. This includes
    implementations that always return the values read: on success these equal the expected ones.
    """
    seen = tuple(look(state, word) for word, _, _ in cells)
    blamed = [word for (word, old, _), value in zip(cells, seen, strict=True) if not equal_values(old, value)]
    if blamed:
        return [(False, state), *((FrozenObject(at=word), state) for word in blamed), (seen, state)]
    after = {**state, **{(True, canonical(word)): new for word, _, new in cells}}
    return [(True, after), (seen, after)]


def _mw_swap(state: Words, cells: tuple[tuple[Value, Value], ...]) -> tuple[Value, Words]:
    old = tuple(look(state, word) for word, _ in cells)
    return old, {**state, **{(True, canonical(word)): new for word, new in cells}}


def _mw_write(state: Words, cells: tuple[tuple[Value, Value], ...]) -> tuple[None, Words]:
    return None, _mw_swap(state, cells)[1]


def _cells(size: int, shape: str) -> Any:
    def complaint(args: tuple[Value, ...]) -> str | None:
        cells = args[0]
        if not isinstance(cells, tuple):
            return f"{format_value(cells)} is not a list"
        if size == 1:
            words = [canonical(cell) for cell in cells]
        elif all(isinstance(cell, tuple) and len(cell) == size for cell in cells):
            words = [canonical(cell[0]) for cell in cells]
        else:
            return f"{format_value(cells)} is not a list of {shape}"
        return f"{format_value(cells)} names a word twice" if len(set(words)) < len(words) and size > 1 else None

    return complaint


@declare
def mwcas(*, initial: Any = 0) -> Spec:
    """Words in memory with multi-word read, compare-and-swap, swap and write; words start at 0."""
    steps = [
        step("read", _mw_read, "[m, ...]", result="[v, ...]", complaint=_cells(1, ""), reads=True),
        step(
            "mwcas",
            _mw_cas,
            "[[m, old, new], ...]",
            returns=Returns.SUCCESS,
            result='true, false, {"at": m} or [v, ...]',
            complaint=_cells(_TRIPLE, "[m, old, new]"),
            reads=lambda _, result: result is False or isinstance(result, Mapping),
        ),
        step("mwswap", _mw_swap, "[[m, new], ...]", result="[old, ...]", complaint=_cells(_PAIR, "[m, new]")),
        step("mwwrite", _mw_write, "[[m, new], ...]", returns=Returns.NOTHING, complaint=_cells(_PAIR, "[m, new]")),
    ]
    return Spec("mwcas", _words("mwcas", initial), table(steps), twin=Twin("mwcas"))
