# SPDX-License-Identifier: Apache-2.0
"""The native reader of a file against the Python reader, and columns of list tokens against their operations."""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint import History, LinpointError
from linpoint.histories._native_columns import EdnReader, JsonEventReader
from linpoint.histories.formats import load_save
from linpoint.histories.formats import native_reading as native
from linpoint.histories.formats.file_format import MakeReader
from linpoint.histories.integer_columns import integer_of
from linpoint.histories.lazy_operations import LazyOperations
from linpoint.histories.value_numbering import LIST, OBJECT, is_list
from linpoint.histories.values import Value, canonical


def read(path: Path, how: Callable[..., Any], **options: Any) -> History | LinpointError:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_save, "read_columns", how)
        try:
            return linpoint.load(path, **options)
        except LinpointError as error:
            return error


def blocks(data: memoryview, size: int) -> list[memoryview]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def in_pieces(path: Path, count: int) -> Callable[..., Any]:
    """The native reader on a file in a given number of parts, each a few lines long and read by its own thread.

    Events come in one part, but in small blocks.
    """
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = [data] if b"\r" in data else data.splitlines(keepends=True)

    def read_in_pieces(make: MakeReader, _: Any, size: int) -> native.NativeRead | None:
        events = isinstance(make(0, True), (EdnReader, JsonEventReader))
        cuts = (
            [0, len(lines)]
            if events
            else [min(len(lines) * at // count + 2 * (at > 0), len(lines)) for at in range(count + 1)]
        )
        parts = [blocks(memoryview(b"".join(lines[a:b])), 100 if events else 1000) for a, b in itertools.pairwise(cuts)]
        return native.read_columns(make, parts, size)

    return read_in_pieces


def compare(path: Path, **options: Any) -> bool:
    """Read with both readers and compare; whether the native reader succeeded by itself."""
    ours, plain = read(path, native.read_columns, **options), read(path, lambda *_: None, **options)
    if isinstance(plain, LinpointError):
        assert str(ours) == str(plain), path.read_bytes()
        return False
    assert isinstance(ours, History), (ours, path.read_bytes())
    same_history(ours, plain)
    if isinstance(ours.operations, LazyOperations):
        pieces = read(path, in_pieces(path, 3), **options)
        assert isinstance(pieces, History), (pieces, path.read_bytes())
        assert isinstance(pieces.operations, LazyOperations)
        same_history(pieces, plain)
    return isinstance(ours.operations, LazyOperations)


def same_history(ours: History, plain: History) -> None:
    # As texts, 1 differs from 1.0 and a list from a tuple; under equality they do not.
    one_by_one = [repr(ours.operations[position]) for position in range(len(ours))]
    assert one_by_one == [*map(repr, plain.operations)]
    assert (ours.processes, ours.keyed) == (plain.processes, plain.keyed)
    same_columns(ours, plain)
    assert [*map(repr, ours)] == one_by_one
    assert [*map(repr, ours.crashes)] == [*map(repr, plain.crashes)]
    assert [*map(repr, ours.annotations)] == [*map(repr, plain.annotations)]
    assert ours == plain
    assert plain == ours
    assert hash(ours) == hash(plain)
    assert (ours.source, ours.by_position) == (plain.source, plain.by_position)


def same_columns(ours: History, plain: History) -> None:
    mine, theirs = ours.columns, plain.columns
    assert mine.names == theirs.names
    for likeness in ("arity", "arguments", "result", "process", "key"):
        same = [columns.native.classify(range(len(columns.names)), **{likeness: True}) for columns in (mine, theirs)]
        assert same[0].split(range(len(ours))) == same[1].split(range(len(ours))), likeness
    assert set(mine.numbers) == {canonical(value) for value in mine.values} >= set(theirs.numbers)
    assert len(mine.values) == len(mine.numbers)
    for number, value in enumerate(mine.values):
        assert canonical(mine.values[number]) == canonical(value)
        assert mine.numbers[canonical(value)] == number
        assert mine.integers[number] == integer_of(value)
        assert canonical(value) in theirs.numbers or not is_list(value)  # it may occur only within lists
    same_values_as_read(ours)
    same_values_as_read(plain)


def same_values_as_read(history: History) -> None:
    """Every argument and result is in ``columns.as_read``, lists as tokens; other numbers match ``native``."""
    columns = history.columns
    values = [value for op in history for value in (*op.args, op.result)]
    known = {columns.scalar_number(each): each for value in values for each in within(value)}
    assert all(canonical(columns.scalars[number]) == canonical(each) for number, each in known.items() if number >= 0)
    assert -1 not in known
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
    """The scalars inside a value, at any depth, including names."""
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
    """The value of a token."""
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
