# SPDX-License-Identifier: Apache-2.0
"""Native core of linpoint. Private: import from the public modules instead."""

import enum
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

# Histories

class Classes:
    @property
    def first(self) -> list[int]: ...
    def __len__(self) -> int: ...
    def split(self, positions: Sequence[int]) -> list[list[int]]: ...
    def split_effective(self, columns: Columns) -> list[Positions]: ...
    def merged(self, numbers: Sequence[int]) -> Classes: ...

class Positions(Sequence[int]):
    def __init__(self, positions: Sequence[int]) -> None: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __iter__(self) -> Iterator[int]: ...

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
    def keyed(self) -> bool: ...
    def with_values(self, numbers: array[int]) -> Columns: ...
    def with_lists(self, slots: array[int], first: array[int], tokens: array[int]) -> Columns: ...
    def equated(self, scalars: int) -> tuple[Columns, bytes]: ...
    @property
    def lists(self) -> int: ...
    def tokens(self, list: int) -> list[int]: ...
    def numbers_at(self, position: int) -> tuple[list[int], int]: ...
    def with_skew(self, skew: int) -> Columns: ...
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
    def object_at(self, position: int, key_argument: bool) -> int: ...
    def only_integers(self, integers: array[int]) -> bool: ...
    def by_object(self, key_argument: bool) -> Classes: ...
    def by_first_argument(self) -> Classes: ...

def rank(spans: Sequence[tuple[int, int, int, int, int]]) -> tuple[list[int], list[int], list[list[int]]]: ...

class LineReader:
    def __init__(self, expected_bytes: int) -> None: ...
    def feed(self, block: memoryview) -> bool: ...
    def decline(self) -> None: ...
    def append(self, other: LineReader) -> bool: ...
    def finish(self) -> bool: ...
    def take_columns(self, crash_time: array[int], crash_process: array[int]) -> Columns: ...
    def others(self) -> list[tuple[int, str]]: ...
    def names(self) -> list[str]: ...
    def processes(self) -> list[int | str]: ...
    @property
    def fractional(self) -> bool: ...
    def instant(self, time: float) -> int | None: ...
    def process_number(self, process: object) -> int: ...
    def __len__(self) -> int: ...
    def values(self) -> list[int | str | bytes | None]: ...
    def value(self, number: int) -> int | str | bytes | None: ...
    def number(self, value: object) -> int: ...
    def undecoded(self) -> list[int]: ...
    def integers(self) -> bytes: ...
    def list_value(self, columns: Columns, list: int, object: Callable[[dict[str, Any]], Any]) -> Any: ...
    def row(
        self, columns: Columns, position: int
    ) -> tuple[int, int, list[int], int, float, float | None, int, int, int | None, int]: ...

# Specs

class Alphabet:
    def __init__(self, exact: Classes, loose: Classes) -> None: ...

class Machine: ...

class PythonMachine(Machine):
    def __init__(self, step: Callable[[int, int], list[int]], reads: bytes) -> None: ...

class NativeMachine(Machine):
    def state(self, content: Sequence[int]) -> int: ...

class Blueprint:
    def __init__(
        self,
        kind: str,
        names: Sequence[str],
        constants: Sequence[int],
        key_argument: bool,
        capacity: int | None,
        integers: array[int],
        strings: Sequence[str | None],
        at: int = -1,
        values: int = 0,
    ) -> None: ...

def native_machine(columns: Columns, blueprint: Blueprint, exact: Classes, loose: Classes) -> NativeMachine | None: ...

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
        alphabet: Alphabet | None,
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
    NEEDED = 11

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

# Monitors

class MonitorStatus(enum.Enum):
    LINEARIZABLE = 0
    VIOLATION = 1
    EXCLUDED = 2

class Reason(enum.Enum):
    NONE = 0
    NEVER_ADDED = 1
    SEEN_BEFORE_ADDED = 2
    REMOVED_TWICE = 3
    SEEN_AFTER_REMOVED = 4
    ORDER_INVERTED = 5
    FRONTS_OVERLAP = 6
    FRONT_INSIDE = 7
    EMPTY_WHILE_INSIDE = 8
    HIGHER_INSIDE = 9
    NOT_NESTED = 10
    ZONES_OVERLAP = 11
    ZONE_INSIDE = 12
    REPLACED_TWICE = 13
    REPLACED_IN_CIRCLE = 14
    REPLACED_TOO_EARLY = 15
    OVERWRITTEN = 16
    NOBODY_FLIPS = 17
    COUNT_TOO_LOW = 18
    COUNT_TOO_HIGH = 19
    SAME_COUNT = 20
    COUNTS_INVERTED = 21

