# SPDX-License-Identifier: Apache-2.0
"""The reads-from edges of histories that have no precedence graph by the paper's rules.

A write to a register does not return the overwritten value, so replacements are unknown. But a value that exactly one
operation wrote and another observed orders the two. Cost: O(kn) in Python, for a few thousand operations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

from linpoint.explain.history.graph.precedence_graph import GENESIS, Edge
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value, canonical, equal_values
from linpoint.specs.builtin.registers_and_mwcas import words_at_first
from linpoint.specs.spec import Spec

MAX_READ_OPERATIONS: Final = 5_000
"""The maximum number of operations of an object to examine."""
Cells = Mapping[Hashable, tuple[Value, Value]]
"""For each word in comparable form: the word and its value."""


def read_from(ops: Sequence[Operation], positions: Sequence[int], spec: Spec) -> list[Edge]:
    """An edge for each observed value that exactly one operation can have written."""
    writers: dict[Hashable, list[int]] = defaultdict(list)
    seen: list[tuple[int, Value, Value]] = []
    for position in positions:
        saw, wrote = effects(ops[position])
        for word, (_, value) in wrote.items():
            writers[word, canonical(value)].append(position)
        seen += [(position, word, value) for word, value in saw.values()]
    edges = []
    for position, word, value in seen:
        sources: list[int | str] = [*writers.get((canonical(word), canonical(value)), ())]
        sources += [GENESIS] if equal_values(value, _first(spec, word)) else []
        if len(sources) == 1 and sources != [position]:
            edges.append(Edge(sources[0], position, "reads-from", word, value))
    return edges


def effects(op: Operation) -> tuple[Cells, Cells]:
    """The cells that an operation observed and wrote, or may have written if its outcome is unknown."""
    known = op.outcome is Outcome.OK
    saw: list[tuple[Value, Value]] = []
    wrote: list[tuple[Value, Value]] = []
    match op.name.replace("_", "-"), op.args:
        case "read", () if known:
            saw = [(None, op.result)]
        case "read", (tuple() as words,) if known:
            saw = _paired(words, op.result)
        case ("write", (value,)) | ("swap", (value,)):
            wrote = [(None, value)]
            saw = [(None, op.result)] if known and op.name == "swap" else []
        case "cas", (old, new) if op.result is True or not known:
            saw, wrote = ([(None, old)] if known else []), [(None, new)]
        case (("mwwrite" | "mwswap"), (tuple() as cells,)):
            wrote = [(cell[0], cell[-1]) for cell in cells]
            saw = _paired([word for word, _ in wrote], op.result) if known else []
        case "mwcas", (tuple() as cells,):
            expected = [cell[1] for cell in cells]
            listed = isinstance(op.result, tuple)
            if not known or op.result is True or (listed and equal_values(op.result, expected)):
                wrote = [(cell[0], cell[-1]) for cell in cells]
                saw = [(cell[0], cell[1]) for cell in cells] if known else []
            elif listed:
                saw = _paired([cell[0] for cell in cells], op.result)
    return _cells(saw), _cells(wrote)


def _paired(words: Sequence[Value], values: Any) -> list[tuple[Value, Value]]:
    fits = isinstance(values, tuple) and len(values) == len(words)
    return list(zip(words, values, strict=True)) if fits else []


def _cells(pairs: Sequence[tuple[Value, Value]]) -> Cells:
    return {canonical(word): (word, value) for word, value in pairs}


def _first(spec: Spec, word: Value) -> Value:
    if spec.twin is None or spec.twin.kind != "mwcas":
        return spec.initial
    default, named = words_at_first(spec)
    return named.get(canonical(word), default)
