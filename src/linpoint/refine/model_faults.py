# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with models themselves, by the numbers of the native core (native/src/refine/model_heap.hpp)."""

from __future__ import annotations

from typing import Final

ASSERTION_FAULT: Final = 7
ENDLESS_LOOP_FAULT: Final = 8
FAULTS: Final = {
    1: "None has no fields",
    2: "the node is of another class",
    3: "the index is out of range",
    4: "this takes integers, and one of the values is none",
    5: "division by zero",
    6: "a lock is released that nobody holds",
    7: "an assertion fails",
    8: "a loop goes round for ever without a step that others can see",
    9: "an operation returns a node, which means nothing outside of the model",
}
