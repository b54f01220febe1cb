# SPDX-License-Identifier: Apache-2.0
"""One crash as a history: completed, interrupted and concurrent operations, then the probes after recovery.

Guarantee: the history has exactly these operations, so the general checkers decide it by the definition of the
condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linpoint.histories.history import History
from linpoint.histories.operation import Crash, Operation, Outcome
from linpoint.histories.values import Value
from linpoint.scenarios.scenario import Call

Completed = tuple[int, Value]
"""The number of an operation and its result."""


@dataclass(frozen=True, slots=True)
class CrashCase:
    """A crash, with operations by number. Those in ``open`` and ``done`` are concurrent and follow ``before``."""

    before: tuple[Completed, ...]
    """Sequential operations that completed before the crash."""
    open: tuple[int, ...] = ()
    done: tuple[Completed, ...] = ()
    probes: tuple[Completed, ...] = ()
    """Sequential operations after recovery."""


def history_of_crash(case: CrashCase, calls: Sequence[Call]) -> History:
    """The history of a crash, with the operations in the order of the case."""
    operations = [_complete(0, calls, each, 2 * at, 2 * at + 1) for at, each in enumerate(case.before)]
    begin = 2 * len(case.before)
    beside = len(case.open) + len(case.done)
    for at, number in enumerate(case.open):
        call = calls[number]
        operations.append(Operation(at + 1, call.operation, call.args, call=begin + at, outcome=Outcome.UNKNOWN))
    for at, each in enumerate(case.done, len(case.open)):
        operations.append(_complete(at + 1, calls, each, begin + at, begin + beside + at))
    crash = begin + 2 * beside + 1
    operations += [
        _complete(0, calls, each, crash + 2 * at + 1, crash + 2 * at + 2) for at, each in enumerate(case.probes)
    ]
    return History(operations, crashes=[Crash(crash)], source="the crash")


def _complete(process: int, calls: Sequence[Call], each: Completed, begin: int, end: int) -> Operation:
    call = calls[each[0]]
    return Operation(process, call.operation, call.args, each[1], begin, end)
