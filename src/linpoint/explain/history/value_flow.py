# SPDX-License-Identifier: Apache-2.0
"""Which value an operation saw in the object and which it put there, exactly, for built-in specs that pass values on.

Guarantee: what is said to have been seen was seen, and what is said to have been put there was put there if the
operation took effect. Specs whose results are computed (counts, indexes, several words) have no such values.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value, canonical
from linpoint.specs.builtin import BUILT_IN
from linpoint.specs.spec import Spec

REGISTERS: Final = ("register", "cas-register", "map")
CONTAINERS: Final = ("queue", "stack", "deque", "priority-queue")

NOTHING: Final = object()
ABSENCE: Final = object()
"""What a delete puts there: who finds nothing cannot tell whose it is."""

_ADDS: Final = ("enqueue", "push", "push-front", "push-back", "insert")


@dataclass(frozen=True, slots=True)
class ValueFlow:
    """``saw`` and ``put`` are values or ``NOTHING``. ``certain`` says that the operation put it there if it happened at
    all: a compare-and-set whose result was not observed may have failed.
    """

    saw: Any = NOTHING
    put: Any = NOTHING
    certain: bool = False

    @property
    def seen_value(self) -> Hashable:
        """What it saw, to be compared; None if nothing (no value is like None then)."""
        return None if self.saw is NOTHING else (canonical(self.saw),)

    @property
    def put_value(self) -> Hashable:
        """What it put there, to be compared; None if nothing."""
        return None if self.put is NOTHING or self.put is ABSENCE else (canonical(self.put),)


_NO_FLOW: Final = ValueFlow()


def kind_of(spec: Spec) -> str:
    """The name of a built-in spec without its parameters; empty for a user's."""
    name = spec.name.partition("(")[0]
    built_in = BUILT_IN.get(name)
    return name if built_in is not None and built_in.factory is spec.factory else ""


def initial_values(spec: Spec) -> list[Value]:
    """The values that an object of a built-in spec holds at first: of a map those of all keys."""
    kind = kind_of(spec)
    if kind == "map":
        return list(spec.initial.values())
    if kind in CONTAINERS:
        return list(spec.initial)
    return [spec.initial] if kind in REGISTERS else []


def flow_of(op: Operation, kind: str) -> ValueFlow:
    """The values of an operation on an object of this kind."""
    if op.outcome is Outcome.FAILED or not (kind in REGISTERS or kind in CONTAINERS):
        return _NO_FLOW
    return _of_container(op) if kind in CONTAINERS else _of_register(op)


def _of_container(op: Operation) -> ValueFlow:
    if op.name.replace("_", "-") in _ADDS:
        refused = op.outcome is Outcome.OK and op.result is False
        return _NO_FLOW if refused else ValueFlow(put=op.args[-1], certain=op.outcome is Outcome.OK)
    known = op.outcome is Outcome.OK and op.result is not None
    return ValueFlow(saw=op.result) if known else _NO_FLOW


def _of_register(op: Operation) -> ValueFlow:
    done = op.outcome is Outcome.OK
    match op.name:
        case "read" | "get":
            return ValueFlow(saw=op.result) if done else _NO_FLOW
        case "write" | "put":
            return ValueFlow(put=op.args[-1], certain=done)
        case "swap":
            return ValueFlow(op.result if done else NOTHING, op.args[-1], certain=done)
        case "delete" | "erase" | "remove" if not done or op.result is not False:
            return ValueFlow(put=ABSENCE, certain=done)
        case "insert" | "cas" if not done or op.result is not False:
            certain = done and op.result is True
            seen = op.args[-2] if op.name == "cas" and certain else NOTHING
            return ValueFlow(seen, op.args[-1], certain=certain)
    return _NO_FLOW
