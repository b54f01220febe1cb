# SPDX-License-Identifier: Apache-2.0
"""Histories that were read natively, written natively: piece by piece, without an object for each operation.

Guarantee: text character by character as the format's writer in Python writes it, and columns with the same meaning.
Cost: about half a microsecond an operation, and a microsecond for each different value that the reader left as JSON
text; the memory of one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from linpoint.histories._native_columns import TableWriter
from linpoint.histories.history import History
from linpoint.histories.lazy_operations import LazyOperations
from linpoint.histories.values import Value

OPERATIONS_PER_PIECE: Final = 1 << 16


def table_writer(history: History, encode: Callable[[Value], str]) -> TableWriter | None:
    """What writes the operations of a history; None if they were not read natively."""
    operations = history.operations
    return operations.writer(encode) if isinstance(operations, LazyOperations) else None


def ranges(writer: TableWriter) -> Iterator[tuple[int, int]]:
    """The operations of each piece."""
    for begin in range(0, len(writer), OPERATIONS_PER_PIECE):
        yield begin, min(begin + OPERATIONS_PER_PIECE, len(writer))
