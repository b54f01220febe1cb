# SPDX-License-Identifier: Apache-2.0
"""Histories of one process, written as operations separated by ``;`` in the notation of drawings."""

from __future__ import annotations

import linpoint

LEGAL, ILLEGAL = linpoint.Status.LINEARIZABLE, linpoint.Status.VIOLATION


def alone(operations: str) -> linpoint.History:
    """One process that performs one operation after the other."""
    return linpoint.history("A: " + "  ".join(f"|--{op}--|" for op in operations.split("; ")))


def each(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    """The rows of a table, each with its spec."""
    return [(spec, operations) for spec, rows in table.items() for operations in rows]
