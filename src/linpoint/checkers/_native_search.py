# SPDX-License-Identifier: Apache-2.0
"""The native side of checking: problems, searches and certificates, as the core has them."""

from linpoint._native import (
    Alphabet,
    Classes,
    Condition,
    Flaw,
    Machine,
    Problem,
    PythonMachine,
    Search,
    SearchStatus,
    SeenTable,
    StopReason,
    StopToken,
    certify_order,
    certify_run,
    depth_first,
    linear,
    native_machine,
    wing_gong,
)

__all__ = [
    "Alphabet",
    "Classes",
    "Condition",
    "Flaw",
    "Machine",
    "Problem",
    "PythonMachine",
    "Search",
    "SearchStatus",
    "SeenTable",
    "StopReason",
    "StopToken",
    "certify_order",
    "certify_run",
    "depth_first",
    "linear",
    "native_machine",
    "wing_gong",
]
