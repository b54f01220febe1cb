# SPDX-License-Identifier: Apache-2.0
"""The parts of explanations: steps of an argument, each with one typed reason, and likely causes with evidence.

A step states a certain fact about named operations; together the steps contradict each other. A cause is a guess
about the system behind the history: it always carries its evidence and is never stated as certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from linpoint.explain.json_values import as_json


@dataclass(frozen=True, slots=True)
class ArgumentStep:
    """One step of the argument: a fact and its reason."""

    reason: str
    """A key of ``REASONS``."""
    operations: tuple[int, ...]
    """The positions of its operations."""
    text: str
    """The step with the short names of the explanation: "A < B, because A returned before B was called"."""
    before: int | None = None
    after: int | None = None
    """For a step about an order: the operation that must come first, and the one that must come later."""

    def as_dict(self) -> dict[str, Any]:
        """The step as in the JSON of an explanation."""
        data: dict[str, Any] = {"reason": self.reason, "operations": list(self.operations), "text": self.text}
        if self.before is not None:
            data |= {"before": self.before, "after": self.after}
        return data


@dataclass(frozen=True, slots=True)
class CauseEvidence:
    """A fact of the history that suggests a cause: a claim that was evaluated on all operations of the object."""

    kind: str
    """A key of ``EVIDENCE``."""
    text: str
    operations: tuple[int, ...] = ()
    values: tuple[Any, ...] = ()
    """Its other operands: times, counts, names."""

    def as_dict(self) -> dict[str, Any]:
        """The evidence as in the JSON of an explanation."""
        data: dict[str, Any] = {"kind": self.kind, "text": self.text, "operations": list(self.operations)}
        return data | ({"values": [as_json(value) for value in self.values]} if self.values else {})


@dataclass(frozen=True, slots=True)
class LikelyCause:
    """A possible cause of a violation. Never certain."""

    cause: str
    """A key of ``CAUSES``."""
    text: str
    """The cause as a sentence about this history."""
    evidence: tuple[CauseEvidence, ...]

    def as_dict(self) -> dict[str, Any]:
        """The cause as in the JSON of an explanation."""
        return {"cause": self.cause, "text": self.text, "evidence": [each.as_dict() for each in self.evidence]}


REASONS: Final = {
    "real-time": "one operation returned before the other was called",
    "process-order": "the same process called both, one after the other",
    "order-hint": "the history records which took effect first",
    "crash": "a crash occurred between them",
    "reads-from": "one observed the value that the other wrote or added",
    "overwritten": "one observed a value that is no longer current after the other",
    "last-written": "a third operation observed the value of the later one after the earlier one had returned",
    "replaced": "both replaced the same occurrence of a value",
    "failed": "an operation failed, and this is one way to explain the failure",
    "unknown-took-effect": "an operation with an unknown outcome took effect, since another operation observed it",
    "spec-order": "the spec gives these results in one order only",
    "spec-rejects": "the spec gives another result there, or does not allow the operation",
    "never-written": "an operation observed a value that no operation had written or added",
    "seen-too-early": "an operation observed a value before it was written or added",
    "removed-twice": "a value was removed more often than it was added",
    "seen-after-removed": "an operation observed a value after it was removed",
    "out-of-order": "values were removed in an order that the spec does not allow",
    "empty-while-inside": "an operation found nothing, although a value was present",
    "higher-inside": "an operation returned a value while one of higher priority was present",
    "counted": "counting the other operations rules out a result",
    "lost-after-crash": "the effect of an operation that had returned before a crash was gone after it",
    "survivors": "no state before the crash holds all values that were observed after it",
}
"""The typed reasons of steps, each with its meaning."""

CAUSES: Final = {
    "stale-read": "a stale read",
    "lost-write": "a lost write",
    "lost-after-crash": "writes lost in a crash",
    "hidden-retry": "a hidden retry by a driver or proxy",
    "split-brain": "a split brain",
    "wrong-initial-value": "a wrong initial value",
    "duplicate-delivery": "a duplicate delivery",
    "torn-snapshot": "a torn snapshot",
    "non-atomic-update": "a non-atomic read-modify-write",
    "clock-trouble": "clock skew between processes",
    "unrecorded-writer": "an unrecorded writer",
}
"""Likely causes, each as a phrase."""

EVIDENCE: Final = {
    "other-first-value": "all operations of the object have an order if the object starts with the value",
    "seen-although-failed": (
        "the first operation had no effect; the second had not returned when the first was called, and observed the "
        "value that the first would have stored; no operation that can have taken effect stored it"
    ),
    "never-put": "the operation observed a value that no operation on the object stored and that is not initial",
    "handed-out-too-often": (
        "the operations all removed the same value, which was added fewer times, an initial occurrence included"
    ),
    "pattern": "the pattern or contradiction named in `values` holds for the operations",
    "replaced-the-same": "the operations overlap, and both observed and replaced the same value, which was stored once",
    "both-succeeded": "both operations succeeded, and each excludes the other until an operation undoes it",
    "less-than-allowed": "the operation returned less than every allowed result",
    "returned-before": "the first operation stored a value and returned before the second was called",
    "crash-between": "a crash, or an annotation that mentions one, lies between the two times in `values`",
    "seen-later": "the operation was called later and observed the value, which was stored once",
    "not-seen-later": "no operation that returned after the last one was called observed the value that the first stored",
    "saw-replaced-value": (
        "the second operation observed a value that was stored at most once, and the first had certainly replaced it "
        "before the second was called"
    ),
    "saw-replaced-values": "each of the operations observed a value that had certainly been replaced before its call",
    "seen-again": "the second operation was called after the first had returned, and observed a newer value",
    "went-on-from-old": "the operation observed the old value and replaced it after the newer one was certainly stored",
    "annotation-before": "the last annotation before the operation was called",
    "apart": (
        "between the two times in `values`, no process of one group observed a value that a process of the other group "
        "stored in that period"
    ),
    "back-and-forth": (
        "in each pair of the operations, one observed a value of its own group that the other, of the other group, had "
        "certainly replaced before"
    ),
    "sides": "the operations belong to the groups in `values`",
    "seen-just-after": "each of the operations observed a value at most the first of `values` after its replacement",
    "skew-explains": "if clocks may differ by the value, all operations of the history have an order",
    "fits-word-by-word": "restricted to any one of its words, the operation has an order with all others of the object",
    "changed-several": "the first operation overlaps the second and wrote several of its words",
}
"""The kinds of evidence, each as the statement that it makes."""
