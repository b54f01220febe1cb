# SPDX-License-Identifier: Apache-2.0
"""The style of edges. The colours are those of Okabe and Ito, which colour-blind people can distinguish. Each kind also
has its own dash pattern, so that it does not depend on colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

RED: Final = "#c4161c"
INK: Final = "#1f2933"


@dataclass(frozen=True, slots=True)
class Stroke:
    """The style and the meaning of a kind of edge."""

    colour: str
    dashes: str
    """As in ``stroke-dasharray``; empty for a solid line."""
    meaning: str


STROKES: Final = {
    "real-time": Stroke("#6b7280", "2 4", "returned before the other was called"),
    "reads-from": Stroke("#0072b2", "", "wrote the value that the other observed"),
    "replaced": Stroke("#00795a", "9 4", "observed the value that the other replaced"),
    "failed-after": Stroke("#9c4a7f", "10 3 2 3", "replaced the value that the other, failing, expected"),
    "failed-before": Stroke("#8a6100", "6 3 2 3 2 3", "failed, expecting the value that the other wrote"),
    "process-order": Stroke("#6b7280", "1 3", "the same process called it first"),
    "order-hint": Stroke("#6b7280", "6 2 1 2", "the history records that it took effect first"),
    "crash": Stroke("#6b7280", "12 3", "a crash occurred between them"),
    "overwritten": Stroke("#00795a", "9 4", "observed the value that the other replaced"),
    "spec-order": Stroke("#9c4a7f", "10 3 2 3", "the spec gives these results in this order only"),
}
