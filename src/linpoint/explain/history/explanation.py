# SPDX-License-Identifier: Apache-2.0
"""An explanation as data. It depends on the verdict alone, not on the algorithm that found it.

For a violation: the conflicting operations, the rejected one with its allowed results, a longest legal order with the
operations that cannot follow it, and whether another initial value would remove the violation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from linpoint.explain.history.claim import Claim
from linpoint.explain.history.reasons import ArgumentStep, LikelyCause
from linpoint.histories.values import Value
from linpoint.verdicts import KeyVerdict, Pattern, Precedence, StuckFrontier, Verdict
from linpoint.verdicts.renderers import render


@dataclass(frozen=True, slots=True)
class Culprit:
    """The rejected operation at ``position``, and the results with which the others have an order."""

    position: int
    allowed: tuple[Value, ...]
    complete: bool = True
    """Whether these are all allowed results; otherwise time ran out before that was known."""
    at_return: bool = False
    """Whether only the operations called by the time it returned have an order with an allowed result, since the
    history has further violations. Otherwise all operations of the object have one.
    """


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a history's verdict. ``text`` is for people, ``as_dict()`` for programs."""

    subject_kind: ClassVar = "history"
    """The row of the table of renderers."""

    verdict: Verdict
    """The verdict that is explained."""
    key: Value = None
    """The object that is explained; None in a history without keys."""
    core: tuple[int, ...] = ()
    """Operations that are a violation by themselves, ordered by call."""
    needed: tuple[int, ...] = ()
    """The operations of the core that contradict each other; the others are possible sources of their results."""
    minimal: bool = False
    """Whether the contradiction would disappear if the outcome of any single operation of ``needed`` was unknown."""
    irreducible: bool = False
    """Whether the other operations have an order if any single operation of ``core`` is left out."""
    verified: bool = True
    """Whether the operations also contradict each other among all other operations, not only by themselves."""
    pattern: Pattern | None = None
    """The typed reason, if one was found."""
    precedence: Precedence | None = None
    """Cycles of operations that must come before each other, if they were found.

    Each link has ``source``, ``target``, ``because``, ``word`` and ``value``; ``source`` is None for a value that no
    operation wrote.
    """
    culprit: Culprit | None = None
    """The rejected operation, or None.

    It has ``position``, the ``allowed`` results, whether these are ``complete``, and ``at_return``.
    """
    stuck: StuckFrontier | None = None
    """A longest legal order of the core, with ``prefix`` and ``blocked``, or None."""
    other_initial: tuple[Any] | None = None
    """A tuple with an initial value that would remove the violation, or None."""
    names: tuple[str, ...] = ()
    """Short names of the operations of ``core``, in the same order: A, B, C..."""
    steps: tuple[ArgumentStep, ...] = ()
    """The argument why they contradict each other, step by step."""
    causes: tuple[LikelyCause, ...] = ()
    """Likely causes, most likely first."""
    picture: str = ""
    """The core as a drawing."""
    claims: tuple[Claim, ...] = ()
    """Claims that were evaluated on all operations of the object; steps and causes have further ones."""
    others: tuple[KeyVerdict, ...] = field(default=(), repr=False)
    """The verdicts of the other keys in violation."""
    text: str = ""
    """The explanation as text."""

    def __str__(self) -> str:
        return self.text

    def claims_of(self, *kinds: str) -> tuple[Claim, ...]:
        """The claims of these kinds."""
        return tuple(claim for claim in self.claims if claim.kind in kinds)

    def as_html(self, *, file: str = "", arguments: Sequence[str] = (), command: str = "", replay: str = "") -> str:
        """The explanation and the whole history as one self-contained HTML report.

        ``file`` is the name of the history there; ``command`` and ``replay`` are the commands that check it again.
        ``arguments`` are the options of ``linpoint check`` for the minimal history, as a list of words.
        """
        page: str = render(self, "html", file=file, arguments=arguments, command=command, replay=replay)
        return page

    def as_dict(self) -> dict[str, Any]:
        """The explanation as JSON values."""
        document: dict[str, Any] = render(self, "json")
        return document
