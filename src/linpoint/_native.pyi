# SPDX-License-Identifier: Apache-2.0
"""Native core of linpoint. Private: import from the public modules instead."""

import enum
from array import array
from collections.abc import Callable
from typing import TypeAlias

Buffer: TypeAlias = array[int] | bytes

class StopReason(enum.Enum):
    NONE = 0
    TIME = 1
    MEMORY = 2
    REQUEST = 3

class SearchStatus(enum.Enum):
    LINEARIZABLE = 0
    VIOLATION = 1
    STOPPED = 2

class StopToken:
    def __init__(self) -> None: ...
    def set_time_limit(self, seconds: float) -> None: ...
    def set_memory_limit(self, bytes: int) -> None: ...
    def stop(self, reason: StopReason) -> None: ...
    def poll(self) -> bool: ...
    @property
    def stopped(self) -> bool: ...
    @property
    def reason(self) -> StopReason: ...
    @property
    def memory(self) -> int: ...
    @property
    def configurations(self) -> int: ...
    @property
    def linearized(self) -> int: ...

class Result:
    @property
    def status(self) -> SearchStatus: ...
    @property
    def order(self) -> list[int]: ...
    @property
    def configurations(self) -> int: ...

def wing_gong(
    symbol: Buffer,
    call: Buffer,
    ret: Buffer,
    optional: Buffer,
    reads: Buffer,
    before: Buffer,
    excluded: Buffer,
    initial: int,
    step: Callable[[int, int], list[int]],
    stop: StopToken,
) -> Result: ...
def depth_first(
    symbol: Buffer,
    call: Buffer,
    ret: Buffer,
    optional: Buffer,
    reads: Buffer,
    before: Buffer,
    excluded: Buffer,
    initial: int,
    step: Callable[[int, int], list[int]],
    stop: StopToken,
) -> Result: ...
