# SPDX-License-Identifier: Apache-2.0
"""Claims: what an explanation says of a history, typed, with the operations and values that it is about.

A claim is made only by the code that has evaluated its predicate on all operations of the object; what could not be
established in time is not claimed. Text, JSON and pages print the same claims. ``CLAIMS`` defines each kind, so that a
program can evaluate it without linpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from linpoint.explain.json_values import as_json
from linpoint.histories.values import Value


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its kind, the operations it is about, and other operands."""

    kind: str
    """A key of ``CLAIMS``."""
    operations: tuple[int, ...]
    """Positions in the history."""
    among: tuple[int, ...] = ()
    """The other operations that the kind speaks of."""
    values: tuple[Value, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of an explanation."""
        data: dict[str, Any] = {"kind": self.kind, "operations": list(self.operations)}
        if self.among:
            data["among"] = list(self.among)
        if self.values:
            data["values"] = [as_json(value) for value in self.values]
        return data


CLAIMS: Final = {
    "refused": (
        "with any of `values` as the result of the operation all operations of the object have an order, and with any "
        "other result they have none"
    ),
    "refused-for-example": "the same, but other results may do as well",
    "refused-at-return": (
        "the same of the operations that were called by the time the operation returned, where those that returned "
        "later have an unknown outcome"
    ),
    "refused-at-return-for-example": "the same, but other results may do as well",
    "no-place": (
        "the operations that were called by the time the operation returned have no order whatever it returned, and "
        "have one if its outcome was unknown; those that returned later have an unknown outcome"
    ),
    "impossible": "all operations of the object have no order even if the outcomes of all others were unknown",
    "by-themselves": "the operations without any others have no order",
    "irreducible": "the operations have no order, and without any single one of them the others have one",
    "needed": (
        "for each of the operations: if its outcome and those of `among` were unknown, the operations of the minimal "
        "history would have an order"
    ),
    "reason": "the pattern that `values` names holds of the operations",
    "legal-order": "the operations in this order are legal steps of the spec that respect the times",
    "cannot-follow": "after the legal order of `among` the operation may return one of `values` only, or is not legal",
}
"""The kinds of claims of an explanation, each as the statement that it makes. Steps and evidence have kinds of their own."""
