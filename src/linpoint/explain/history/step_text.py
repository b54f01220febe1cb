# SPDX-License-Identifier: Apache-2.0
"""The steps of an argument as text: which operation comes before which, and the one reason for it.

Guarantee: "observed the 1 that A wrote" is printed only if A is the only operation on the whole object that stored a 1.
Otherwise the step names the result that is impossible in the other order, which is the predicate that was decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from linpoint.explain.history.claims.value_uses import ValueUses
from linpoint.explain.history.reasons import ArgumentStep
from linpoint.explain.history.value_flow import REGISTERS, ValueFlow, flow_of, kind_of
from linpoint.explain.wording.operation_names import value_of
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import format_value
from linpoint.specs.spec import Returns, Spec
from linpoint.text.phrases import one_line

_WRITES: Final = ("write", "put", "cas", "swap", "insert")

Names = Mapping[int, str]


def in_time(history: History, first: int, second: int) -> tuple[str, str] | None:
    """The reason why the times or order hints of a history put one operation before another, or None.

    Returns the typed reason, and its text with ``{0}`` and ``{1}`` for the operations.
    """
    a, b = history.operations[first], history.operations[second]
    if a.outcome is Outcome.OK and a.end + history.clock_skew < b.call:
        return "real-time", "{0} returned before {1} was called"
    if a.order is not None and b.order is not None and a.order < b.order:
        return "order-hint", "{0} has the smaller order value"
    if a.process == b.process and a.outcome is Outcome.OK and (a.call, a.end) < (b.call, b.end):
        return "process-order", "{0} precedes {1} in their process"
    return None


class StepText:
    """Writes steps about operations of ``history``.

    ``uses`` has the values of all operations of the object. ``history`` may hold only some of them; then ``original``
    has their positions in the whole history.
    """

    def __init__(
        self, history: History, spec: Spec, names: Names, uses: ValueUses, original: Sequence[int] | None
    ) -> None:
        self._ops = history.operations
        self._history = history
        self._spec = spec
        self._kind = kind_of(spec)
        self._names = names
        self._uses = uses
        self._here = None if original is None else {there: here for here, there in enumerate(original)}

    def _flow(self, position: int) -> ValueFlow:
        return flow_of(self._ops[position], self._kind)

    def timed(self, first: int, second: int) -> ArgumentStep | None:
        """The step that the times put ``first`` before ``second``; None if they do not."""
        known = in_time(self._history, first, second)
        if known is None:
            return None
        reason, words = known
        x, y = self._names[first], self._names[second]
        return ArgumentStep(reason, (first, second), f"{x} < {y}, because {words.format(x, y)}", first, second)

    def by_spec(self, first: int, second: int) -> ArgumentStep:
        """The step that the spec puts ``first`` before ``second`` (already decided), with the most specific reason."""
        a, b = self._ops[first], self._ops[second]
        x, y = self._names[first], self._names[second]
        head = f"{x} < {y}, because "
        if self.source(second) == first:
            text = f"{head}{y} observed the {self._saw(second)} that {x} {self._put(a)}"
            return ArgumentStep("reads-from", (first, second), text, first, second)
        source = self.source(first)
        replaces = self._kind in REGISTERS and self._flow(second).certain
        if source is not None and source in self._names and source != second and replaces:
            text = f"{head}{x} observed the {self._saw(first)} of {self._names[source]}, which is no longer current after {y}"
            return ArgumentStep("overwritten", (first, second, source), text, first, second)
        if self._depends_on_state(b) and not self._depends_on_state(a):
            text = f"{head}{y} could not have {self._did(b)} before {x}"
        else:
            text = f"{head}{x} could not have {self._did(a)} after {y}"
        return ArgumentStep("spec-order", (first, second), text, first, second)

    def witnessed(self, first: int, second: int, witness: int) -> ArgumentStep | None:
        """The step that a third operation orders ``first`` before ``second``, or None.

        The third one observed the value of the second, although the first had returned before its call.
        """
        late = in_time(self._history, first, witness)
        if self._kind not in REGISTERS or self.source(witness) != second or late is None or late[0] != "real-time":
            return None
        x, y, z = self._names[first], self._names[second], self._names[witness]
        text = f"{x} < {y}, because {z} observed the {self._saw(witness)} of {y} after {x} had returned"
        return ArgumentStep("last-written", (first, second, witness), text, first, second)

    def source(self, position: int) -> int | None:
        """The operation that stored the value that this one observed, if there is exactly one."""
        flow = self._flow(position)
        if flow.seen_value is None or not self._uses.followed:
            return None
        value = self._uses.form(flow.saw)
        if self._uses.times_put(value) != 1 or self._uses.first(value):
            return None
        (found,) = self._uses.putters[value]
        return found if self._here is None else self._here.get(found)

    def _saw(self, position: int) -> str:
        return one_line(format_value(self._flow(position).saw))

    def _put(self, op: Operation) -> str:
        return "wrote" if self._kind in REGISTERS and op.name in _WRITES else "added"

    def _depends_on_state(self, op: Operation) -> bool:
        """Whether its result depends on the state."""
        if op.outcome is not Outcome.OK:
            return False
        returns = self._spec.step(op).returns
        return returns in (Returns.VALUE, Returns.OBSERVATION) or (returns is Returns.SUCCESS and op.result is not None)

    def _did(self, op: Operation) -> str:
        return f"returned {one_line(value_of(op, op.result))}" if self._depends_on_state(op) else "taken effect"
