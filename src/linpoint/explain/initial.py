# SPDX-License-Identifier: Apache-2.0
"""Would another first value remove the violation? It is never guessed, but it is said."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

from linpoint.checkers.search.decider import Decider
from linpoint.errors import SpecError
from linpoint.explain.supply import supplies
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value, canonical, same
from linpoint.specs.lookup import with_initial
from linpoint.specs.protocol import Spec

_MOST: Final = 8
_VALUES: Final = ("register", "cas-register", "counter", "fetch-add", "mwcas")
_LISTS: Final = ("queue", "stack", "deque", "priority-queue", "log", "set", "multiset")


def other_initial(
    history: History, positions: Sequence[int], core: Sequence[int], spec: Spec, condition: str, *, seconds: float
) -> Any | None:
    """A first value with which these operations satisfy the condition, as ``--initial`` takes it; None if none is found.

    Only values that the conspiring operations observed can help, so only those are tried, on all operations.
    """
    deadline = time.monotonic() + seconds
    ops = [history.operations[position] for position in core]
    supplied = set().union(*(supplies(history.operations[position], spec) for position in positions))
    for candidate in _candidates(spec, ops, supplied):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        try:
            other = with_initial(spec, candidate)
        except SpecError:
            continue
        if Decider(history, other, condition).decide(positions, seconds=left).found:
            return candidate
    return None


def _candidates(spec: Spec, ops: Sequence[Operation], supplied: set[Any]) -> Iterable[Any]:
    name = spec.name.partition("(")[0]
    if name == "mutex":
        return [not spec.initial]
    seen: dict[Any, Any] = {}
    for op in ops:
        if op.outcome is not Outcome.OK:
            continue
        for value in _observed(op):
            if name in _VALUES and not same(value, spec.initial):
                seen.setdefault(canonical(value), value)
            elif name == "map" and value is not None:
                seen.setdefault(canonical(value), [[spec.arguments(op)[0], value]])
            elif name in _LISTS and isinstance(value, (int, str)) and canonical(value) not in supplied:
                # "it was there from the start" explains a value that nobody added, not one in the wrong order
                seen.setdefault(canonical(value), [value])
    return list(seen.values())[:_MOST]


def _observed(op: Operation) -> Iterable[Value]:
    if op.name == "cas" and op.result is True:
        return [op.args[-2]]
    if op.name in ("read", "mwcas", "mwswap") and isinstance(op.result, tuple):
        return op.result
    if op.name in ("remove", "contains") and op.result is True:
        return [op.args[-1]]
    return [] if isinstance(op.result, bool) else [op.result]
