# SPDX-License-Identifier: Apache-2.0
"""Generates or reads workloads: the operations that run before and during a crash.

Generated workloads have the bias of Durinn (Fu et al., OSDI 2022, section 8.1): fresh keys for adding operations,
existing keys for the others. Fresh keys follow one of several patterns, since structures use keys differently: keys
that spread over a tree may share one bucket of a hash table, and keys that fill all buckets evenly never form a chain.
Several workloads are traced, and the one that covers the most edges of the target is extended by the best of several
continuations at each step, with the same pattern or another; the paper uses a fuzzer for that.
Guarantee: the same seed and target give the same workload.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from linpoint.crash.operation_purposes import MEMORIES, OperationPurposes, Purpose, memory_cells, nth_value
from linpoint.errors import LinpointError, TestError
from linpoint.histories.values import Value, canonical, freeze
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.cpp_test_description import TypeDescription
from linpoint.scenarios.scenario import Call
from linpoint.scenarios.scenario_text import parse_calls

_FRESH_KEY_PROBABILITY: Final = 0.85
"""The probability that an adding operation uses a fresh key."""
_EXISTING_KEY_PROBABILITY: Final = 0.9
"""The probability that any other operation uses an existing key."""
_CURRENT_VALUE_PROBABILITY: Final = 0.75
"""The probability that the expected value of a comparison is the current one."""
_RECENT_KEYS: Final = 16
_RECENT_KEY_PROBABILITY: Final = 0.5
"""The probability that an existing key is a recent one."""
_DRAW_ATTEMPTS: Final = 12
_CANDIDATE_WORKLOADS: Final = 8
_WORKLOAD_STAGES: Final = 3
"""Each stage after the first doubles the workload."""
_CONTINUATIONS_PER_STAGE: Final = 3
_KEY_PATTERNS: Final = ("ascending", "shuffled", "sparse", "strided")
_KEY_MULTIPLIER: Final = 2_654_435_761
_MAX_SPARSE_KEY: Final = 2**31 - 2
_STRIDES: Final = range(1, 9)
"""Powers of two: keys at this distance share a bucket of a table that is indexed by as many low bits. A longer stride
would make some tables grow until they have that many buckets."""
_IN_STRIDE: Final = range(4, 17)
"""The number of keys at one distance."""


class _Row(NamedTuple):
    number: int
    stride: int
    left: int


class WorkloadGenerator:
    """Draws operations and tracks the state of the spec to know which keys exist."""

    def __init__(self, purposes: OperationPurposes, seed: str, pattern: str = "ascending") -> None:
        self._purposes = purposes
        self._draw = random.Random(seed)  # noqa: S311 - not a secret
        self._pattern = pattern
        self._shuffled: list[int] = []
        self._row = _Row(0, 1, 0)
        self._numbers: set[int] = set()
        self._made = 0
        self._values = 0
        self._used: list[Value] = []
        self._keys: list[Value] = []
        self._states: dict[Hashable, Any] = {}

    def another(self, seed: str, pattern: str | None = None) -> WorkloadGenerator:
        """A generator that continues from the current state with another seed and this pattern."""
        other = WorkloadGenerator(self._purposes, seed, pattern or self._pattern)
        other._shuffled, other._made, other._values = list(self._shuffled), self._made, self._values
        other._row, other._numbers = self._row, set(self._numbers)
        other._used, other._keys, other._states = list(self._used), list(self._keys), dict(self._states)
        return other

    def calls(self, count: int) -> list[Call]:
        """The next operations; fewer if the spec allows no further one."""
        found: list[Call] = []
        while len(found) < count and (call := self._next()) is not None:
            found.append(call)
        return found

    def _next(self) -> Call | None:
        for _ in range(_DRAW_ATTEMPTS):
            purpose = self._chosen()
            call = Call(purpose.name, self._arguments(purpose))
            outcomes = self._purposes.outcomes(self._state(call), call)
            if outcomes:
                self._take(call, outcomes[0][1])
                return call
        return None

    def _chosen(self) -> Purpose:
        every = list(self._purposes.by_name.values())
        weights = [_weight(each, every) for each in every]
        return self._draw.choices(every, weights)[0]

    def _state(self, call: Call) -> Any:
        return self._states.get(self._part(call), self._purposes.spec.initial)

    def _part(self, call: Call) -> Hashable:
        return canonical(call.args[0]) if self._purposes.keyed and call.args else None

    def _take(self, call: Call, state: Any) -> None:
        self._states[self._part(call)] = state
        if call.args and self._purposes.keyed:
            self._keys.append(call.args[0])
        self._used += call.args[1:] if self._purposes.keyed else call.args

    def _arguments(self, purpose: Purpose) -> tuple[Value, ...]:
        if self._purposes.spec.name in MEMORIES and purpose.given is None:
            return (self._cells(purpose),)
        args: list[Value] = []
        for at, kind in enumerate(purpose.parameters):
            name = purpose.named[at] if at < len(purpose.named) else ""
            if self._purposes.keyed and at == 0:
                args.append(self._key(purpose, kind))
            elif purpose.given is not None:
                args.append(self._draw.choice(purpose.given[at]))
            elif name == "old" and self._draw.random() < _CURRENT_VALUE_PROBABILITY:
                args.append(self._current(args, kind))
            elif (
                purpose.adds or name == "new" or not self._used or self._draw.random() < 1 - _CURRENT_VALUE_PROBABILITY
            ):
                args.append(nth_value(kind, self._values))
                self._values += 1
            else:
                args.append(self._draw.choice(self._used[-_RECENT_KEYS:]))
        return tuple(args)

    def _cells(self, purpose: Purpose) -> Value:
        def current(word: Value) -> Value:
            outcomes = self._purposes.outcomes(
                self._states.get(None, self._purposes.spec.initial), Call("read", ((word,),))
            )
            return outcomes[0][0][0] if outcomes and self._draw.random() < _CURRENT_VALUE_PROBABILITY else 0

        self._values += 1
        return memory_cells(purpose.name, self._purposes.words, self._draw.randrange(64), self._values, current)

    def _key(self, purpose: Purpose, kind: TypeDescription) -> Value:
        fresh = self._draw.random() < (_FRESH_KEY_PROBABILITY if purpose.adds else 1 - _EXISTING_KEY_PROBABILITY)
        if purpose.given is not None:
            return self._draw.choice(purpose.given[0])
        if not fresh and self._keys:
            recent = self._draw.random() < _RECENT_KEY_PROBABILITY
            return self._draw.choice(self._keys[-_RECENT_KEYS:] if recent else self._keys)
        known = self._purposes.keys
        return self._draw.choice(known) if known else self._fresh(kind)

    def _fresh(self, kind: TypeDescription) -> Value:
        number, self._made = self._made, self._made + 1
        if self._pattern == "shuffled":
            block, at = divmod(number, 256)
            if at == 0 or not self._shuffled:
                self._shuffled = list(range(block * 256, block * 256 + 256))
                self._draw.shuffle(self._shuffled)
            number = self._shuffled[at]
        elif self._pattern == "sparse":
            number = (number + 1) * _KEY_MULTIPLIER % _MAX_SPARSE_KEY
        elif self._pattern == "strided":
            number = self._in_row()
        # Another pattern may have drawn this number.
        while number in self._numbers:
            number += 1
        self._numbers.add(number)
        return nth_value(kind, number)

    def _in_row(self) -> int:
        """The next number of a row with equal distances; each row has its own distance."""
        if not self._row.left:
            stride = 1 << self._draw.choice(_STRIDES)
            self._row = _Row(self._draw.randrange(2 * stride), stride, self._draw.choice(_IN_STRIDE))
        row = self._row
        self._row = _Row(row.number + row.stride, row.stride, row.left - 1)
        return row.number

    def _current(self, args: Sequence[Value], kind: TypeDescription) -> Value:
        """The current value, as a reading operation returns it."""
        for purpose in [
            each for each in self._purposes.by_name.values() if each.reads and len(each.parameters) == len(args)
        ]:
            call = Call(purpose.name, tuple(args))
            outcomes = self._purposes.outcomes(self._state(call), call)
            if outcomes and type(outcomes[0][0]) is type(nth_value(kind, 0)):
                return outcomes[0][0]
        return self._draw.choice(self._used[-_RECENT_KEYS:]) if self._used else nth_value(kind, 0)


def _weight(purpose: Purpose, every: Sequence[Purpose]) -> float:
    """The weight of an operation: half of a workload adds, three eighths of it change, the rest reads."""
    kind = (purpose.adds, purpose.reads)
    alike = sum((each.adds, each.reads) == kind for each in every)
    return (4 if purpose.adds else 1 if purpose.reads else 3) / alike


def candidate_workloads(
    purposes: OperationPurposes, count: int, seed: int, limits: SearchLimits
) -> Generator[Sequence[Call], int, list[Call]]:
    """Workloads to trace. The caller sends back the number of target edges that each covers, negative if it did not
    finish.

    Returns a workload that covers many edges. After the limits, no further workloads are compared.
    """
    first = max(1, count >> _WORKLOAD_STAGES) if count > _RECENT_KEYS else count
    ways = []
    for number in range(_CANDIDATE_WORKLOADS):
        pattern = _KEY_PATTERNS[number % len(_KEY_PATTERNS)]
        generator = WorkloadGenerator(purposes, f"{seed} {number}", pattern)
        calls = generator.calls(first)
        covered = yield calls
        ways.append((covered, -number, calls, generator))
        if limits.over():
            break
    edges, _, best, generator = max(ways, key=lambda each: each[:2])
    while len(best) < count:
        ways = []
        several = not limits.over()
        for number in range(_CONTINUATIONS_PER_STAGE if several else 1):
            seeded = f"{seed} {len(best)} {number}"
            other = random.Random(seeded).choice(_KEY_PATTERNS) if number else None  # noqa: S311 - not a secret
            another = generator.another(seeded, other)
            calls = [*best, *another.calls(min(len(best), count - len(best)))]
            covered = (yield calls) if several else edges
            ways.append((covered, -number, calls, another))
        before = len(best)
        edges, _, best, generator = max(ways, key=lambda each: each[:2])
        if len(best) == before or edges < 0:
            break
    return best


def read_workload(path: str) -> tuple[list[Call], list[Call]]:
    """Read the operations of a file: operation lines, or the text of a scenario in one or several lines.

    The second list has the operations after ``|``, which may run concurrently with the others.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise TestError(
            "LP-C002", f"the workload cannot be read: {reason}.", place=path, remedy="Use a UTF-8 text file."
        ) from None
    if text.lstrip().startswith("{"):
        return list(_from_lines(text, path)), []
    return _from_text(text, path)