class Exclusion(enum.Enum):
    NONE = 0
    KIND = 1
    OPERATION = 2
    RESULT = 3
    DUPLICATE = 4
    NULL = 5
    CAPACITY = 6
    AMOUNTS = 7
    CUT_OFF = 8
    UNKNOWN_REMOVALS = 9
    STOPPED = 10
    FAILED_COMPARE = 11

class Monitored:
    @property
    def status(self) -> MonitorStatus: ...
    @property
    def order(self) -> Positions: ...
    @property
    def reason(self) -> Reason: ...
    @property
    def telling(self) -> list[int]: ...
    @property
    def scope(self) -> Positions: ...
    @property
    def exclusion(self) -> Exclusion: ...
    @property
    def culprit(self) -> int: ...
    @property
    def relaxed(self) -> bool: ...
    @property
    def flaw(self) -> tuple[Flaw, int]: ...
    @property
    def constrained(self) -> bool: ...

def monitor(
    columns: Columns,
    positions: Sequence[int],
    content: Sequence[int],
    blueprint: Blueprint,
    condition: Condition,
    stop: StopToken,
) -> Monitored: ...
def covers(columns: Columns, blueprint: Blueprint) -> bool: ...
def certify_scope(
    columns: Columns, positions: Sequence[int], scope: Sequence[int], blueprint: Blueprint
) -> tuple[Flaw, int]: ...
def certify_count(
    columns: Columns,
    positions: Sequence[int],
    telling: Sequence[int],
    reason: Reason,
    blueprint: Blueprint,
    content: Sequence[int],
) -> bool: ...
def certify_replay(
    columns: Columns, order: Sequence[int], blueprint: Blueprint, content: Sequence[int]
) -> tuple[Flaw, int]: ...

# Precedence graphs

class GraphStatus(enum.Enum):
    LINEARIZABLE = 0
    VIOLATION = 1
    EXCLUDED = 2

class GraphReason(enum.Enum):
    NONE = 0
    CYCLE = 1
    FORK = 2
    DANGLING_READ = 3
    READ_BEFORE_WRITE = 4
    DISCONNECTED_FAILURE = 5

class GraphExclusion(enum.Enum):
    NONE = 0
    KIND = 1
    WRITE = 2
    COMPARE_ONLY = 3
    RESULT = 4
    SHAPE = 5
    DUPLICATE = 6
    CUT_OFF_SWAP = 7
    CHOICES = 8
    ERAS = 9
    STOPPED = 10

class Because(enum.Enum):
    TIME = 0
    READS_FROM = 1
    REPLACED = 2
    FAILED_AFTER = 3
    FAILED_BEFORE = 4

class TimeEdges(enum.Enum):
    NONE = 0
    MINIMAL = 1
    ALL = 2

class Proof(enum.Enum):
    HOLDS = 0
    BROKEN = 1
    TOO_LONG = 2

class Link:
    @property
    def source(self) -> int: ...
    @property
    def target(self) -> int: ...
    @property
    def because(self) -> Because: ...
    @property
    def word(self) -> int: ...
    @property
    def value(self) -> int: ...

class Graphed:
    @property
    def status(self) -> GraphStatus: ...
    @property
    def order(self) -> Positions: ...
    @property
    def reason(self) -> GraphReason: ...
    @property
    def contradictions(self) -> list[list[Link]]: ...
    @property
    def failed(self) -> list[int]: ...
    @property
    def kept(self) -> list[Link]: ...
    @property
    def exclusion(self) -> GraphExclusion: ...
    @property
    def culprit(self) -> int: ...
    @property
    def flaw(self) -> tuple[Flaw, int]: ...
    @property
    def proof(self) -> Proof: ...

def graph(
    columns: Columns,
    positions: Sequence[int],
    content: Sequence[int],
    blueprint: Blueprint,
    condition: Condition,
    stop: StopToken,
    paper: bool,
    parallel: bool,
) -> Graphed: ...
def graph_edges(
    columns: Columns,
    positions: Sequence[int],
    content: Sequence[int],
    blueprint: Blueprint,
    condition: Condition,
    times: TimeEdges,
    around: Sequence[int],
) -> list[Link]: ...
def measure_graph(
    columns: Columns,
    positions: Sequence[int],
    content: Sequence[int],
    blueprint: Blueprint,
    condition: Condition,
    times: TimeEdges,
) -> tuple[tuple[int, int], bool]: ...
def words_fit(columns: Columns, blueprint: Blueprint, parallel: bool = False) -> bool: ...
