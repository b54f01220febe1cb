# SPDX-License-Identifier: Apache-2.0
"""Claims: typed statements of an explanation, with their operations and values.

Only the code that has evaluated the predicate of a claim on all operations of the object makes the claim. A predicate
that could not be evaluated in time gives no claim. Text, JSON and HTML print the same claims. ``CLAIMS`` defines each
kind, so that a program can evaluate it without linpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from linpoint.explain.json_values import as_json
from linpoint.histories.values import Value


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its kind, its operations, and other operands."""

    kind: str
    """A key of ``CLAIMS``."""
    operations: tuple[int, ...]
    """Positions in the history."""
    among: tuple[int, ...] = ()
    """The other operations that the kind refers to."""
    values: tuple[Value, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The claim as in the JSON of an explanation."""
        data: dict[str, Any] = {"kind": self.kind, "operations": list(self.operations)}
        if self.among:
            data["among"] = list(self.among)
        if self.values:
            data["values"] = [as_json(value) for value in self.values]
        return data


CLAIMS: Final = {
    "refused": (
        "all operations of the object have an order with any of `values` as the result of the operation, and none with "
        "any other result"
    ),
    "refused-for-example": "the same, but further results may be possible",
    "refused-at-return": (
        "the same for the operations that were called by the time the operation returned, where those that returned "
        "later have an unknown outcome"
    ),
    "refused-at-return-for-example": "the same, but further results may be possible",
    "no-place": (
        "the operations that were called by the time the operation returned have no order with any result of it, but "
        "have one if its outcome is unknown; those that returned later have an unknown outcome"
    ),
    "impossible": "the operations of the object have no order even if the outcomes of all others are unknown",
    "by-themselves": "the operations alone have no order",
    "irreducible": "the operations have no order, and removing any single one of them leaves operations that have one",
    "needed": (
        "for each of the operations: if its outcome and those of `among` were unknown, the operations of the minimal "
        "history would have an order"
    ),
    "reason": "the pattern named in `values` holds for the operations",
    "legal-order": "the operations are legal steps of the spec in this order, which respects the times",
    "cannot-follow": "after the legal order of `among`, the operation may return only one of `values`, or is not legal",
}
"""The kinds of claims with their statements. Steps and evidence have separate kinds."""
