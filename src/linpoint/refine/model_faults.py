# SPDX-License-Identifier: Apache-2.0
"""Faults of models, by the numbers of the native core (native/src/refine/model_heap.hpp)."""

from __future__ import annotations

from typing import Final

ASSERTION_FAULT: Final = 7
ENDLESS_LOOP_FAULT: Final = 8
FAULTS: Final = {
    1: "None has no fields",
    2: "the node has another class",
    3: "the index is out of range",
    4: "an operand is not an integer",
    5: "division by zero",
    6: "a lock that is not held is released",
    7: "an assertion fails",
    8: "a loop runs forever without a step that other processes can see",
    9: "an operation returns a node, which has no meaning outside the model",
}
