# SPDX-License-Identifier: Apache-2.0
"""A precedence graph as data: the shown operations, and the reasons why one must precede another.

Guarantee: the same verdict gives the same graph and the same text, byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.explain.json_values import operation_fields
from linpoint.histories.operation import Crash, Operation
from linpoint.histories.values import Value, format_value, thaw

GENESIS: Final = "genesis"
"""The vertex that wrote the initial values."""
NOBODY: Final = "nobody"
"""The vertex that stands for the source of values that no operation wrote."""
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
"""The kinds of edges. The last five occur only in arguments without a precedence graph."""
_OF_VALUES: Final = frozenset(KINDS[1:5])


@dataclass(frozen=True, slots=True)
class Vertex:
    """An operation of the graph."""

    position: int
    """The position in the checked history."""
    operation: Operation
    contradicts: bool = False
    """Whether it is one of the contradicting operations."""
    name: str = ""
    """Its name in the graph, next to its position."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One operation must come before another."""

    source: int | str
    """A position; ``genesis`` for an initial value, ``nobody`` for a value that no operation wrote."""
    target: int
    because: str
    """One of ``KINDS``."""
    word: Value = None
    """The word; None for real time and for registers."""
    value: Value = None
    """The written, observed or expected value."""

    @property
    def says(self) -> str:
        """The word and its value: ``x=5``; empty if the order has another reason."""
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
    """The shown part of a precedence graph.

    The same verdict gives the same graph, byte for byte.
    """

    verdict: str
    """``linearizable``, ``violation`` or ``unknown``."""
    sentence: str
    """The verdict as a sentence."""
    spec: str
    """The name of the spec."""
    condition: str
    """The condition that was checked."""
    vertices: tuple[Vertex, ...] = ()
    """The vertices, ordered by position.

    Each has ``position``, ``operation``, and whether it ``contradicts`` others.
    """
    edges: tuple[Edge, ...] = ()
    """The edges.

    Each has ``source`` (a position, ``"genesis"`` or ``"nobody"``), ``target``, ``because``, ``word``, ``value`` and
    ``says``.
    """
    contradictions: tuple[tuple[int, ...], ...] = ()
    """Each is a list of edges in order, by index."""
    reason: str | None = None
    """The reason why no order exists, if a graph found it: ``cycle``, ``fork`` and so on."""
    key: Value = None
    """The shown object; None without keys or for several objects."""
    operations: int = 0
    """The number of checked operations."""
    crashes: tuple[Crash, ...] = ()
    """The crashes between the shown operations."""
    notes: tuple[str, ...] = field(default=())
    """The omitted parts, as sentences."""

    @property
    def contradicting(self) -> frozenset[int]:
        """The contradicting edges, by index."""
        return frozenset(index for each in self.contradictions for index in each)

    def number(self, index: int) -> str:
        """The place of an edge in the contradictions: ``2``, or ``1.2`` with several; empty if it is in none."""
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
        """The size of the shown part: ``7 of 1,204 operations``."""
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
        from linpoint.explain.history.graph.dot_writer import dot  # noqa: PLC0415 - it imports this module

        return dot(self)

    def as_svg(self) -> str:
        """The graph as an SVG picture: a row for each process, time to the right."""
        from linpoint.explain.history.graph.svg_writer import svg  # noqa: PLC0415 - as above

        return svg(self)


def _plain(op: Operation) -> dict[str, Any]:
    """The operation as lists and dicts, which JSON preserves."""
    return operation_fields(op) | {name: thaw(getattr(op, name)) for name in ("args", "result")}
