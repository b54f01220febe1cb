# SPDX-License-Identifier: Apache-2.0
"""What an operation could have returned: the results with which the others fit together.

The operation is tried with every result that the spec gives it in some state that the others can make, and each is
decided anew, among everything that was called before it returned: "allowed: 0, absent; returned 2".
"""

from __future__ import annotations

import dataclasses
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from linpoint.checkers.subhistory_decider import SubhistoryDecider
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.histories.values import Value, canonical
from linpoint.specs.spec import Spec, State

_MAX_STATES = 5000
_MAX_CONTEXT_OPERATIONS = 24
"""More than these, and only the conspiring operations are looked at."""


def results_allowed_at(
    history: History,
    everything: Sequence[int],
    core: Sequence[int],
    spec: Spec,
    condition: str,
    position: int,
    *,
    deadline: float,
) -> tuple[tuple[Value, ...], bool]:
    """The results of the operation at ``position`` with which what was called until then satisfies the condition.

    The bool says that these are all; in a long history only the operations of ``core`` are looked at.
    """
    op = history.operations[position]
    if op.outcome is not Outcome.OK:
        return (), True
    end = op.end + history.clock_skew  # what was called so much later may have come first
    context = [each for each in everything if history.operations[each].call <= end]
    allowed: tuple[Value, ...] = ()
    if len(context) <= _MAX_CONTEXT_OPERATIONS:
        allowed = _allowed_among(history.select(context), spec, condition, context.index(position), deadline)
    if len(core) == 1 and len(context) > 1:
        return allowed, True  # alone it tells nothing of what the others would have allowed
    # Where something else was wrong by then as well, only the conspiring operations can tell.
    if allowed:
        return allowed, True
    core = list(core)
    found = _allowed_among(history.select(core), spec, condition, core.index(position), deadline)
    return found, len(context) == len(core)


def _allowed_among(sub: History, spec: Spec, condition: str, here: int, deadline: float) -> tuple[Value, ...]:
    op = sub.operations[here]
    allowed = []
    for result in _possible_results(sub, spec, here):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        if spec.allows(op, result):
            continue
        other = sub.replace(here, dataclasses.replace(op, result=result))
        if SubhistoryDecider(other, spec, condition).decide(range(len(sub)), seconds=min(left, 0.5)).found:
            allowed.append(result)
    return tuple(allowed)


def _possible_results(sub: History, spec: Spec, here: int) -> list[Value]:
    """What the spec gives for the operation in any state that the others can make, each at most once, in any order."""
    seen: set[Any] = set()
    todo: deque[tuple[int, State]] = deque([(1 << here, spec.initial)])
    results: dict[Any, Value] = {}
    while todo and len(seen) < _MAX_STATES:
        used, state = todo.popleft()
        for given, _ in spec.outcomes(state, sub.operations[here]):
            results.setdefault(canonical(given), given)
        for index, op in enumerate(sub.operations):
            if used >> index & 1:
                continue
            for _, after in spec.outcomes(state, op):
                configuration = (used | 1 << index, canonical(after))
                if configuration not in seen:
                    seen.add(configuration)
                    todo.append((configuration[0], after))
    return list(results.values())
