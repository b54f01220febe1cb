# SPDX-License-Identifier: Apache-2.0
"""Converts operation lines with watermarks to calls and returns in the order of time.

Guarantee: at a watermark t, exactly the events before t have been passed on. Operations whose interval contains t are
then open, and return at a later watermark. Memory: operations that are open or lie behind the last watermark. Cost:
O(log n) per line.
"""

from __future__ import annotations

import dataclasses
import heapq
import math

from linpoint.errors import UsageError
from linpoint.histories.formats.file_format import cannot_follow, format_error
from linpoint.histories.formats.operation_lines import item_from_dict
from linpoint.histories.formats.value_validation import decode_json
from linpoint.histories.formats.watermarks import watermark_of
from linpoint.histories.operation import Crash, Operation, Outcome, Process, Time
from linpoint.histories.streams.call_sink import CallSink

_CALL, _RETURN = range(2)  # at one instant calls come first: intervals are closed


class _Recorded:
    """A call whose complete operation is known already, but is not certain to be in the prefix yet."""

    __slots__ = ("args", "at", "key", "name", "op", "process")

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.process = op.process
        self.name = op.name
        self.args = op.args
        self.key = op.key
        self.at: Time = op.call

    def as_open(self) -> Operation:
        """The operation as known before its return."""
        return dataclasses.replace(self.op, outcome=Outcome.UNKNOWN, return_=None, result=None)


class OperationLineStream:
    """Reads operation lines and watermarks."""

    def __init__(self, sink: CallSink) -> None:
        self._sink = sink
        self._watermark: tuple[Time, int] | None = None
        # Events behind the watermark, the first on top. Of two calls at one instant, the one that returns first comes
        # first, since they may belong to one process.
        self._ahead: list[tuple[Time, int, Time, int, _Recorded]] = []
        self._number = 0
        self._last: dict[Process, Operation] = {}
        self._has_key: bool | None = None
        self.waiting = 0
        """The number of operations that no watermark has covered."""

    def line(self, text: str, number: int) -> None:
        """Read one line."""
        if not text or text.isspace():
            return
        item = decode_json(text, number)
        time = watermark_of(item, number)
        if time is not None:
            if self._watermark is None or time > self._watermark[0]:
                self._watermark = (time, number)
                self._pass_on(time)
            return
        made = item_from_dict(item, line=number)
        if isinstance(made, Crash):
            refuse_crash_of_processes(of_object=made.of_object, line=number)
        if isinstance(made, Operation) and made.outcome is not Outcome.FAILED:
            self._take(made, number)

    def end(self) -> None:
        """Pass on everything, since all lines have been read."""
        self._pass_on(math.inf)

    def _take(self, op: Operation, number: int) -> None:
        if self._watermark is not None and op.call < self._watermark[0]:
            raise format_error(
                "LP-H020",
                f'"{op.name}" was called at {op.call}, before the watermark {self._watermark[0]} of line '
                f"{self._watermark[1]}.",
                number,
                "Write a watermark only after the lines of all operations called before it.",
            )
        if op.order is not None:
            raise _not_followed("an order value", number)
        if op.return_ is not None and op.return_ < op.call:
            raise format_error(
                "LP-H005",
                f'process {op.process} returned from "{op.name}" at {op.return_}, before its call at {op.call}.',
                number,
                "Check the clock of the recorder: a call must come first.",
            )
        has_key = op.key is not None
        if self._has_key is not has_key:
            if self._has_key is not None:
                message = f'"{op.name}" has {"a" if has_key else "no"} key, unlike the operations before it.'
                raise format_error("LP-H014", message, number, "Give every operation a key, or none.")
            self._has_key = has_key
        self._number += 1
        self.waiting += 1
        heapq.heappush(self._ahead, (op.call, _CALL, op.end, self._number, _Recorded(op)))

    def _pass_on(self, until: Time) -> None:
        ahead, sink = self._ahead, self._sink
        while ahead and ahead[0][0] < until:
            _, kind, _, number, call = heapq.heappop(ahead)
            op = call.op
            if kind == _RETURN:
                sink.returned(call, op)
                continue
            self.waiting -= 1
            self._check_process(op)
            sink.called(call)
            if op.outcome is Outcome.UNKNOWN:
                sink.lost(call)
            else:
                assert op.return_ is not None
                heapq.heappush(ahead, (op.return_, _RETURN, op.end, number, call))

    def _check_process(self, op: Operation) -> None:
        """Reject overlapping operations of a process. Here operations come in the order of their calls."""
        before = self._last.get(op.process)
        self._last[op.process] = op
        if before is None or before.end <= op.call:
            return
        remedy = "Give overlapping operations different process ids."
        fact = f'while its "{before.name}" (line {before.line}) was open until {before.return_}'
        if before.outcome is Outcome.UNKNOWN:
            remedy = "Give the operations after an unknown outcome a new process id."
            fact = f'after "{before.name}" (line {before.line}) whose outcome is unknown'
        raise format_error("LP-H004", f'process {op.process} called "{op.name}" at {op.call} {fact}.', op.line, remedy)


def refuse_crash_of_processes(*, of_object: bool, line: int) -> None:
    """Raise LP-U007 for a crash that ends open operations.

    A crash of the object alone is accepted, since it orders nothing.
    """
    if not of_object:
        raise _not_followed("a crash of processes", line)


def _not_followed(what: str, number: int) -> UsageError:
    return cannot_follow(f"{what} requires the finished file.", number, "Check the finished file without --follow.")
