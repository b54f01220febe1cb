# SPDX-License-Identifier: Apache-2.0
"""How operations, processes, values and times are called in explanations: in one line each, nothing unreadable in it."""

from __future__ import annotations

import dataclasses

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome, Time
from linpoint.histories.values import Value, format_value
from linpoint.specs.spec import Returns, Spec
from linpoint.text.phrases import one_line
from linpoint.verdicts import Verdict

_EMPTY = ("dequeue", "pop", "peek", "pop-front", "pop-back", "delete-max")


def call_of(op: Operation) -> str:
    """The operation as it was called: ``cas(1, 2)``."""
    return one_line(f"{op.name}({', '.join(map(format_value, op.args))})")


def process_of(op: Operation) -> str:
    """The name of its process."""
    return one_line(str(op.process))


def name_of(verdict: Verdict, op: Operation) -> str:
    """The operation in short; with its key only where several keys are shown together."""
    text = str(op) if checked_together(verdict) or op.key is None else str(dataclasses.replace(op, key=None))
    text = one_line(text)
    if op.outcome is not Outcome.OK or op.result is not None or returns_nothing(verdict, op):
        return text
    return f"{text} -> {value_of(op, None)}"


def checked_together(verdict: Verdict) -> bool:
    """Whether all operations were checked as those of one object, whatever their keys are."""
    return len(verdict.keys) == 1 and verdict.keys[0].key is None


def key_of(spec: Spec, op: Operation) -> Value:
    """The key of the object that it works on: its own or, where the spec says so, its first argument."""
    return next(iter(spec.arguments(op)), None) if spec.key_argument else op.key


def returns_nothing(verdict: Verdict, op: Operation) -> bool:
    """Whether a result of null says nothing of this operation."""
    return verdict.spec.step(op).returns in (Returns.NOTHING, Returns.SUCCESS)


def value_of(op: Operation, value: Value) -> str:
    """A result of the operation: null is ``absent`` or ``empty`` where that is what it means."""
    name = op.name.replace("_", "-")
    if value is None and name == "get":
        return "absent"
    if value is None and name in _EMPTY:
        return "empty"
    return one_line(format_value(value))


def values_of(op: Operation, values: tuple[Value, ...]) -> str:
    """Several results of the operation."""
    return ", ".join(
        sorted((value_of(op, value) for value in values), key=lambda text: (text in ("absent", "empty"), text))
    )


def when(op: Operation) -> str:
    """Its times, its order if it has one, and its line."""
    end = "..." if op.return_ is None else f"{op.return_}"
    hint = "" if op.order is None else f"  order {op.order}"
    line = "" if op.line is None else f"  line {op.line}"
    return f"[{op.call}, {end}]{hint}{line}"


def who(verdict: Verdict, op: Operation) -> str:
    """The operation and its process, and where it stands: for sentences that name one among thousands."""
    line = "" if op.line is None else f" (line {op.line})"
    return f"{name_of(verdict, op)} by process {process_of(op)}{line}"


def moment(history: History, time: Time) -> str:
    """A time in a sentence: of a log of events it is the number of an event."""
    return f"event {time:,}" if history.by_position else f"{time}"
