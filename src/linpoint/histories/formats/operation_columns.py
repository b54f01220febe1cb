# SPDX-License-Identifier: Apache-2.0
"""Operation lines read by the native core, without an object for each line.

Guarantee: the same history as ``operation_lines`` reads, or None; then that reader has to say what the file holds or
what is wrong with it. Cost: 0.2 microseconds a line, and a microsecond for each different value that is no integer of
64 bits and no string without escapes; in memory 60 bytes an operation and 40 a value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from linpoint.errors import HistoryError
from linpoint.histories._native_columns import LineReader
from linpoint.histories.formats.admission import admit
from linpoint.histories.formats.operation_lines import item_from_dict
from linpoint.histories.operation import Annotation, Crash, Operation
from linpoint.histories.recorded import RecordedOperations
from linpoint.histories.values import Value

_DECODE: Final = msgspec.json.Decoder().decode
_LARGEST_TIME: Final = 2**62  # so that no sum of two overflows


class Recorded(NamedTuple):
    """What a file holds: operations with their crashes, and annotations."""

    operations: RecordedOperations
    annotations: list[Annotation]


def read_columns(blocks: Iterable[memoryview], expected_bytes: int) -> Recorded | None:
    """The items of a text in operation lines that comes in blocks, or None if anything in it is unusual."""
    reader = LineReader(expected_bytes)
    if not all(map(reader.feed, blocks)) or not reader.finish():
        return None
    crashes: list[Crash] = []
    annotations: list[Annotation] = []
    decoded: dict[int, Value] = {}
    try:
        for line, whole in reader.others():
            item = item_from_dict(_DECODE(whole), line=line)
            if isinstance(item, Operation):
                return None
            if isinstance(item, Annotation):
                annotations.append(item)
            elif type(item.time) is int and -_LARGEST_TIME < item.time < _LARGEST_TIME:
                crashes.append(item)
            else:
                return None
        for number in reader.undecoded():
            text = reader.value(number)
            assert isinstance(text, bytes)
            decoded[number] = admit(_DECODE(text), None)
    except (HistoryError, msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return Recorded(RecordedOperations(reader, crashes, decoded), annotations)