def _from_lines(text: str, path: str) -> Iterator[Call]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            item = msgspec.json.decode(line)
            yield Call(item["op"], tuple(map(freeze, item.get("args", ()))))
        except (msgspec.MsgspecError, TypeError, KeyError, AttributeError, LinpointError) as error:
            fact = error.message.rstrip(".") if isinstance(error, LinpointError) else f"{type(error).__name__}: {error}"
            raise TestError(
                "LP-C002",
                f"the line is not an operation: {fact}.",
                place=f"{path}:{number}",
                remedy='Write each line as {"op": "insert", "args": [1, 2]}, or as text: insert(1, 2); get(1).',
            ) from None


def _from_text(text: str, path: str) -> tuple[list[Call], list[Call]]:
    parts: tuple[list[Call], list[Call]] = ([], [])
    which = 0
    for number, line in enumerate(text.splitlines(), 1):
        for piece in _pieces(line):
            if piece == "|":
                which = 1
                continue
            try:
                parts[which].extend(Call(name, args) for name, args in parse_calls(piece, f"{path}:{number}"))
            except TestError as error:
                raise TestError(
                    "LP-C002", error.message, place=error.place, remedy="Write operations as in: insert(1, 2); get(1)."
                ) from None
    return parts


def _pieces(line: str) -> Iterator[str]:
    """The parts of a line, without a final ``;``; a ``|`` alone in its line stays."""
    text = line.strip().rstrip(";").strip()
    if text == "|":
        yield "|"
    elif text and not text.startswith("#"):
        yield text
