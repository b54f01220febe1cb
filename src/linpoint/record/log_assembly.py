# SPDX-License-Identifier: Apache-2.0
"""From the logs of threads to one history.

Guarantee: each operation has the times at which it was called and returned. One that never returned, because its thread
died in it or is still inside, has an unknown outcome; a thread that goes on after one goes on as another process, since
an operation with an unknown outcome stays open for ever. Cost: a few microseconds an operation, long after it ran.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome, Process
from linpoint.histories.values import FrozenObject, Value, snapshot
from linpoint.record._native_record import Ending, ThreadLog


@dataclass(frozen=True, slots=True)
class OperationLabel:
    """What the number of an operation in a log stands for."""

    name: str
    key: Value = None


Entry = tuple[int, tuple[Any, ...], int, int | None, Ending, Any]
"""An operation in a log: the number of its label, arguments, call, return, ending and result."""


def new_log(expected: int) -> ThreadLog:
    """A log with room for ``expected`` operations before it takes more memory."""
    return ThreadLog(_kept, expected)


def history_of(logs: Sequence[tuple[Process, ThreadLog]], labels: Sequence[OperationLabel], *, source: str) -> History:
    """What the logs hold by now, by time of call, which begins at 0. Raises LP-H004 if two logs of one process overlap."""
    fresh = _fresh(process for process, _ in logs)
    held = [(process, log.entries()) for process, log in logs]
    start = min((entries[0][2] for _, entries in held if entries), default=0)
    found = [op for process, entries in held for op in _operations(process, entries, labels, start, fresh)]
    return History(sorted(found, key=lambda op: op.call), source=source)


def _operations(
    process: Process, entries: Sequence[Entry], labels: Sequence[OperationLabel], start: int, fresh: Iterator[int]
) -> Iterator[Operation]:
    acting = process
    for number, args, call, return_, ending, result in entries:
        label = labels[number]
        outcome = _OUTCOMES[ending]
        if outcome is Outcome.UNKNOWN:
            yield Operation(acting, label.name, args, None, call - start, None, outcome, label.key)
            another = next(fresh)
            acting = another if isinstance(process, int) else f"{process} ({another})"
        else:
            assert return_ is not None
            given = FrozenObject(raises=result) if ending is Ending.RAISED else result
            yield Operation(acting, label.name, args, given, call - start, return_ - start, outcome, label.key)


_OUTCOMES = {
    Ending.RETURNED: Outcome.OK,
    Ending.RAISED: Outcome.OK,
    Ending.FAILED: Outcome.FAILED,
    Ending.UNKNOWN: Outcome.UNKNOWN,
    Ending.OPEN: Outcome.UNKNOWN,
}


def _fresh(processes: Iterator[Process]) -> Iterator[int]:
    """Numbers that no process has."""
    return itertools.count(max((each for each in processes if isinstance(each, int)), default=0) + 1)


def _kept(value: Any) -> Value:
    """``value`` as it is now. What cannot even be shown is known by its type: recording never fails for it."""
    try:
        return snapshot(value)
    except Exception:  # noqa: BLE001 - whatever an object's repr may raise
        return f"<{type(value).__name__}>"
