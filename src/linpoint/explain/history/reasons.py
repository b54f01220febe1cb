# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of explanations: steps of an argument, each with one typed reason, and likely causes with evidence.

A step says something of named operations that is certain; together the steps contradict each other. A cause is a
guess about the world behind the history, so it always comes with what suggests it and is never said to be certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class ArgumentStep:
    """One step of the argument: what must be so, and the one reason for it."""

    reason: str
    """A key of ``REASONS``."""
    operations: tuple[int, ...]
    """Whom it is about, by position."""
    text: str
    """In words, with the short names of the explanation: "A < B, because A returned before B was called"."""
    before: int | None = None
    after: int | None = None
    """Where the step is about an order: the operation that must come first, and the one that must come later."""

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of an explanation."""
        data: dict[str, Any] = {"reason": self.reason, "operations": list(self.operations), "text": self.text}
        if self.before is not None:
            data |= {"before": self.before, "after": self.after}
        return data


@dataclass(frozen=True, slots=True)
class CauseEvidence:
    """Something in the history that suggests a cause."""

    text: str
    operations: tuple[int, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of an explanation."""
        return {"text": self.text, "operations": list(self.operations)}


@dataclass(frozen=True, slots=True)
class LikelyCause:
    """What may be behind a violation. Never certain."""

    cause: str
    """A key of ``CAUSES``."""
    text: str
    """What it would mean here, in a sentence."""
    evidence: tuple[CauseEvidence, ...]

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of an explanation."""
        return {"cause": self.cause, "text": self.text, "evidence": [each.as_dict() for each in self.evidence]}


REASONS: Final = {
    "real-time": "one operation returned before the other was called",
    "process-order": "one process called both, one after the other",
    "order-hint": "the history itself says which took effect first",
    "crash": "a crash lies between them",
    "reads-from": "one saw what the other put there",
    "overwritten": "one saw a value that the other replaced",
    "last-written": "a third one saw what the later of the two put there, when the other had returned",
    "replaced": "both replaced the same value, which was there once",
    "failed": "an operation failed, and this is a way to explain that",
    "unknown-took-effect": "an operation with an unknown outcome certainly took effect, since somebody saw it",
    "spec-order": "the spec gives these results in one order only",
    "spec-rejects": "the spec gives another result there, or no legal step",
    "never-written": "a value was seen that nobody put there",
    "seen-too-early": "a value was seen before it was put there",
    "removed-twice": "a value was removed more often than it was put there",
    "seen-after-removed": "a value was seen after it was removed",
    "out-of-order": "values left in another order than they came",
    "empty-while-inside": "nothing was found while something was inside",
    "higher-inside": "a value was taken while one of higher priority was inside",
    "counted": "counting all the others shows that a result is wrong",
    "lost-after-crash": "what had returned before a crash was gone after it",
    "survivors": "no moment before a crash held all that was seen after it",
}
"""The typed reasons of steps, each in words."""

CAUSES: Final = {
    "stale-read": "a stale read",
    "lost-write": "a lost write",
    "lost-after-crash": "writes lost in a crash",
    "hidden-retry": "a hidden retry by a driver or a proxy",
    "split-brain": "a split brain",
    "wrong-initial-value": "a wrong first value",
    "duplicate-delivery": "a duplicate delivery",
    "torn-snapshot": "a torn snapshot",
    "non-atomic-update": "a read-modify-write that is not atomic",
    "clock-trouble": "clocks that differ",
    "unrecorded-writer": "a writer that was not recorded",
}
"""Likely causes, each as a phrase."""
