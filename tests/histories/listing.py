# SPDX-License-Identifier: Apache-2.0
"""Columns with lists as tokens, against the operations that they were made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from linpoint import History
from linpoint.histories.numbering import LIST, OBJECT
from linpoint.histories.values import Value, canonical


def same_values_as_read(history: History) -> None:
    """Every argument and result stands in ``columns.as_read``, lists as tokens; other numbers are those of ``native``."""
    columns = history.columns
    values = [value for op in history for value in (*op.args, op.result)]
    known = {columns.scalar_number(each): each for value in values for each in within(value)}
    assert all(0 <= number < columns.scalars for number in known)
    assert len(known) == len({canonical(each) for each in known.values()})
    for form, number in columns.numbers.items():
        if number in known and not isinstance(form, tuple):
            assert canonical(known[number]) == form
    for position, op in enumerate(history):
        args, result = columns.as_read.numbers_at(position)
        equated, returned = columns.native.numbers_at(position)
        assert len(args) == len(op.args)
        for value, number, same in zip((*op.args, op.result), (*args, result), (*equated, returned), strict=True):
            if number >= 0:
                assert number == same
                assert canonical(known[number]) == canonical(value)
            else:
                tokens = iter(columns.as_read.tokens(LIST - number))
                assert canonical(decoded(tokens, known)) == canonical(value)
                assert next(tokens, None) is None


def within(value: Value) -> Iterator[Value]:
    """What is no list in a value, however deep, names among it."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from within(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from within(item)
    else:
        yield value


def decoded(tokens: Iterator[int], known: dict[int, Value]) -> Any:
    """The value that tokens stand for."""
    token = next(tokens)
    if token >= 0:
        return known[token]
    if token > OBJECT:
        return tuple(decoded(tokens, known) for _ in range(LIST - token))
    entries: dict[Hashable, Any] = {}
    for _ in range(OBJECT - token):
        name = known[next(tokens)]
        assert name not in entries
        entries[name] = decoded(tokens, known)
    return entries
