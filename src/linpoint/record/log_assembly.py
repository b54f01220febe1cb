# SPDX-License-Identifier: Apache-2.0
"""Assembles one history from the logs of threads.

Guarantee: each operation has the times of its call and its return. An operation that never returned, because its thread
died in it or is still inside, has an unknown outcome. So has an operation that a crash of its process interrupted,
whatever it returned later. An operation with an unknown outcome stays open for ever unless a crash follows. A thread
that continues after one therefore continues as a different process. Cost: a few microseconds per operation, long after
it ran.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome, Process, Time
from linpoint.histories.values import FrozenObject, Value, snapshot
from linpoint.record._native_record import Ending, ThreadLog


@dataclass(frozen=True, slots=True)
class OperationLabel:
    """The meaning of the number of an operation in a log."""

    name: str
    key: Value = None


Entry = tuple[int, tuple[Any, ...], int, int | None, Ending, Any]
"""An operation in a log: the number of its label, its arguments, call, return, ending and result."""


def new_log(expected: int) -> ThreadLog:
    """A log with room for ``expected`` operations before it allocates more memory."""
    return ThreadLog(_kept, expected)


def history_of(
    logs: Sequence[tuple[Process, ThreadLog]],
    labels: Sequence[OperationLabel],
    *,
    source: str,
    crashes: Sequence[Crash] = (),
    annotations: Sequence[Annotation] = (),
) -> History:
    """The history of the recorded operations, by time of call. The first event has time 0.

    The times of crashes and annotations are those of the logs' clock. Raises LP-H004 if two logs of one process
    overlap.
    """
    fresh = _fresh(process for process, _ in logs)
    held = [_ProcessLog(process, log.entries(), crashes) for process, log in logs]
    start = min(
        (
            *(each.entries[0][2] for each in held if each.entries),
            *(each.time for each in crashes),
            *(each.time for each in annotations),
        ),
        default=0,
    )
    found = [op for each in held for op in each.operations(labels, start, fresh)]
    return History(
        sorted(found, key=lambda op: op.call),
        crashes=[again for crash in crashes for again in _assembled(crash, held, start)],
        annotations=[
            Annotation(each.text, each.time - start, None if each.until is None else each.until - start)
            for each in annotations
        ],
        source=source,
    )


class _ProcessLog:
    """The operations of one log, and the names under which its process called them."""

    def __init__(self, process: Process, entries: Sequence[Entry], crashes: Sequence[Crash]) -> None:
        self.process = process
        self.entries = entries
        self._crashes = [crash for crash in crashes if crash.interrupts(process)]
        self._names: list[tuple[Time, Process]] = [(float("-inf"), process)]

    def operations(self, labels: Sequence[OperationLabel], start: Time, fresh: Iterator[int]) -> Iterator[Operation]:
        lost: int | None = None  # the call of the preceding operation, if its outcome is unknown
        for number, args, call, return_, ending, result in self.entries:
            if lost is not None and not self._crashed(lost, call, self._crashes):
                another = next(fresh)
                self._names.append((call, another if isinstance(self.process, int) else f"{self.process} ({another})"))
            label, acting = labels[number], self._names[-1][1]
            outcome = _OUTCOMES[ending]
            own = [crash for crash in self._crashes if not crash.of_object]
            if return_ is not None and outcome is Outcome.OK and self._crashed(call, return_, own, before=True):
                outcome = Outcome.UNKNOWN
            lost = call if outcome is Outcome.UNKNOWN else None
            if outcome is Outcome.UNKNOWN:
                yield Operation(acting, label.name, args, None, call - start, None, outcome, label.key)
            else:
                assert return_ is not None
                given = FrozenObject(raises=result) if ending is Ending.RAISED else result
                yield Operation(acting, label.name, args, given, call - start, return_ - start, outcome, label.key)

    def name_at(self, time: Time) -> Process:
        """The name under which the process called operations at a time. Valid once all operations have been created."""
        return next(name for since, name in reversed(self._names) if since <= time)

    @staticmethod
    def _crashed(after: int, until: int, crashes: Sequence[Crash], *, before: bool = False) -> bool:
        """Whether a crash lies after ``after`` and not after ``until``, or before ``until`` if ``before``."""
        return any(after < crash.time < until or (crash.time == until and not before) for crash in crashes)


def _assembled(crash: Crash, held: Sequence[_ProcessLog], start: Time) -> list[Crash]:
    """A crash in the history. A crash of a process applies to each name that the process had at that time."""
    if crash.process is None:
        return [Crash(crash.time - start, of_object=crash.of_object)]
    names = dict.fromkeys(each.name_at(crash.time) for each in held if each.process == crash.process)
    return [Crash(crash.time - start, name) for name in names or [crash.process]]


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
    """An immutable copy of ``value``.

    A value without a usable repr is recorded as its type, so that recording never fails.
    """
    try:
        return snapshot(value)
    except Exception:  # noqa: BLE001 - an object's repr may raise anything
        return f"<{type(value).__name__}>"
