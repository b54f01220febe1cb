# SPDX-License-Identifier: Apache-2.0
"""The answer to "is this history linearizable?": a status with its evidence, never a bare bool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NoReturn

from linpoint.errors import UndecidedError, ViolationError
from linpoint.histories.history import History
from linpoint.histories.values import Value
from linpoint.verdicts.partial_search import PartialSearch
from linpoint.verdicts.refutation import Refutation
from linpoint.verdicts.renderers import render
from linpoint.verdicts.status import Status
from linpoint.verdicts.witness import Witness

if TYPE_CHECKING:  # names of other layers, for types alone
    from linpoint.explain.history.explanation import Explanation
    from linpoint.explain.history.graph.precedence_graph import PrecedenceGraph
    from linpoint.specs.spec import Spec


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the check cost. ``seconds`` is the checking itself, without start-up and reading."""

    seconds: float = 0.0
    peak_memory_bytes: int = 0
    operations: int = 0
    configurations: int = 0

    def as_dict(self) -> dict[str, float | int]:
        """As in the JSON contract."""
        return {
            "seconds": round(self.seconds, 6),
            "peak_memory_bytes": self.peak_memory_bytes,
            "operations": self.operations,
            "configurations": self.configurations,
        }


@dataclass(frozen=True, slots=True)
class KeyVerdict:
    """The verdict on one independent object. Positions are those of the whole history."""

    key: Value
    status: Status
    checker: str
    why: str
    positions: Sequence[int] = field(repr=False)
    witness: Witness | None = field(default=None, repr=False)
    refutation: Refutation | None = field(default=None, repr=False)
    configurations: int = 0
    reached: PartialSearch | None = field(default=None, repr=False)
    """How far the search got, where it was stopped."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The answer for a history, with its evidence for each key: a witness is certified, of a refutation the prefix is."""

    status: Status
    history: History = field(repr=False)
    spec: Spec = field(repr=False)
    condition: str
    checker: str
    why: str
    keys: tuple[KeyVerdict, ...] = field(repr=False)
    statistics: Statistics = field(repr=False)
    warnings: tuple[str, ...] = ()
    merge: Callable[[], Witness | None] = field(default=lambda: None, repr=False)
    """Makes one order of the orders of all keys, when it is asked for."""

    subject_kind: ClassVar = "history"

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has three values: compare verdict.status, or call verdict.raise_for_violation()")

    @property
    def witness(self) -> Witness | None:
        """The order of all operations, when the history is linearizable; ``keys`` has the order for each object."""
        if self.status is not Status.LINEARIZABLE:
            return None
        return self.keys[0].witness if len(self.keys) == 1 else self.merge()

    @property
    def refutation(self) -> Refutation | None:
        """The refutation of the first key in violation."""
        return next((key.refutation for key in self.keys if key.status is Status.VIOLATION), None)

    def explain(self) -> Explanation:
        """Why: an ``Explanation``, whose ``text`` is for people and whose ``as_dict()`` is for programs."""
        explanation: Explanation = render(self, "explanation")
        return explanation

    def precedence_graph(self) -> PrecedenceGraph:
        """The part of the history's precedence graph that says most, with ``as_dict()``, ``as_dot()`` and ``as_svg()``.

        Raises LP-U008 for a spec whose histories have none.
        """
        graph: PrecedenceGraph = render(self, "graph")
        return graph

    def raise_for_violation(self) -> None:
        """Raise ``ViolationError`` for a violation and ``UndecidedError`` for UNKNOWN; else return."""
        if self.status is Status.VIOLATION:
            raise ViolationError(self.explain().text)
        if self.status is Status.UNKNOWN:
            raise UndecidedError(f"not decided: {self.why}")
