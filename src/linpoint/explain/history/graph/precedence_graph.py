# SPDX-License-Identifier: Apache-2.0
"""A precedence graph as data: the operations that are shown, and why one must precede another.

Guarantee: the same verdict gives the same graph and the same text, byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.explain.json_values import operation_fields
from linpoint.histories.operation import Crash, Operation
from linpoint.histories.values import Value, format_value, thaw

GENESIS: Final = "genesis"
"""The vertex that wrote the first values."""
NOBODY: Final = "nobody"
"""The source of a value that was never written."""
KINDS: Final = (
    "real-time",
    "reads-from",
    "replaced",
    "failed-after",
    "failed-before",
    "process-order",
    "order-hint",
    "crash",
    "overwritten",
    "spec-order",
)
"""The last five occur in arguments that do not come from a precedence graph."""
_OF_VALUES: Final = frozenset(KINDS[1:5])


@dataclass(frozen=True, slots=True)
class Vertex:
    """An operation of the graph."""

    position: int
    """In the history that was checked."""
    operation: Operation
    contradicts: bool = False
    """Whether it is one of those that contradict each other."""
    name: str = ""
    """Its name where the graph is shown, next to its position."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One operation must come before another."""

    source: int | str
    """A position; or ``genesis``, for a value that was there at first, or ``nobody``, for one that was never written."""
    target: int
    because: str
    """One of ``KINDS``."""
    word: Value = None
    """Of which word; None for real time, and for a register, which is one."""
    value: Value = None
    """The value that was written, observed or expected."""

    @property
    def says(self) -> str:
        """The word and its value: ``x=5``; nothing where the order has other reasons."""
        if self.because not in _OF_VALUES:
            return ""
        word = self.word if isinstance(self.word, str) else format_value(self.word)
        return format_value(self.value) if self.word is None else f"{word}={format_value(self.value)}"

    @property
    def key(self) -> tuple[Any, ...]:
        """The identity and order of edges."""
        first = {GENESIS: -2, NOBODY: -1}.get(self.source, self.source) if isinstance(self.source, str) else self.source
        return (first, self.target, KINDS.index(self.because), format_value(self.word), format_value(self.value))

    def as_dict(self) -> dict[str, Any]:
        """The edge as JSON values."""
        data: dict[str, Any] = {"source": self.source, "target": self.target, "because": self.because}
        if self.word is not None:
            data["word"] = thaw(self.word)
        if self.because in _OF_VALUES:
            data["value"] = thaw(self.value)
        return data


@dataclass(frozen=True, slots=True)
class PrecedenceGraph:
    """The part of a precedence graph that is shown."""

    verdict: str
    """``linearizable``, ``violation`` or ``unknown``."""
    sentence: str
    """The verdict in a sentence."""
    spec: str
    condition: str
    vertices: tuple[Vertex, ...] = ()
    """By position."""
    edges: tuple[Edge, ...] = ()
    contradictions: tuple[tuple[int, ...], ...] = ()
    """Each a list of edges, by their index, in order."""
    reason: str | None = None
    """Why no order exists, where a graph found that: ``cycle``, ``fork`` and so on."""
    key: Value = None
    """The object that is shown; None where there are no keys, or several objects are shown."""
    operations: int = 0
    """How many operations were checked."""
    crashes: tuple[Crash, ...] = ()
    """Those between the operations that are shown."""
    notes: tuple[str, ...] = field(default=())
    """The omitted parts, as sentences."""

    @property
    def contradicting(self) -> frozenset[int]:
        """The edges that contradict each other, by their index."""
        return frozenset(index for each in self.contradictions for index in each)

    def number(self, index: int) -> str:
        """The place of an edge in the contradictions: ``2``, or ``1.2`` where there are several; empty if in none."""
        several = len(self.contradictions) > 1
        places = [
            f"{which}.{step}" if several else f"{step}"
            for which, each in enumerate(self.contradictions, 1)
            for step, edge in enumerate(each, 1)
            if edge == index
        ]
        return ", ".join(places)

    def has(self, source: str) -> bool:
        """Whether ``genesis`` or ``nobody`` is a vertex."""
        return any(edge.source == source for edge in self.edges)

    @property
    def size(self) -> str:
        """How much is shown: ``7 of 1,204 operations``."""
        shown = f"{len(self.vertices):,}"
        return f"{shown} of {self.operations:,} operation{'s' * (self.operations != 1)}"

    def as_dict(self) -> dict[str, Any]:
        """The graph as JSON values."""
        data: dict[str, Any] = {"verdict": self.verdict, "sentence": self.sentence}
        data |= {"spec": self.spec, "condition": self.condition, "key": thaw(self.key), "reason": self.reason}
        data |= {"operations": self.operations, "shown": len(self.vertices), "notes": list(self.notes)}
        data["vertices"] = [
            {"position": vertex.position, **_plain(vertex.operation), "contradicts": vertex.contradicts}
            for vertex in self.vertices
        ]
        data["genesis"] = self.has(GENESIS)
        data["edges"] = [
            {**edge.as_dict(), "contradicts": index in self.contradicting} for index, edge in enumerate(self.edges)
        ]
        data["contradictions"] = [list(each) for each in self.contradictions]
        data["crashes"] = [
            {"time": crash.time, "process": crash.process, **({"object": True} if crash.of_object else {})}
            for crash in self.crashes
        ]
        return data

    def as_dot(self) -> str:
        """The graph in the language of Graphviz."""
        from linpoint.explain.history.graph.dot_writer import dot  # noqa: PLC0415 - it knows this module

        return dot(self)

    def as_svg(self) -> str:
        """The graph as a picture: a row for each process, time to the right."""
        from linpoint.explain.history.graph.svg_writer import svg  # noqa: PLC0415 - as above

        return svg(self)


def _plain(op: Operation) -> dict[str, Any]:
    """The operation in lists and dicts, so that it is the same when it is read again."""
    return operation_fields(op) | {name: thaw(getattr(op, name)) for name in ("args", "result")}
