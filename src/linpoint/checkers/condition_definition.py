# SPDX-License-Identifier: Apache-2.0
"""The rules of each condition about the times of operations, straight from its definition, for the oracle.

It determines which operation must take effect before which other, and in which eras (the times between crashes of the
object) an operation may take effect. Every pair of operations is compared with the recorded times; nothing is shared
with the fast checkers. Cost: O(n) per pair in the number of crashes.
"""

from __future__ import annotations

from collections.abc import Sequence

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec


class ConditionDefinition:
    """The rules of a condition about the times of some operations."""

    def __init__(self, history: History, ops: Sequence[Operation], spec: Spec, condition: str) -> None:
        self._ops = ops
        self._condition = condition
        self._skew = history.clock_skew
        self._crashes = [crash for crash in history.crashes if condition != "linearizable"]
        self._system = {crash.time for crash in self._crashes if crash.of_everything}
        self._objects = [canonical(spec.arguments(op)[0] if spec.key_argument else op.key) for op in ops]
        ends = {crash.time for crash in self._crashes if crash.ends_era and condition == "buffered-durable"}
        self.bounds = sorted(ends)
        """The times at which the eras end, except the last."""
        self.eras = [[era for era in range(len(ends) + 1) if self._may_lie_in(op, era)] for op in ops]
        """The eras in which each operation may take effect."""

    def _may_lie_in(self, op: Operation, era: int) -> bool:
        """Whether ``op`` may take effect after the first ``era`` crashes of the object and before the others."""
        over = op.return_ if op.outcome is Outcome.OK and op.return_ is not None else float("inf")
        skew, system = self._skew, self._system
        after = [op.call >= time if time in system else op.call > time + skew for time in self.bounds]
        before = [op.call < time if time in system else over + skew < time for time in self.bounds]
        return not any(before[:era]) and not any(after[era:])

    def _end(self, op: Operation) -> float:
        if op.outcome is Outcome.OK and op.return_ is not None:
            return op.return_
        cut = [c.time for c in self._crashes if c.covers(op.process) and c.time > op.call]
        cut += [c.time for c in self._crashes if c.of_object and c.time - self._skew > op.call]
        return min(cut, default=float("inf")) if self._condition == "strict" else float("inf")

    def _hinted(self, i: int, j: int) -> bool:
        first, second = self._ops[i].order, self._ops[j].order
        if first is None or second is None or self._objects[i] != self._objects[j]:
            return False
        return first < second and self.eras[i] == self.eras[j] and len(self.eras[i]) == 1

    def before(self, i: int, j: int) -> bool:
        """Whether operation i must take effect before operation j, if both do."""
        a, b = self._ops[i], self._ops[j]
        end, skew = self._end(a), self._skew
        earlier = a.process == b.process and (a.call, end, i) < (b.call, self._end(b), j)
        if self._condition == "sequential" or (
            self._condition == "recoverable" and earlier and a.outcome is not Outcome.OK
        ):
            return earlier or self._hinted(i, j)
        # Clocks agree only without skew: then an operation that touches a crash of its process lies on its own side of
        # it.
        cuts = () if skew else [crash.time for crash in self._crashes if crash.covers(a.process)]
        apart = any(a.call < time and end <= time <= b.call for time in cuts)
        return self._hinted(i, j) or apart or end + skew < b.call or (earlier and end <= b.call)
