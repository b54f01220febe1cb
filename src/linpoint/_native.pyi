# SPDX-License-Identifier: Apache-2.0
"""Native core of linpoint. Private: import from the public modules instead."""

import enum
from array import array
from collections.abc import Callable, Sequence

# Histories

class Classes:
    @property
    def first(self) -> list[int]: ...
    def __len__(self) -> int: ...
    def split(self, positions: Sequence[int]) -> list[list[int]]: ...
    def split_effective(self, columns: Columns) -> list[list[int]]: ...
    def merged(self, numbers: Sequence[int]) -> Classes: ...

class Columns:
    def __init__(
        self,
        process: array[int],
        call: array[int],
        ret: array[int],
        end: array[int],
        outcome: array[int],
        key: array[int],
        name: array[int],
        result: array[int],
        arity: array[int],
        arguments: array[int],
        hint: array[int],
        crash_time: array[int],
        crash_end: array[int],
        crash_process: array[int],
        skewed: bool,
    ) -> None: ...
    def __len__(self) -> int: ...
    def well_formed(self) -> bool: ...
    def overlaps(self) -> bool: ...
    def effective(self) -> list[int]: ...
    @property
    def hinted(self) -> bool: ...
    def classify(
        self,
        names: Sequence[int],
        *,
        arity: bool = False,
        arguments: bool = False,
        result: bool = False,
        process: bool = False,
        key: bool = False,
    ) -> Classes: ...
    def by_object(self, key_argument: bool) -> Classes: ...
    def by_first_argument(self) -> Classes: ...

def rank(spans: Sequence[tuple[int, int, int, int, int]]) -> tuple[list[int], list[int], list[list[int]]]: ...

# Specs

class Alphabet:
    def __init__(self, exact: Classes, loose: Classes) -> None: ...

class Machine: ...

class PythonMachine(Machine):
    def __init__(self, step: Callable[[int, int], list[int]], reads: bytes) -> None: ...

class NativeMachine(Machine):
    def state(self, content: Sequence[int]) -> int: ...

def native_machine(
    columns: Columns,
    kind: str,
    names: Sequence[str],
    constants: Sequence[int],
    key_argument: bool,
    capacity: int | None,
    integers: Sequence[int | None],
    strings: Sequence[str | None],
    exact: Classes,
    loose: Classes,
) -> NativeMachine | None: ...

# Searches

class StopReason(enum.Enum):
    NONE = 0
    TIME = 1
    MEMORY = 2
    REQUEST = 3

class SearchStatus(enum.Enum):
    LINEARIZABLE = 0
    VIOLATION = 1
    STOPPED = 2
    PAUSED = 3

class Condition(enum.Enum):
    LINEARIZABLE = 0
    STRICT = 1
    RECOVERABLE = 2
    DURABLE = 3
    BUFFERED_DURABLE = 4
    SEQUENTIAL = 5

class StopToken:
    def __init__(self) -> None: ...
    def child(self) -> StopToken: ...
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

class Problem:
    def __init__(
        self,
        columns: Columns,
        positions: Sequence[int],
        relaxed: Sequence[int],
        condition: Condition,
        key_argument: bool,
        alphabet: Alphabet,
        machine: Machine | None,
        initial: int,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def positions(self) -> list[int]: ...
    @property
    def calls(self) -> list[int]: ...
    @property
    def returns(self) -> list[int]: ...
    @property
    def optional(self) -> bytes: ...
    @property
    def before(self) -> list[tuple[int, int]]: ...
    @property
    def constrained(self) -> bool: ...
    @property
    def shareable(self) -> bool: ...
    @property
    def one_at_a_time(self) -> bool: ...

class SeenTable:
    def __init__(self, problem: Problem, stop: StopToken) -> None: ...

class Search:
    def run(self, allowance: int) -> SearchStatus: ...
    @property
    def order(self) -> list[int]: ...
    @property
    def configurations(self) -> int: ...

def wing_gong(problem: Problem, machine: Machine, stop: StopToken) -> Search: ...
def depth_first(
    problem: Problem, machine: Machine, stop: StopToken, seen: SeenTable | None = None, reversed: bool = False
) -> Search: ...
def linear(problem: Problem, machine: Machine, stop: StopToken) -> Search: ...

# Certificates

class Flaw(enum.Enum):
    NONE = 0
    NOT_THERE = 1
    LEFT_OUT = 2
    FAILED = 3
    RETURNED_EARLIER = 4
    ENDED_AT_CRASH = 5
    EARLIER_ERA = 6
    PROCESS_ORDER = 7
    HINT = 8
    REJECTED = 9
    UNLIKE = 10

def certify_order(
    columns: Columns,
    positions: Sequence[int],
    order: Sequence[int],
    condition: Condition,
    key_argument: bool,
    whole: bool,
) -> tuple[Flaw, int]: ...
def certify_run(
    columns: Columns, names: Sequence[int], order: Sequence[int], alphabet: Alphabet, machine: Machine, initial: int
) -> tuple[Flaw, int]: ...
