# SPDX-License-Identifier: Apache-2.0
"""An explanation as data, made from a verdict alone: it does not know which algorithm found it.

For a violation: the operations that conspire, the one that cannot be right and what it could have returned, the
legal order that gets as far as it can and who is stuck behind it, and whether another first value would remove the violation.
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
    """The operation whose result does not fit, and the results that would have made the rest fit."""

    position: int
    allowed: tuple[Value, ...]
    complete: bool = True
    """These are all; else there was no time to find out whether there are more."""
    at_return: bool = False
    """They are what the operations allow that were called by the time it returned; the history has further violations.
    Else all operations of the object have an order with any of them.
    """


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a history has its verdict. ``text`` is for people, ``as_dict()`` for programs."""

    subject_kind: ClassVar = "history"

    verdict: Verdict
    key: Value = None
    core: tuple[int, ...] = ()
    """Operations that are a violation by themselves, by call."""
    needed: tuple[int, ...] = ()
    """Those of the core that contradict each other; the others tell where their results could have come from."""
    minimal: bool = False
    """If the outcome of any single one of ``needed`` was unknown, there would be no contradiction."""
    irreducible: bool = False
    """Without any single one of ``core`` the others have an order."""
    verified: bool = True
    """They contradict each other also among all other operations, not only by themselves."""
    pattern: Pattern | None = None
    """The typed reason, where one was found."""
    precedence: Precedence | None = None
    """Who must come before whom, in circles, where that was found."""
    culprit: Culprit | None = None
    stuck: StuckFrontier | None = None
    other_initial: tuple[Any] | None = None
    """In a tuple, since null is a first value too."""
    names: tuple[str, ...] = ()
    """Short names of the operations of ``core``, in its order: A, B, C..."""
    steps: tuple[ArgumentStep, ...] = ()
    """Why they contradict each other, step by step."""
    causes: tuple[LikelyCause, ...] = ()
    """What may be behind it, the likeliest first."""
    picture: str = ""
    claims: tuple[Claim, ...] = ()
    """What is claimed of the operations, each evaluated on all operations of the object; steps and causes have their own."""
    others: tuple[KeyVerdict, ...] = field(default=(), repr=False)
    text: str = ""
    """The explanation in words, the sentence first."""

    def __str__(self) -> str:
        return self.text

    def claims_of(self, *kinds: str) -> tuple[Claim, ...]:
        """The claims of these kinds."""
        return tuple(claim for claim in self.claims if claim.kind in kinds)

    def as_html(self, *, file: str = "", arguments: Sequence[str] = (), command: str = "", replay: str = "") -> str:
        """The explanation and the whole history as one page for a browser, which needs nothing else.

        ``file`` is what the history is called there; ``command`` and ``replay`` are shown as what checks it again.
        ``arguments`` are the options of ``linpoint check``, word by word, with which the minimal history is checked.
        """
        page: str = render(self, "html", file=file, arguments=arguments, command=command, replay=replay)
        return page

    def as_dict(self) -> dict[str, Any]:
        """The explanation as JSON values."""
        document: dict[str, Any] = render(self, "json")
        return document
