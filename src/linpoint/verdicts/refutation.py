# SPDX-License-Identifier: Apache-2.0
"""The evidence for VIOLATION: the reasons why no valid order of the operations exists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.histories.values import Value


@dataclass(frozen=True, slots=True)
class Blocked:
    """An operation that must come next but cannot, with the results that the spec allows in that state.

    ``allowed`` is empty if no result makes the operation a legal step.
    """

    position: int
    allowed: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class StuckFrontier:
    """A longest legal order and the operations that cannot come next, each with the results that the spec allows.

    The order is certified. That no complete order exists rests on the exhaustive search and is not certified
    independently. ``blocked`` is computed on first access, since that takes longer than many searches.
    """

    prefix: tuple[int, ...]
    _blocked: tuple[Blocked, ...] | Callable[[], tuple[Blocked, ...]] = field(compare=False, repr=False)

    kind = "stuck-frontier"

    @property
    def blocked(self) -> tuple[Blocked, ...]:
        """The operations that must come next but cannot."""
        found = self._blocked
        if callable(found):
            found = found()
            object.__setattr__(self, "_blocked", found)
        return found


@dataclass(frozen=True, slots=True)
class Pattern:
    """A few operations that no order can satisfy, with the reason. All of it is certified.

    ``operations`` are those that show the reason. ``scope`` is a part of the history that is a violation by itself and
    proves a violation of the whole: the operations outside cannot remove it. They change nothing, or are all operations
    of other values of a container or a register, or work on other elements of a set.
    """

    reason: str
    """A key of ``PATTERNS``, such as ``order-inverted``."""
    operations: tuple[int, ...]
    scope: Sequence[int] = field(repr=False)

    kind = "pattern"

    @property
    def counted(self) -> bool:
        """Whether counting all other operations proves the violation."""
        return "count" in self.reason

    @property
    def sentence(self) -> str:
        """The reason as a sentence."""
        return PATTERNS[self.reason]


@dataclass(frozen=True, slots=True)
class Link:
    """An edge of the precedence graph: one operation must come before another.

    ``source`` is None for a value that no operation wrote. ``word`` and ``value`` are the written, observed or expected
    ones.
    """

    source: int | None
    target: int
    because: str
    """``real-time``, ``reads-from``, ``replaced``, ``failed-after`` or ``failed-before``."""
    word: Value = None
    value: Value = None


@dataclass(frozen=True, slots=True)
class Precedence:
    """The reason why a precedence graph has no order. All of it is certified unless ``certified`` is False.

    ``contradictions`` are cycles of links, in which each operation must come before the next. If operations ``failed``,
    each way to explain them leads to one of these cycles. ``kept`` shows why operations with an unknown outcome
    certainly took effect.
    """

    reason: str
    """``cycle``, ``fork``, ``dangling-read``, ``read-before-write`` or ``disconnected-failure``."""
    contradictions: tuple[tuple[Link, ...], ...]
    failed: tuple[int, ...] = ()
    kept: tuple[Link, ...] = ()
    certified: bool = True
    """False under the rules of the paper as published, some of which are wrong."""

    kind = "cycle"

    @property
    def operations(self) -> tuple[int, ...]:
        """The operations that contradict each other; they are also a violation by themselves."""
        links = [*self.kept, *(link for each in self.contradictions for link in each)]
        ends = {end for link in links for end in (link.source, link.target) if end is not None}
        return tuple(sorted(ends | set(self.failed)))

    @property
    def sentence(self) -> str:
        """The reason as a sentence."""
        return PRECEDENCE[self.reason]


@dataclass(frozen=True, slots=True)
class RefutedStart:
    """The shortest prefix of the history that has no order, whatever follows it.

    Operations outside ``scope`` cannot remove the violation: they were called after ``last`` returned, or belong to
    values whose operations can all be left out. That is certified.
    """

    last: int
    """The operation whose return ends the prefix."""
    scope: Sequence[int] = field(repr=False)
    still_open: Sequence[int] = field(default=(), repr=False)
    """The operations of the scope that return later or never. They may be left out."""
    confirmed: bool = True
    """Whether a second search confirmed that the scope has no order; otherwise only the first search shows it."""

    kind = "refuted-start"


PRECEDENCE: Final = {
    "cycle": "the required order of the operations contains a cycle",
    "fork": "two operations replaced the same value",
    "dangling-read": "an operation observed a value that no operation wrote",
    "read-before-write": "an operation observed a value and returned before the value was written",
    "disconnected-failure": "an operation failed, but no operation can have replaced the value it expected",
}

PATTERNS: Final = {
    "never-added": "an operation observed a value that no operation had written or added",
    "seen-before-added": "an operation observed a value and returned before the value was added",
    "removed-twice": "a value was removed more often than it was added",
    "seen-after-removed": "an operation observed a value after the removal of the value had returned",
    "order-inverted": "FIFO violated: one value was enqueued first, another was dequeued first",
    "fronts-overlap": "FIFO violated: each of two values was at the front before the other",
    "front-inside": "FIFO violated: a value was at the front while another value certainly was",
    "empty-while-inside": "an operation found nothing, although a value was certainly present",
    "higher-inside": "an operation returned a value while one of higher priority was certainly present",
    "not-nested": "LIFO violated: the pushes and pops of these values cannot be nested",
    "zones-overlap": "each of two values was current before the other, although neither was written twice",
    "zone-inside": "a value was written and replaced while another value was certainly current",
    "replaced-twice": "two operations replaced the same value, which was written once at most",
    "replaced-in-circle": "values replaced one another in a cycle",
    "replaced-too-early": (
        "an operation used a value and returned before an operation that the value derives from was called"
    ),
    "overwritten": "an operation observed a value that had certainly been overwritten",
    "nobody-flips": "no operation can have produced the state that this operation observed",
    "count-too-low": "a count is lower than the operations that certainly preceded it require",
    "count-too-high": "a count is higher than the operations that can have preceded it allow",
    "same-count": "two operations returned the same count",
    "counts-inverted": "a smaller count was returned after a larger one",
    "survivors-differ": "two different values were each observed as the one that survived a crash",
    "no-common-moment": "the values that survived a crash on several keys were never current at the same time",
}
"""The reason of each pattern as a sentence."""

Refutation = StuckFrontier | Pattern | Precedence | RefutedStart
