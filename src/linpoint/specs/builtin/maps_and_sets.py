# SPDX-License-Identifier: Apache-2.0
"""Objects with independent parts, which are checked separately: map, set, multiset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linpoint.histories.values import Value, canonical, equal_values, format_value
from linpoint.specs.builtin.spec_declaration import initial_list, initial_mapping, step, table, unsuccessful
from linpoint.specs.builtin.spec_factory import declare
from linpoint.specs.spec import Outcomes, Returns, Spec, Twin

Entries = Mapping[Any, Value]


def _first(args: tuple[Value, ...]) -> Value:
    return args[0]


def _get(state: Entries, key: Value) -> tuple[Value, Entries]:
    return state.get(canonical(key)), state


def _put(state: Entries, key: Value, value: Value) -> tuple[None, Entries]:
    return None, {**state, canonical(key): value}


def _insert(state: Entries, key: Value, value: Value) -> tuple[bool, Entries]:
    return (False, state) if canonical(key) in state else (True, {**state, canonical(key): value})


def _delete(state: Entries, key: Value) -> tuple[bool, Entries]:
    name = canonical(key)
    return (name in state), {other: value for other, value in state.items() if other != name}


def _append(state: Entries, key: Value, text: str) -> Outcomes:
    before = state.get(canonical(key), "")
    return [(None, {**state, canonical(key): before + text})] if isinstance(before, str) else []


def _cas(state: Entries, key: Value, old: Value, new: Value) -> tuple[bool, Entries]:
    """Compare and set the value of a key. Here an absent key has the value null, as for ``get``."""
    return (True, {**state, canonical(key): new}) if equal_values(state.get(canonical(key)), old) else (False, state)


def _contains(state: Entries, key: Value) -> tuple[bool, Entries]:
    return canonical(key) in state, state


def _needs_string(args: tuple[Value, ...]) -> str | None:
    return None if isinstance(args[-1], str) else f"{format_value(args[-1])} is not a string"


@declare
def map_(*, initial: Any = None) -> Spec:
    """A map from keys to values; each key is checked separately."""
    steps = [
        step("get", _get, "k", result="v or null", reads=True),
        step("put", _put, "k", "v", returns=Returns.NOTHING),
        step("insert", _insert, "k", "v", returns=Returns.SUCCESS, result="bool (true iff absent)", reads=unsuccessful),
        *(
            step(name, _delete, "k", returns=Returns.SUCCESS, result="bool (true iff present)", reads=unsuccessful)
            for name in ("delete", "erase", "remove")
        ),
        step("append", _append, "k", "s", returns=Returns.NOTHING, complaint=_needs_string),
        step("cas", _cas, "k", "old", "new", returns=Returns.SUCCESS, reads=unsuccessful),
        step("contains", _contains, "k", returns=Returns.OBSERVATION, reads=True),
    ]
    entries = {} if initial is None else initial_mapping("map", initial)
    return Spec("map", entries, table(steps), key_argument=True, partition=_first, twin=Twin("map"))


def _add(state: frozenset[Any], value: Value) -> tuple[bool, frozenset[Any]]:
    return canonical(value) not in state, state | {canonical(value)}


def _remove(state: frozenset[Any], value: Value) -> tuple[bool, frozenset[Any]]:
    return canonical(value) in state, state - {canonical(value)}


def _has(state: frozenset[Any], value: Value) -> tuple[bool, frozenset[Any]]:
    return canonical(value) in state, state


@declare
def set_(*, initial: Any = None) -> Spec:
    """A set of values; add and remove return whether they changed it."""
    steps = [
        step("add", _add, "v", returns=Returns.SUCCESS, reads=unsuccessful),
        step("remove", _remove, "v", returns=Returns.SUCCESS, reads=unsuccessful),
        step("contains", _has, "v", returns=Returns.OBSERVATION, reads=True),
    ]
    first = frozenset(map(canonical, initial_list("set", initial)))
    return Spec("set", first, table(steps), partition=_first, twin=Twin("set"))


def _count(state: Entries, value: Value) -> tuple[int, Entries]:
    return state.get(canonical(value), 0), state


def _add_one(state: Entries, value: Value) -> tuple[None, Entries]:
    return None, {**state, canonical(value): _count(state, value)[0] + 1}


def _remove_one(state: Entries, value: Value) -> tuple[bool, Entries]:
    count = _count(state, value)[0]
    if not count:
        return False, state
    rest = {other: number for other, number in state.items() if other != canonical(value)}
    return True, (rest if count == 1 else {**rest, canonical(value): count - 1})


@declare
def multiset(*, initial: Any = None) -> Spec:
    """A multiset: values with counts."""
    steps = [
        step("add", _add_one, "v", returns=Returns.NOTHING),
        step("remove", _remove_one, "v", returns=Returns.SUCCESS, reads=unsuccessful),
        step("count", _count, "v", result="n", reads=True),
    ]
    state: Entries = {}
    for value in initial_list("multiset", initial):
        state = _add_one(state, value)[1]
    return Spec("multiset", state, table(steps), partition=_first, twin=Twin("multiset"))
