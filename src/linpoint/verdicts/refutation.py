# SPDX-License-Identifier: Apache-2.0
"""The evidence for VIOLATION: why no order of the operations exists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.histories.values import Value


@dataclass(frozen=True, slots=True)
class Blocked:
    """An operation that would have to come next and cannot: what the spec would have allowed it to return.

    ``allowed`` is empty when the operation is not a legal step at all in that state.
    """

    position: int
    allowed: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class StuckFrontier:
    """A longest legal prefix and the operations that cannot come next, each with the spec's reason.

    It is evidence to look at, and the prefix is certified; that *no* order exists is the exhausted search's word alone.
    The reasons are found when they are asked for: that takes longer than many a search.
    """

    prefix: tuple[int, ...]
    _blocked: tuple[Blocked, ...] | Callable[[], tuple[Blocked, ...]] = field(compare=False, repr=False)

    kind = "stuck-frontier"

    @property
    def blocked(self) -> tuple[Blocked, ...]:
        """The operations that would have to come next and cannot."""
        found = self._blocked
        if callable(found):
            found = found()
            object.__setattr__(self, "_blocked", found)
        return found


@dataclass(frozen=True, slots=True)
class Pattern:
    """A few operations that no order can satisfy, with the reason: all of it is certified.

    ``operations`` are the telling ones. ``scope`` is a part of the history that is a violation by itself, and whose
    violation is one of the whole: what was left out cannot mend it (operations that change nothing; all operations of
    other values of a container or a register; other elements of a set).
    """

    reason: str
    """Such as ``order-inverted``; ``PATTERNS`` has a sentence for each."""
    operations: tuple[int, ...]
    scope: Sequence[int] = field(repr=False)

    kind = "pattern"

    @property
    def counted(self) -> bool:
        """Whether it is by counting all the others that the operations are wrong."""
        return "count" in self.reason

    @property
    def sentence(self) -> str:
        """The reason in words."""
        return PATTERNS[self.reason]


@dataclass(frozen=True, slots=True)
class Link:
    """One operation must come before another: an edge of the precedence graph.

    ``source`` is None for a value that nobody wrote; ``word`` and ``value`` say what was written, seen or expected.
    """

    source: int | None
    target: int
    because: str
    """``real-time``, ``reads-from``, ``replaced``, ``failed-after`` or ``failed-before``."""
    word: Value = None
    value: Value = None


@dataclass(frozen=True, slots=True)
class Precedence:
    """Why a precedence graph has no order: all of it is certified, unless it says otherwise.

    ``contradictions`` are circles of links, each operation before the next. Where operations ``failed``, each way to
    explain them runs into one of these. ``kept`` says why operations with an unknown outcome certainly had their effect.
    """

    reason: str
    """``cycle``, ``fork``, ``dangling-read``, ``read-before-write`` or ``disconnected-failure``."""
    contradictions: tuple[tuple[Link, ...], ...]
    failed: tuple[int, ...] = ()
    kept: tuple[Link, ...] = ()
    certified: bool = True
    """False by the rules of the paper as published, which are wrong at times."""

    kind = "cycle"

    @property
    def operations(self) -> tuple[int, ...]:
        """The operations that contradict each other: by themselves they are a violation too."""
        links = [*self.kept, *(link for each in self.contradictions for link in each)]
        ends = {end for link in links for end in (link.source, link.target) if end is not None}
        return tuple(sorted(ends | set(self.failed)))

    @property
    def sentence(self) -> str:
        """The reason in words."""
        return PRECEDENCE[self.reason]


@dataclass(frozen=True, slots=True)
class RefutedStart:
    """The shortest start of the history that has no order, whatever came after it.

    Operations outside ``scope`` cannot mend it: they were called after ``last`` returned, or belong to values all of
    whose operations can be left out. That is certified.
    """

    last: int
    """The operation with whose return the start ends."""
    scope: Sequence[int] = field(repr=False)
    still_open: Sequence[int] = field(default=(), repr=False)
    """Those of the scope that return later, or perhaps never. They may be left out."""
    confirmed: bool = True
    """Whether another search found no order of the scope either; else that there is none is the first one's word."""

    kind = "refuted-start"


PRECEDENCE: Final = {
    "cycle": "some operations must each come before the next, in a circle",
    "fork": "two operations replaced the same value",
    "dangling-read": "a value was seen that nobody wrote",
    "read-before-write": "a value was seen by an operation that returned before it was written",
    "disconnected-failure": "an operation failed although nobody can have replaced the value it expected",
}

PATTERNS: Final = {
    "never-added": "a value was seen that nobody had added",
    "seen-before-added": "a value was seen by an operation that returned before the value was added",
    "removed-twice": "a value was removed more often than it was added",
    "seen-after-removed": "a value was seen by an operation that was called after its removal had returned",
    "order-inverted": "one value was wholly added before another, but the other left first",
    "fronts-overlap": "two values were each at the front before and after the other",
    "front-inside": "a value was at the front while another one certainly was",
    "empty-while-inside": "nothing was found, while something was certainly inside",
    "higher-inside": "a value was taken while one of higher priority was certainly inside",
    "not-nested": "the values cannot have been pushed and popped in any nested order",
    "zones-overlap": "two values were each current before and after the other",
    "zone-inside": "a value was written and gone while another one was certainly current",
    "replaced-twice": "two operations replaced the same value",
    "replaced-in-circle": "values replaced each other in a circle",
    "replaced-too-early": "an operation returned before the one that its value comes after was called",
    "overwritten": "a value was seen that had certainly been overwritten",
    "nobody-flips": "nothing can have brought about the state that the operation found",
    "count-too-low": "a count is less than what certainly came before it",
    "count-too-high": "a count is more than what can have come before it",
    "same-count": "two operations were given the same count",
    "counts-inverted": "a smaller count was given after a larger one",
    "survivors-differ": "two values were each seen as the one that a crash had left",
    "no-common-moment": "what a crash left on several keys was never there at one time",
}
"""The reasons of patterns, each as a sentence."""

Refutation = StuckFrontier | Pattern | Precedence | RefutedStart
