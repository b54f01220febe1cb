# SPDX-License-Identifier: Apache-2.0
"""Generates scenarios for a definition: small ones first, then random ones of full size, each once.

The order: first two threads with one operation each, for every pair of operations, including pairs of the same
operation; then, for each larger size, a sample of what the threads may do; then random scenarios of full size. Within a
scenario, the values of a parameter often come from a window of one or two values, mostly the simplest, because
operations on different keys rarely interact. A scenario that was already generated is replaced by calls with any
values. If that also yields nothing new for long, the remaining scenarios are enumerated.

Guarantee: the same seed gives the same scenarios; no two are equal up to the order of their threads; and the stream
ends exactly when every scenario within the bounds has been generated, which ``complete`` reports. For large bounds it
is practically endless. Cost: O(size of the scenario) for each, and memory for the generated scenarios, as numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import comb
from typing import Final

from linpoint.scenarios.call_alphabet import CallAlphabet
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.scenarios.setting_validation import check_number

Program = tuple[int, ...]
"""The calls of one thread, as numbers of the alphabet."""

_DRAWS_PER_PAIR: Final = 4
"""The number of times that each pair of operations is tried with other values before scenarios grow."""

_SCENARIOS_PER_SIZE: Final = 32
"""The number of scenarios of each size between the smallest and the full one."""

_MAX_FUTILE_DRAWS: Final = 20
"""The number of consecutive draws without a new scenario after which the rest is enumerated."""


@dataclass(frozen=True, slots=True)
class ScenarioBounds:
    """Bounds of scenarios: the numbers of threads, of operations per thread, and of operations before and after."""

    threads: int
    operations: int
    before: int
    after: int

    @property
    def fewest_threads(self) -> int:
        """The minimum number of threads: two, since one thread is not concurrent, unless only one is allowed."""
        return min(2, self.threads)


@dataclass(frozen=True, slots=True)
class _Coded:
    """A scenario as numbers."""

    threads: tuple[Program, ...]
    before: Program = ()
    after: Program = ()

    def key(self) -> tuple[tuple[Program, ...], Program, Program]:
        """A key that scenarios share if they differ only in the order of their threads."""
        return tuple(sorted(self.threads)), self.before, self.after


def scenarios(
    definition: ConcurrentTestDefinition,
    *,
    seed: int,
    threads: int | None = None,
    operations: int | None = None,
    before: int | None = None,
    after: int | None = None,
    most: int | None = None,
) -> ScenarioStream:
    """A stream of at most ``most`` scenarios within the bounds, which are by default those of the definition.

    Fixed scenarios of the user are not included; the caller runs them first.
    """
    chosen = {
        "threads": definition.threads if threads is None else threads,
        "operations": definition.operations_per_thread if operations is None else operations,
        "before": definition.before if before is None else before,
        "after": definition.after if after is None else after,
    }
    for name, value in chosen.items():
        check_number(definition.name, name, value, 1 if name in ("threads", "operations") else 0)
    return ScenarioStream(definition, ScenarioBounds(**chosen), seed=seed, most=most)


class ScenarioStream(Iterator[Scenario]):
    """A stream of scenarios. ``total`` is the number within the bounds, ``given`` the number generated so far.

    Not shared between threads.
    """

    def __init__(
        self, definition: ConcurrentTestDefinition, bounds: ScenarioBounds, *, seed: int, most: int | None = None
    ) -> None:
        self.bounds = bounds
        self.given = 0
        self._most = most
        self._alphabet = CallAlphabet(definition)
        self._draw = _Draw(self._alphabet, bounds, random.Random(seed))  # noqa: S311 - samples, not secrets
        self.total = count(self._alphabet.size, bounds)
        self._seen: set[object] = set()
        self._stream = self._scenarios()

    @property
    def complete(self) -> bool:
        """Whether every scenario within the bounds has been generated."""
        return self.given == self.total

    def __next__(self) -> Scenario:
        if self.complete or self.given == self._most:
            raise StopIteration
        coded = next(self._stream)
        self.given += 1
        return Scenario(tuple(map(self._calls, coded.threads)), self._calls(coded.before), self._calls(coded.after))

    def _calls(self, program: Program) -> tuple[Call, ...]:
        return tuple(map(self._alphabet.call, program))

    def _scenarios(self) -> Iterator[_Coded]:
        for coded in self._draw.small():
            if self._is_new(coded):
                yield coded
        missed = 0
        while missed < _MAX_FUTILE_DRAWS:
            drawn = (draw() for draw in (self._draw.full, self._draw.anything))
            found = next(filter(self._is_new, drawn), None)
            missed = missed + 1 if found is None else 0
            if found is not None:
                yield found
        yield from filter(self._is_new, everything(self._alphabet.size, self.bounds))

    def _is_new(self, coded: _Coded) -> bool:
        """Whether a scenario has not been generated yet; it then counts as generated."""
        before = len(self._seen)
        self._seen.add(coded.key())
        return len(self._seen) > before


class _Draw:
    """Random scenarios in which operations interact. Not shared between threads."""

    def __init__(self, alphabet: CallAlphabet, bounds: ScenarioBounds, generator: random.Random) -> None:
        self._alphabet = alphabet
        self._bounds = bounds
        self._random = generator
        self._windows: dict[str, tuple[int, int | None]] = {}

    def small(self) -> Iterator[_Coded]:
        """The systematic part: every pair of operations, then samples of each size below the full one."""
        fewest, most = self._bounds.fewest_threads, self._bounds.threads
        operations = range(len(self._alphabet.operations))
        for names in combinations_with_replacement(operations, fewest):
            yield _Coded(tuple((self._simplest(name),) for name in names))
            for _ in range(_DRAWS_PER_PAIR - 1):
                yield self._filled([(name,) for name in names])
        sizes = sorted(
            product(range(fewest, most + 1), range(1, self._bounds.operations + 1)),
            key=lambda size: (size[0] * size[1], size),
        )
        for threads, length in sizes[1:-1]:
            for _ in range(_SCENARIOS_PER_SIZE):
                yield self._filled(self._names(threads, length))

    def full(self) -> _Coded:
        """A scenario of full size."""
        return self._filled(self._names(self._bounds.threads, self._bounds.operations))

    def anything(self) -> _Coded:
        """A scenario of full size in which every call is equally likely."""
        lengths = [self._random.randint(0, bound) for bound in (self._bounds.before, self._bounds.after)]
        before, after, *threads = (
            tuple(self._random.randrange(self._alphabet.size) for _ in range(length))
            for length in (*lengths, *[self._bounds.operations] * self._bounds.threads)
        )
        return _Coded(tuple(threads), before, after)

    def _names(self, threads: int, length: int) -> list[tuple[int, ...]]:
        return [self._sequence(length) for _ in range(threads)]

    def _sequence(self, length: int) -> tuple[int, ...]:
        return tuple(self._random.randrange(len(self._alphabet.operations)) for _ in range(length))

    def _filled(self, names: list[tuple[int, ...]]) -> _Coded:
        """Choose values for the operations of the threads, and a random number of operations before and after."""
        self._windows.clear()
        before, after = (
            self._sequence(self._random.randint(0, bound)) for bound in (self._bounds.before, self._bounds.after)
        )
        return _Coded(tuple(map(self._calls, names)), self._calls(before), self._calls(after))

    def _calls(self, names: tuple[int, ...]) -> Program:
        return tuple(map(self._call, names))

    def _simplest(self, operation: int) -> int:
        return self._alphabet.code(operation, [0] * len(self._alphabet.operations[operation].sources))

    def _call(self, operation: int) -> int:
        tested = self._alphabet.operations[operation]
        ranks = [
            self._rank(parameter, len(source))
            for parameter, source in zip(tested.parameters, tested.sources, strict=True)
        ]
        return self._alphabet.code(operation, ranks)

    def _rank(self, parameter: str, values: int) -> int:
        """A value from the window that all operations of one scenario share for parameters of the same name."""
        if parameter not in self._windows:
            begin = self._random.choice((0, 0, 0, self._random.randrange(values)))
            self._windows[parameter] = begin, self._random.choice((1, 2, None))
        begin, width = self._windows[parameter]
        return (begin + self._random.randrange(min(width or values, values))) % values


def count(calls: int, bounds: ScenarioBounds) -> int:
    """The number of scenarios of ``calls`` different calls, up to the order of threads."""
    programs = _sequences(calls, bounds.operations) - 1  # each thread has at least one call
    sets = sum(comb(programs + k - 1, k) for k in range(bounds.fewest_threads, bounds.threads + 1))
    return sets * _sequences(calls, bounds.before) * _sequences(calls, bounds.after)


def everything(calls: int, bounds: ScenarioBounds) -> Iterator[_Coded]:
    """Enumerate every scenario once, up to the order of threads, fewer threads first. Nothing is stored."""
    for threads in range(bounds.fewest_threads, bounds.threads + 1):
        for numbers in _multisets(1, _sequences(calls, bounds.operations), threads):
            programs = tuple(_program(calls, number) for number in numbers)
            for before in range(_sequences(calls, bounds.before)):
                for after in range(_sequences(calls, bounds.after)):
                    yield _Coded(programs, _program(calls, before), _program(calls, after))


def _sequences(calls: int, longest: int) -> int:
    """The number of sequences of calls, including the empty one."""
    return sum(calls**length for length in range(longest + 1))


def _program(calls: int, number: int) -> Program:
    """The sequence with this number, shorter ones first; 0 is the empty one."""
    digits = []
    while number:
        number, digit = divmod(number - 1, calls)
        digits.append(digit)
    return tuple(reversed(digits))


def _multisets(low: int, high: int, size: int) -> Iterator[tuple[int, ...]]:
    """The non-decreasing tuples of numbers from ``low`` to below ``high``."""
    if size == 0:
        yield ()
        return
    for first in range(low, high):
        for rest in _multisets(first, high, size - 1):
            yield (first, *rest)
