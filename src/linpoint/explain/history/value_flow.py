# SPDX-License-Identifier: Apache-2.0
"""The exact values that an operation observed and stored, for built-in specs that return stored values.

Guarantee: an observed value was observed, and a stored value was stored if the operation took effect. Specs with
computed results (counts, indexes, several words) have no such values.
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
"""The value that a delete stores: an observer of an absent entry cannot attribute it to one delete."""

_ADDS: Final = ("enqueue", "push", "push-front", "push-back", "insert")


@dataclass(frozen=True, slots=True)
class ValueFlow:
    """The values that an operation observed (``saw``) and stored (``put``), or ``NOTHING``.

    ``certain``: the operation stored its value if it happened at all. A compare-and-set with an unknown result may have
    failed instead.
    """

    saw: Any = NOTHING
    put: Any = NOTHING
    certain: bool = False

    @property
    def seen_value(self) -> Hashable:
        """The observed value in comparable form; None for ``NOTHING``, which differs from every value."""
        return None if self.saw is NOTHING else (canonical(self.saw),)

    @property
    def put_value(self) -> Hashable:
        """The stored value in comparable form; None for ``NOTHING``."""
        return None if self.put is NOTHING or self.put is ABSENCE else (canonical(self.put),)


_NO_FLOW: Final = ValueFlow()


def kind_of(spec: Spec) -> str:
    """The name of a built-in spec without its parameters; empty for a user's spec."""
    name = spec.name.partition("(")[0]
    built_in = BUILT_IN.get(name)
    return name if built_in is not None and built_in.factory is spec.factory else ""


def initial_values(spec: Spec) -> list[Value]:
    """The initial values of an object of a built-in spec; for a map, those of all keys."""
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
