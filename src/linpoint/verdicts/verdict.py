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
    """The cost of a check."""

    seconds: float = 0.0
    """The time of the check itself, without start-up and reading."""
    peak_memory_bytes: int = 0
    """0 if the system does not report it."""
    operations: int = 0
    """The number of operations in the history."""
    configurations: int = 0
    """The number of configurations that all searches visited."""

    def as_dict(self) -> dict[str, float | int]:
        """The statistics as in the JSON contract."""
        return {
            "seconds": round(self.seconds, 6),
            "peak_memory_bytes": self.peak_memory_bytes,
            "operations": self.operations,
            "configurations": self.configurations,
        }


@dataclass(frozen=True, slots=True)
class KeyVerdict:
    """The verdict on one independent object."""

    key: Value
    """None in a history without keys."""
    status: Status
    """The status for this object."""
    checker: str
    """The algorithm that answered."""
    why: str
    """The reason for the choice of the algorithm; for UNKNOWN, the reason why there is no answer."""
    positions: Sequence[int] = field(repr=False)
    """The positions of its operations in the whole history."""
    witness: Witness | None = field(default=None, repr=False)
    """The witness order of its operations; None unless they are linearizable."""
    refutation: Refutation | None = field(default=None, repr=False)
    """The refutation of a violation; None for other verdicts."""
    configurations: int = 0
    """The number of configurations that all searches visited."""
    reached: PartialSearch | None = field(default=None, repr=False)
    """The progress of a search that was stopped."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The answer for a history, with the evidence for each key.

    A verdict has no truth value: ``bool(verdict)`` raises ``TypeError``. A witness is certified; the type of a
    refutation states which part of it is.
    """

    status: Status
    """The answer."""
    history: History = field(repr=False)
    """The history that was checked."""
    spec: Spec = field(repr=False)
    """The spec."""
    condition: str
    """The condition that was checked."""
    checker: str
    """The algorithm that answered."""
    why: str
    """The reason for the choice of the algorithm; for UNKNOWN, the reason why there is no answer."""
    keys: tuple[KeyVerdict, ...] = field(repr=False)
    """The verdict on each key, or a single one for a history without keys."""
    statistics: Statistics = field(repr=False)
    """The cost of the check."""
    warnings: tuple[str, ...] = ()
    """Sentences on why a pass proves little."""
    merge: Callable[[], Witness | None] = field(default=lambda: None, repr=False)
    """Merges the orders of all keys on request."""

    subject_kind: ClassVar = "history"
    """The row of the table of renderers."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has three values; compare verdict.status, or call verdict.raise_for_violation()")

    @property
    def witness(self) -> Witness | None:
        """The order of all operations if the history is linearizable; ``keys`` has the order for each object.

        None for other statuses, and if the orders of several keys cannot be merged.
        """
        if self.status is not Status.LINEARIZABLE:
            return None
        return self.keys[0].witness if len(self.keys) == 1 else self.merge()

    @property
    def refutation(self) -> Refutation | None:
        """The refutation of the first key in violation."""
        return next((key.refutation for key in self.keys if key.status is Status.VIOLATION), None)

    def explain(self) -> Explanation:
        """Explain the verdict: ``text`` is for people, ``as_dict()`` for programs.

        The explanation of a violation is computed on request, in up to ten seconds.
        """
        explanation: Explanation = render(self, "explanation")
        return explanation

    def precedence_graph(self) -> PrecedenceGraph:
        """The most informative part of the history's precedence graph, with ``as_dict()``, ``as_dot()`` and
        ``as_svg()``.

        Raises LP-U008 for a spec whose histories have no precedence graph.
        """
        graph: PrecedenceGraph = render(self, "graph")
        return graph

    def raise_for_violation(self) -> None:
        """Raise ``ViolationError`` for a violation and ``UndecidedError`` for UNKNOWN; otherwise do nothing."""
        if self.status is Status.VIOLATION:
            raise ViolationError(self.explain().text)
        if self.status is Status.UNKNOWN:
            raise UndecidedError(f"not decided: {self.why}")
