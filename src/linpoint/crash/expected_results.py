# SPDX-License-Identifier: Apache-2.0
"""What probes must return after a crash in each operation of a workload, told to the host before any crash.

Most outcomes of crash tests are what the spec's one state foretells: the host compares those by itself, and asks about
others. A script has for each operation the section ``before`` it and the one ``after`` it; in each are the probes whose
results have changed since the section before, as the host writes them, or nothing where a result is not one thing.
Guarantee: what a section foretells is what ``Oracle.judge`` would allow there. Cost: a step of the spec for each probe
about the part of the object that an operation is about; where that is too much, nothing is foretold.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final

from linpoint.crash.possible_states import PossibleStates, SpecSteps, results_possible
from linpoint.errors import LinpointError

_MAX_SPEC_STEPS: Final = 50_000
"""Of the spec: those of a queue with hundreds of probes, all about its one part, would take longer than to ask."""


class _TooMuch(Exception):  # noqa: N818 - no error
    """Asking is cheaper."""


class ExpectedResults:
    """Writes the script of a workload."""

    def __init__(
        self, steps: SpecSteps, part_of: Sequence[Hashable], standing: Callable[[Hashable, int], PossibleStates]
    ) -> None:
        """``standing``: where a part of the object stands when so many operations have completed."""
        self._steps, self._part_of, self._standing = steps, part_of, standing
        self._probes: dict[Hashable, list[int]] = {}
        self._told: dict[int, bytes] = {}
        self._done = 0
        self._lines: list[bytes] = []

    def script(self, operations: int, probes: Iterable[tuple[int, int]]) -> bytes:
        """Of so many operations and the probes, each with the operation since which it is run; empty if it is too long."""
        since: dict[int, list[int]] = {}
        for number, first in probes:
            since.setdefault(first, []).append(number)
        try:
            for operation in range(operations):
                self._lines.append(b"before")
                fresh = since.get(operation, ())
                for number in fresh:
                    insort(self._probes.setdefault(self._part_of[number], []), number)
                for part in dict.fromkeys(self._part_of[number] for number in fresh):
                    self._tell(part, operation)
                self._lines.append(b"after")
                self._tell(self._part_of[operation], operation + 1)
        except (LinpointError, _TooMuch):  # a spec that fails is told of when it is asked
            return b""
        return b"\n".join(self._lines)

    def _tell(self, part: Hashable, completed: int) -> None:
        numbers = self._probes.get(part, ())
        self._done += len(numbers)
        if self._done > _MAX_SPEC_STEPS:
            raise _TooMuch
        told = results_possible(self._steps, self._standing(part, completed).states, tuple(numbers))
        for number, result in zip(numbers, told or (b"[]",) * len(numbers), strict=True):
            if self._told.get(number) != result:
                self._told[number] = result
                self._lines.append(b"%d %b" % (number, result[1:-1]))
