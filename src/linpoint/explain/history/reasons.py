# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of explanations: steps of an argument, each with one typed reason, and likely causes with evidence.

A step says something of named operations that is certain; together the steps contradict each other. A cause is a
guess about the world behind the history, so it always comes with what suggests it and is never said to be certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from linpoint.explain.json_values import as_json


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
    """Something in the history that suggests a cause: a claim that was evaluated on all operations of the object."""

    kind: str
    """A key of ``EVIDENCE``."""
    text: str
    operations: tuple[int, ...] = ()
    values: tuple[Any, ...] = ()
    """What else it speaks of: times, counts, names."""

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of an explanation."""
        data: dict[str, Any] = {"kind": self.kind, "text": self.text, "operations": list(self.operations)}
        return data | ({"values": [as_json(value) for value in self.values]} if self.values else {})


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
    "overwritten": "one saw a value that was gone after the other",
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

EVIDENCE: Final = {
    "other-first-value": "all operations of the object have an order if it begins with the value",
    "seen-although-failed": (
        "the first operation had no effect, and the second, which had not returned when it was called, saw the value that "
        "it would have put there; no operation that can have taken effect put it there"
    ),
    "never-put": "the operation saw a value that no operation on the object put there, nor was it there at first",
    "handed-out-too-often": (
        "the operations all removed the same value, which was put there, the first time included, fewer times"
    ),
    "pattern": "the pattern or the contradiction that `values` names holds of the operations",
    "replaced-the-same": "both operations saw the same value, which was put there once, replaced it, and overlap",
    "both-succeeded": "both operations succeeded, and each leaves no room for the other until somebody undoes it",
    "less-than-allowed": "the operation returned less than every result that was allowed",
    "returned-before": "the first operation put a value there and had returned before the second was called",
    "crash-between": "a crash or an annotation that speaks of one lies between the two times in `values`",
    "seen-later": "the operation was called later and saw the value, which was put there once",
    "not-seen-later": "no operation that returned after the last one was called saw the value that the first put there",
    "saw-replaced-value": (
        "the second operation saw a value that was put there once at most, and the first had certainly put another in its place "
        "before it was called"
    ),
    "saw-replaced-values": "each of the operations saw a value that had certainly been replaced before it was called",
    "seen-again": "after the first operation had returned, the second was called and saw a value newer than the first did",
    "went-on-from-old": "the operation saw the old value and put another there after the newer one was certainly there",
    "annotation-before": "the last annotation before the operation was called",
    "apart": (
        "from the first time in `values` to the second no process of one group saw a value that a process of the other "
        "group put there in that time"
    ),
    "back-and-forth": (
        "each pair of the operations is one that saw a value of its own group and one of the other group that had "
        "certainly replaced it before"
    ),
    "sides": "the operations belong to the groups in `values`",
    "seen-just-after": "each of the operations saw a value by at most the first of `values` after it had been replaced",
    "skew-explains": "with clocks that may differ by the value all operations of the history have an order",
    "fits-word-by-word": "with any one of its words alone the operation fits among all others of the object",
    "changed-several": "the first operation overlaps the second, and wrote several of its words",
}
"""What evidence says, by its kind."""
