# SPDX-License-Identifier: Apache-2.0
"""Numbers for calls: every operation of a definition with every combination of argument values.

Guarantee: ``call`` is injective on ``range(size)``, so scenarios of numbers can be counted, compared and stored without
looking at values. The first call of each operation has the simplest values. Cost: memory only for calls that are
requested.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from math import prod

from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Call


class CallAlphabet:
    """The calls in the scenarios of a definition. Not shared between threads."""

    def __init__(self, definition: ConcurrentTestDefinition) -> None:
        self.operations = tuple(definition.operations.values())
        sizes = [prod(map(len, each.sources)) for each in self.operations]
        self._first = [0, *accumulate(sizes)]
        self._calls: dict[int, Call] = {}

    @property
    def size(self) -> int:
        """The number of different calls."""
        return self._first[-1]

    def code(self, operation: int, ranks: Sequence[int]) -> int:
        """The number of the call of an operation whose arguments have the values of these ranks."""
        offset = 0
        for source, rank in zip(self.operations[operation].sources, ranks, strict=True):
            offset = offset * len(source) + rank
        return self._first[operation] + offset

    def call(self, code: int) -> Call:
        """The call with this number."""
        found = self._calls.get(code)
        if found is None:
            found = self._calls[code] = self._made(code)
        return found

    def _made(self, code: int) -> Call:
        number = bisect_right(self._first, code) - 1
        operation = self.operations[number]
        offset = code - self._first[number]
        args = []
        for source in reversed(operation.sources):
            offset, rank = divmod(offset, len(source))
            args.append(source[rank])
        return Call(operation.name, tuple(reversed(args)))
