# SPDX-License-Identifier: Apache-2.0
"""How operations, processes and values are called wherever people read of them: on the terminal and on a page."""

from __future__ import annotations

import dataclasses
from typing import Final

from linpoint.explain.explanation import Explanation
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value, one_line, show
from linpoint.specs.protocol import Returns
from linpoint.verdicts import Blocked, Verdict

MOST_LISTED: Final = 12
"""Operations that are listed one by one."""
_LONGEST_VALUE: Final = 200


def nearest(explanation: Explanation) -> list[int]:
    """The operations to list: all if they are few, else those called last before the ones that are stuck returned."""
    core = list(explanation.core)
    if len(core) <= MOST_LISTED:
        return core
    ops = explanation.verdict.history.operations
    blocked = [each.position for each in explanation.stuck.blocked] if explanation.stuck else []
    end = min((ops[position].end for position in blocked), default=float("inf"))
    end += explanation.verdict.history.clock_skew
    return [position for position in core if ops[position].call <= end][-MOST_LISTED:]


def name_of(verdict: Verdict, op: Operation) -> str:
    """The operation in short; with its key only where several keys are shown together."""
    together = len(verdict.keys) == 1 and verdict.keys[0].key is None
    text = str(op) if together or op.key is None else str(dataclasses.replace(op, key=None))
    text = one_line(text)
    if op.outcome is not Outcome.OK or op.result is not None or is_silent(verdict, op):
        return text
    return f"{text} -> {value_of(op, None)}"


def is_silent(verdict: Verdict, op: Operation) -> bool:
    """Whether a result of null says nothing of this operation."""
    return verdict.spec.step(op).returns in (Returns.NOTHING, Returns.SUCCESS)


def process_of(op: Operation) -> str:
    """The process of an operation."""
    return one_line(str(op.process))


def value_of(op: Operation, value: Value) -> str:
    """A result of an operation: null is absent or empty where the operation says so."""
    name = op.name.replace("_", "-")
    if value is None and name == "get":
        return "absent"
    if value is None and name in ("dequeue", "pop", "peek", "pop-front", "pop-back", "delete-max"):
        return "empty"
    return show(value)


def values_of(op: Operation, values: tuple[Value, ...]) -> str:
    """Several results of an operation, in an order of their own."""
    return ", ".join(
        sorted((value_of(op, value) for value in values), key=lambda text: (text in ("absent", "empty"), text))
    )


def other_first_value(explanation: Explanation) -> str:
    """The first value that would remove a violation, if one is known and short enough to be typed."""
    if explanation.other_initial is None or len(show(explanation.other_initial[0])) > _LONGEST_VALUE:
        return ""
    return f"Another first value would remove this violation: --initial '{show(explanation.other_initial[0])}'."


def also_in_violation(explanation: Explanation) -> str:
    """The other keys in violation, if there are any."""
    if not explanation.others:
        return ""
    keys = ", ".join(show(key.key) for key in explanation.others[:MOST_LISTED])
    more = "" if len(explanation.others) <= MOST_LISTED else ", ..."
    return f"Also in violation: key{'s' * (len(explanation.others) > 1)} {keys}{more}."


def why_blocked(verdict: Verdict, blocked: Blocked) -> str:
    """Why an operation cannot come next after a longest legal order."""
    op = verdict.history.operations[blocked.position]
    if op.order is not None and any(verdict.spec.allows(op, given) for given in blocked.allowed):
        return "an operation with a smaller order must come first"  # to the spec it would be welcome
    return f"the spec allows {values_of(op, blocked.allowed)}" if blocked.allowed else "it is not a legal step there"
