# SPDX-License-Identifier: Apache-2.0
"""Decides whether all operations of one object have an order if some are left out, unknown or have other results.

Every predicate of an explanation is such a question. Each is decided on a separate history: few operations by
depth-first search, many by any checker that applies. The answer None means that time ran out.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from linpoint.checkers.check import check
from linpoint.checkers.subhistory_decider import SubhistoryDecider
from linpoint.histories.history import History
from linpoint.histories.operation import Crash, Operation, Outcome, Process, Time
from linpoint.specs.spec import Spec
from linpoint.verdicts import Status

_MAX_SEARCHED_OPERATIONS: Final = 64
"""Up to this number, operations are searched directly; with more, a monitor may be faster than any search."""
_MAX_OPERATIONS: Final = 200_000
"""Building a history of more operations takes longer than an explanation may."""
_DECISION_S: Final = 2.0
_BY_PROCESS: Final = ("sequential", "recoverable")
"""Conditions under which an operation with an unknown outcome keeps its place among those of its process."""
_ORDERED: Final = {Status.LINEARIZABLE: True, Status.VIOLATION: False}


class WholeObject:
    """Decides questions about the operations at ``positions``, which all belong to one object, until a deadline."""

    def __init__(
        self, history: History, positions: Sequence[int], spec: Spec, condition: str, *, deadline: float
    ) -> None:
        self.history = history
        self.positions = positions
        self.spec = spec
        self.condition = condition
        self.deadline = deadline

    @property
    def timely(self) -> bool:
        """Whether operations called later cannot explain a result."""
        return self.condition != "sequential"

    def seconds_left(self, most: float = _DECISION_S) -> float:
        """The seconds that the next decision may take."""
        return min(most, self.deadline - time.monotonic())

    def has_order(
        self,
        positions: Sequence[int] | None = None,
        *,
        unknown: Collection[int] = (),
        replaced: Mapping[int, Operation] | None = None,
    ) -> bool | None:
        """Whether these operations satisfy the condition; None if time runs out.

        Those in ``unknown`` may or may not have happened, and ``replaced`` has substitutes for some.
        """
        chosen = self.positions if positions is None else positions
        hidden = frozenset(unknown)
        if len(chosen) > _MAX_OPERATIONS or self.seconds_left() <= 0 or self._open_together(hidden):
            return None
        variant = self.variant(chosen, hidden, replaced)
        checkable = not any(self._keeps_process(position) for position in hidden)
        if len(variant) <= _MAX_SEARCHED_OPERATIONS or not checkable:
            share = 4 if checkable else 1
            found = self._search(variant, max(0.001, self.seconds_left() / share))
            if found is not None:
                return found
        left = self.seconds_left()
        if left <= 0 or not checkable:
            return None
        verdict = check(variant, self.spec, condition=self.condition, budget=left, jobs=1)
        return _ORDERED.get(verdict.status)

    def _search(self, variant: History, seconds: float) -> bool | None:
        decider = SubhistoryDecider(variant, self.spec, self.condition)
        effective = [p for p, op in enumerate(variant.operations) if op.outcome is not Outcome.FAILED]
        return decider.decide(effective, seconds=seconds).found

    def variant(
        self, positions: Sequence[int], unknown: Collection[int] = (), replaced: Mapping[int, Operation] | None = None
    ) -> History:
        """The history of a question."""
        others = replaced or {}
        ops = self.history.operations
        crashes: list[Crash] = []
        made = []
        # In the order of the source, which orders operations of one process at the same instant.
        for position in sorted(positions):
            op = others.get(position) or ops[position]
            if position in unknown:
                process = op.process if self._keeps_process(position) else f"unknown {position}"
                if process != op.process:
                    crashes += [Crash(crash.time, process) for crash in self._crashes_of(op.process)]
                op = dataclasses.replace(op, process=process, outcome=Outcome.UNKNOWN, result=None, return_=None)
            made.append(op)
        return self.history.with_operations(made, crashes=crashes)

    def _keeps_process(self, position: int) -> bool:
        """Whether an operation must stay in its process if its outcome is treated as unknown.

        Otherwise it gets a separate process, since checkers rely on a process ending with an unknown outcome.
        """
        if self.condition in _BY_PROCESS or self.spec.uses_process or self.history.clock_skew:
            return True
        op = self.history.operations[position]
        return (op.process, op.call) in self._returns

    def _open_together(self, unknown: Collection[int]) -> bool:
        """Whether one process would have several open operations of the same instant, which have no order within it."""
        ops = self.history.operations
        called = [(ops[p].process, ops[p].call) for p in unknown if self._keeps_process(p)]
        return len(set(called)) < len(called)

    @functools.cached_property
    def _returns(self) -> frozenset[tuple[Process, Time]]:
        """The returns of processes: only the process orders an operation called at such a time."""
        ops = map(self.history.operations.__getitem__, self.positions)
        return frozenset((op.process, op.end) for op in ops if op.outcome is Outcome.OK)

    def _crashes_of(self, process: Process) -> list[Crash]:
        return [crash for crash in self.history.crashes if crash.process == process]

    def called_by_return(self, position: int) -> tuple[list[int], list[int]]:
        """The operations called by the time this one returned, and those of them that returned later."""
        ops = self.history.operations
        end = ops[position].end
        last = end + self.history.clock_skew  # an operation called up to this time may have come first
        called = [p for p in sorted(self.positions) if ops[p].call <= last]
        return called, [p for p in called if ops[p].end > end]

    def first_violation(self) -> int | None:
        """The operation whose return completed the violation, by bisection; None if time runs out.

        Bisection works since an order of a history contains an order of each of its prefixes.
        """
        ops = self.history.operations
        known = (position for position in self.positions if ops[position].outcome is Outcome.OK)
        returns = sorted(known, key=lambda position: ops[position].end)
        low, high = 0, len(returns) - 1
        if not self.timely or high < 0:
            return None
        while low < high:
            middle = (low + high) // 2
            called, still_open = self.called_by_return(returns[middle])
            found = self.has_order(called, unknown=still_open)
            if found is None:
                return None
            if found:
                low = middle + 1
            else:
                high = middle
        # Among operations that returned at the same time, any one may be returned.
        return returns[high]
