# SPDX-License-Identifier: Apache-2.0
"""How edges look. Colours are Okabe and Ito's, told apart by people who do not see red or green as others do; and each
kind has a pattern of its own, so that no colour is needed at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

RED: Final = "#c4161c"
INK: Final = "#1f2933"


@dataclass(frozen=True, slots=True)
class Stroke:
    """The look of a kind of edges, and what it means."""

    colour: str
    dashes: str
    """As in ``stroke-dasharray``; empty for a solid line."""
    meaning: str


STROKES: Final = {
    "real-time": Stroke("#6b7280", "2 4", "returned before the other was called"),
    "reads-from": Stroke("#0072b2", "", "wrote what the other saw"),
    "replaced": Stroke("#00795a", "9 4", "saw what the other replaced"),
    "failed-after": Stroke("#9c4a7f", "10 3 2 3", "replaced what the other expected in vain"),
    "failed-before": Stroke("#8a6100", "6 3 2 3 2 3", "expected in vain what the other wrote"),
    "process-order": Stroke("#6b7280", "1 3", "the same process called it first"),
    "order-hint": Stroke("#6b7280", "6 2 1 2", "the history says that it took effect first"),
    "crash": Stroke("#6b7280", "12 3", "a crash lies between them"),
    "overwritten": Stroke("#00795a", "9 4", "saw what the other replaced"),
    "spec-order": Stroke("#9c4a7f", "10 3 2 3", "the spec gives these results in this order only"),
}
