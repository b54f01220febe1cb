# SPDX-License-Identifier: Apache-2.0
"""The results that probes must return after a crash in each operation of a workload, sent to the host before any crash.

Most crash tests have a single possible state, whose results the host compares without a question. A script has for each
operation a section ``before`` and a section ``after``. Each lists the probes whose results have changed since the
previous section, in the format of the host, with an empty result if several are possible. Guarantee:
``CrashOracle.allows`` the results of each section at that point. Cost: a step of the spec for each probe of the part
that an operation acts on; if that is too much, the script is empty.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Hashable, Iterable, Sequence
from typing import Final

from linpoint.crash.possible_states import PartStates, SpecSteps, results_possible
from linpoint.errors import LinpointError

_MAX_SPEC_STEPS: Final = 50_000
"""Questions are cheaper beyond this limit, as for a queue with hundreds of probes of its only part."""


class _TooMuch(Exception):  # noqa: N818 - not an error
    """Questions are cheaper than a script."""


class ExpectedResults:
    """Writes the script of a workload."""

    def __init__(self, steps: SpecSteps, part_of: Sequence[Hashable], parts: PartStates) -> None:
        self._steps, self._part_of, self._parts = steps, part_of, parts
        self._probes: dict[Hashable, list[int]] = {}
        self._results: dict[int, bytes] = {}
        self._spec_steps = 0
        self._lines: list[bytes] = []

    def script(self, operations: int, probes: Iterable[tuple[int, int]]) -> bytes:
        """The script for this number of operations; each probe comes with its first operation. Empty if too long."""
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
                    self._write(part, operation)
                self._lines.append(b"after")
                self._write(self._part_of[operation], operation + 1)
        except (LinpointError, _TooMuch):  # an error of the spec is reported at the first question
            return b""
        return b"\n".join(self._lines)

    def _write(self, part: Hashable, completed: int) -> None:
        numbers = self._probes.get(part, ())
        self._spec_steps += len(numbers)
        if self._spec_steps > _MAX_SPEC_STEPS:
            raise _TooMuch
        results = results_possible(self._steps, self._parts.after(part, completed).states, tuple(numbers))
        for number, result in zip(numbers, results or (b"[]",) * len(numbers), strict=True):
            if self._results.get(number) != result:
                self._results[number] = result
                self._lines.append(b"%d %b" % (number, result[1:-1]))
