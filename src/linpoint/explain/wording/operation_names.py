# SPDX-License-Identifier: Apache-2.0
"""Names of operations, processes, values, times and conditions in explanations: one line each, without control characters."""

from __future__ import annotations

import dataclasses
import re
from typing import Final

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome, Time
from linpoint.histories.values import Value, format_value
from linpoint.specs.spec import Returns, Spec
from linpoint.text.phrases import join_words, one_line
from linpoint.verdicts import Verdict

_EMPTY = ("dequeue", "pop", "peek", "pop-front", "pop-back", "delete-max")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z][\w.:/-]+")
_CONDITIONS: Final = {"linearizable": "linearizability", "sequential": "sequential consistency"}


def call_of(op: Operation) -> str:
    """The call of the operation: ``cas(1, 2)``."""
    return one_line(f"{op.name}({', '.join(map(format_value, op.args))})")


def process_of(op: Operation) -> str:
    """The name of its process."""
    return one_line(str(op.process))


def by_process(op: Operation) -> str:
    """The process as the actor of a sentence: ``by worker``, ``by process 1``."""
    name = process_of(op)
    return f"by {name}" if isinstance(op.process, str) and _PLAIN_NAME.fullmatch(name) else f"by process {name}"


def condition_name(condition: str) -> str:
    """The name of a condition as a noun: ``durable linearizability``."""
    return _CONDITIONS.get(condition, f"{condition} linearizability")


def name_of(verdict: Verdict, op: Operation) -> str:
    """The operation in short, with its key only if several keys are shown together."""
    text = str(op) if checked_together(verdict) or op.key is None else str(dataclasses.replace(op, key=None))
    text = one_line(text)
    if op.outcome is not Outcome.OK or op.result is not None or returns_nothing(verdict, op):
        return text
    return f"{text} -> {value_of(op, None)}"


def checked_together(verdict: Verdict) -> bool:
    """Whether all operations were checked as operations of one object, whatever their keys are."""
    return len(verdict.keys) == 1 and verdict.keys[0].key is None


def key_of(spec: Spec, op: Operation) -> Value:
    """The key of the object that it works on: its own key or, as the spec defines, its first argument."""
    return next(iter(spec.arguments(op)), None) if spec.key_argument else op.key


def returns_nothing(verdict: Verdict, op: Operation) -> bool:
    """Whether a result of null carries no information about this operation."""
    return verdict.spec.step(op).returns in (Returns.NOTHING, Returns.SUCCESS)


def value_of(op: Operation, value: Value) -> str:
    """A result of the operation; null is ``absent`` or ``empty`` if that is its meaning."""
    name = op.name.replace("_", "-")
    if value is None and name == "get":
        return "absent"
    if value is None and name in _EMPTY:
        return "empty"
    return one_line(format_value(value))


def values_of(op: Operation, values: tuple[Value, ...]) -> str:
    """Several results of the operation: ``1, 2 or empty``."""
    texts = sorted((value_of(op, value) for value in values), key=lambda text: (text in ("absent", "empty"), text))
    return join_words(texts, "or")


def when(op: Operation) -> str:
    """Its times, its order if any, and its line."""
    end = "..." if op.return_ is None else f"{op.return_}"
    hint = "" if op.order is None else f"  order {op.order}"
    line = "" if op.line is None else f"  line {op.line}"
    return f"[{op.call}, {end}]{hint}{line}"


def who(verdict: Verdict, op: Operation) -> str:
    """The operation, its process and its line, for sentences that name one operation among thousands."""
    line = "" if op.line is None else f" (line {op.line})"
    return f"{name_of(verdict, op)} {by_process(op)}{line}"


def moment(history: History, time: Time) -> str:
    """A time as text; in a log of events, the number of an event."""
    return f"event {time:,}" if history.by_position else f"{time}"
