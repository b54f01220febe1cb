# SPDX-License-Identifier: Apache-2.0
"""Reads text in the native core, without an object for each line.

Guarantee: the same history as from the Python reader of the format, or None; then that reader must read the file or
report its error. Cost: 0.2 microseconds for a short line and two for 1,000 bytes of lists, divided by the number of
parts; one microsecond for each different value that is not a 64-bit integer, a string without escapes or a list of
these. Memory: 50 bytes per operation, 20 to 50 per value, and 4 for each item of a list.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from linpoint.errors import HistoryError
from linpoint.histories._native_columns import OperationTable, TextReader
from linpoint.histories.formats.file_format import MakeReader
from linpoint.histories.formats.operation_lines import item_from_dict
from linpoint.histories.formats.value_validation import validate_value
from linpoint.histories.lazy_operations import LazyOperations
from linpoint.histories.operation import Annotation, Crash, Operation
from linpoint.histories.values import Value

_DECODE: Final = msgspec.json.Decoder().decode
_MAX_TIME: Final = 2**62  # so that no sum of two overflows


class NativeRead(NamedTuple):
    """The content of a file: operations with their crashes, and annotations."""

    operations: LazyOperations
    annotations: list[Annotation]


def read_columns(make: MakeReader, parts: Sequence[Iterable[memoryview]], expected_bytes: int) -> NativeRead | None:
    """The items of a text; None if it contains anything unusual.

    The text comes in parts of complete lines, which are read in parallel, and each part in blocks.
    """
    readers = [make(expected_bytes, True), *(make(expected_bytes // len(parts), False) for _ in parts[1:])]
    enough = threading.Event()
    rest = [threading.Thread(target=_feed, args=(*each, enough)) for each in zip(readers[1:], parts[1:], strict=True)]
    for thread in rest:
        thread.start()
    reader = readers[0]
    try:
        _feed(reader, parts[0], enough)
        for thread, other in zip(rest, readers[1:], strict=True):
            thread.join()
            reader.append(other)
    except BaseException:  # a limit was reached
        enough.set()
        raise
    return what_was_read(reader.take_table()) if reader.finish() else None


def what_was_read(table: OperationTable) -> NativeRead | None:
    """The items of a complete table; None if it contains anything unusual."""
    crashes: list[tuple[Crash, int]] = []
    annotations: list[Annotation] = []
    decoded: dict[int, Value] = {}
    try:
        for line, whole in table.others():
            item = item_from_dict(_DECODE(whole), line=line)
            if isinstance(item, Operation):
                return None
            if isinstance(item, Annotation):
                annotations.append(item)
                continue
            instant = table.instant(item.time) if -_MAX_TIME < item.time < _MAX_TIME else None
            if instant is None:
                return None
            crashes.append((item, instant))
        for number in table.undecoded():
            text = table.value(number)
            assert isinstance(text, bytes)
            decoded[number] = validate_value(_DECODE(text), None)
    except (HistoryError, msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return NativeRead(LazyOperations(table, crashes, decoded), annotations)


def _feed(reader: TextReader, blocks: Iterable[memoryview], enough: threading.Event) -> None:
    try:
        for block in blocks:
            if enough.is_set() or not reader.feed(block):
                break
    except OSError:
        reader.decline()  # reading the text meets the problem again and reports it
