# SPDX-License-Identifier: Apache-2.0
"""Reads a growing log line by line. Calls and returns go to a ``CallSink`` as soon as they are certain.

Event formats, with a line for each event, report every call and return as it happens; times are then line numbers.
Operation lines are written when operations are complete, so they wait for a watermark (``watermarks``): at
``{"watermark": t}`` all calls and returns before t are passed on, in the order of time.

What a reader of a complete file determines from all of it, this reader determines from its beginning: values are keyed
if those of the first invocation look keyed, and completions of an operation that the event table does not list are
echoes if the first one is. A later line that contradicts this is rejected, so the operations are those of the complete
file.

Guarantee: every line is used, or rejected with its number. Memory: the open calls, and the operation lines since the
last watermark. Cost: that of reading a line of the format, about 5 microseconds for JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from linpoint.errors import HistoryError, LinpointError, UsageError
from linpoint.histories.formats.event_pairing import (
    NEMESIS,
    Event,
    EventPairing,
    OpenInvocation,
    looks_keyed,
    operation_of,
    parts_of,
)
from linpoint.histories.formats.event_values import arguments, is_listed, plain, result
from linpoint.histories.formats.file_format import cannot_follow, format_error, shortened, shown
from linpoint.histories.formats.format_detection import line_format
from linpoint.histories.formats.load_save import FORMATS
from linpoint.histories.operation import Operation, Process, Time
from linpoint.histories.streams.call_sink import CallSink
from linpoint.histories.streams.operation_line_stream import OperationLineStream, refuse_crash_of_processes
from linpoint.histories.values import Value, equal_values
from linpoint.text.phrases import join_words

_MAX_PREAMBLE_LINES: Final = 1000
"""The maximum number of other lines before the first operation of a text log."""
_FOLLOWED: Final = ("operations", *(name for name, format in FORMATS.items() if format.events is not None))


class _Reader(Protocol):
    """Reads the lines of one format."""

    def line(self, text: str, number: int) -> None:
        """Read one line."""

    def end(self) -> None:
        """Handle the end of the log."""


class LogStream:
    """Feeds a sink from the lines of a growing file. The place of an error is the file with the line."""

    def __init__(
        self, sink: CallSink, *, source: str, format: str | None = None, keyed: bool | None = None, words: bool = False
    ) -> None:
        if format is not None and format not in FORMATS:
            remedy = f"Use {join_words(list(FORMATS), 'or')}."
            raise UsageError("LP-U001", f'unknown format "{format}".', remedy=remedy)
        self._sink = sink
        self._source = source
        self._options = (keyed, words)
        self._reader: _Reader | None = None
        self._first = ""
        self.lines = 0
        """The number of lines read."""
        if format is not None:
            self._begin(format, None)

    def feed(self, lines: Sequence[str]) -> None:
        """Read the next lines, given without line ends."""
        try:
            for text in lines:
                self.lines += 1
                if self._reader is not None:
                    self._reader.line(text, self.lines)
                elif text and not text.isspace():
                    self._recognise(text)
        except LinpointError as error:
            raise error.at(self._source) from None

    @property
    def by_position(self) -> bool:
        """Whether times are line numbers."""
        return isinstance(self._reader, EventStream)

    @property
    def unpromised(self) -> int:
        """The number of operations that wait because no watermark has covered them."""
        return self._reader.waiting if isinstance(self._reader, OperationLineStream) else 0

    def end(self) -> None:
        """Handle the end of the log: everything that waited for a watermark is now certain."""
        try:
            if self._reader is not None:
                self._reader.end()
            elif self._first:
                raise self._unrecognised()
            else:
                raise format_error("LP-H008", "the file is empty.", None, "Record at least one operation.")
        except LinpointError as error:
            raise error.at(self._source) from None

    def _recognise(self, text: str) -> None:
        name = line_format(text)
        if name is not None and not text.lstrip().startswith(("[", "(")):
            self._begin(name, self.lines)
            assert self._reader is not None
            self._reader.line(text, self.lines)
            return
        if text.lstrip().startswith(("[", "(", "{", "#")):
            raise self._not_line_by_line(text)
        self._first = self._first or text
        if self.lines > _MAX_PREAMBLE_LINES:
            raise self._unrecognised()

    def _begin(self, name: str, line: int | None) -> None:
        if name not in _FOLLOWED:
            raise cannot_follow(
                f"{FORMATS[name].description} must be read as a whole.",
                line,
                "Check the finished file, or write one event or operation per line: " + ", ".join(_FOLLOWED) + ".",
            )
        keyed, words = self._options
        events = FORMATS[name].events
        if events is None:
            self._reader = OperationLineStream(self._sink)
        else:
            self._reader = EventStream(self._sink, name, events, keyed=keyed, words=words)

    def _not_line_by_line(self, text: str) -> LinpointError:
        return cannot_follow(
            f"{shortened(text)} is not an event or an operation on a line of its own.",
            self.lines,
            "Write one per line, without enclosing brackets.",
        )

    def _unrecognised(self) -> HistoryError:
        return format_error(
            "LP-H015",
            f"the format is not recognised; the first line is {shortened(self._first)}.",
            1,
            f"Use --format with {join_words(list(_FOLLOWED), 'or')}.",
        )


class _EventCall:
    """A call that an invocation began."""

    __slots__ = ("_call", "args", "at", "key", "name", "process")

    def __init__(self, call: OpenInvocation, key: Value, args: tuple[Value, ...]) -> None:
        self._call = call
        self.process: Process = call.invocation.process
        self.name = call.invocation.f
        self.at: Time = call.at
        self.key = key
        self.args = args

    def as_open(self) -> Operation:
        """The operation as known before its return."""
        return operation_of(OpenInvocation(self._call.invocation, self._call.at), self.key, self.args, None)


class EventStream:
    """Reads event lines."""

    def __init__(
        self,
        sink: CallSink,
        name: str,
        events: Callable[[str, int], list[Event]],
        *,
        keyed: bool | None,
        words: bool,
    ) -> None:
        self._sink = sink
        self._name = name
        self._events = events
        self._pairs = keyed
        self._words = words
        self._pairing = EventPairing()
        self._open: dict[Process, _EventCall] = {}
        self._lost: dict[Process, Event] = {}
        self._echoes: dict[str, bool] = {}
        self._position = 0
        self._index: int | None = None
        self._has_key: bool | None = None

    def line(self, text: str, number: int) -> None:
        """Read one line."""
        found = self._events(text, number)
        if not found and self._name == "jepsen-text" and text.lstrip().startswith("{"):
            self._refuse_other(text, number)
        for event in found:
            if event.index is not None:
                self._in_order(event)
            # Times are line numbers, so that users can find them; two events on one line still have an order.
            self._position = max(self._position + 1, number)
            if event.type == "crash":
                refuse_crash_of_processes(of_object=event.value == "object", line=number)
            elif event.process == NEMESIS:
                continue
            elif event.type == "invoke":
                self._invoked(event)
            else:
                self._completed(event)

    def end(self) -> None:
        """Handle the end of the log; open calls stay open."""

    def _in_order(self, event: Event) -> None:
        if self._index is not None and event.index is not None and event.index <= self._index:
            raise cannot_follow(
                f"the index {event.index} comes after {self._index}.",
                event.line,
                "Write events in the order of their indices, or check the finished file.",
            )
        self._index = event.index

    def _invoked(self, event: Event) -> None:
        lost = self._lost.get(event.process)
        if lost is not None:
            raise format_error(
                "LP-H004",
                f'process {event.process} called "{event.f}" after "{lost.f}" (line {lost.line}) whose outcome is unknown.',
                event.line,
                "Give the operations after an unknown outcome a new process id.",
            )
        call = self._pairing.invoke(event, self._position)
        if self._pairs is None:
            self._pairs = event.key is None and looks_keyed(event)
        key, invoked, _ = parts_of(call, self._pairs and event.key is None)
        if self._has_key is not (key is not None):
            self._check_key(event, key)
        args = arguments(event.f, invoked, has_key=key is not None, words=self._words, line=event.line)
        self._open[event.process] = opened = _EventCall(call, key, args)
        self._sink.called(opened)

    def _check_key(self, event: Event, key: Value) -> None:
        if self._has_key is not None:
            what = "no key" if key is None else f"key {shown(key)}"
            raise format_error(
                "LP-H014",
                f'"{event.f}" has {what}, unlike the operations before it.',
                event.line,
                "Give every operation a key, or none.",
            )
        self._has_key = key is not None

    def _completed(self, event: Event) -> None:
        call = self._pairing.complete(event, self._position)
        opened = self._open.pop(event.process)
        if event.type == "ok":
            key, invoked, completed = parts_of(call, bool(self._pairs) and call.invocation.key is None)
            echo = is_listed(event.f) or self._is_echo(event, invoked, completed)
            answer = result(event.f, invoked, completed, echo=echo)
            self._sink.returned(opened, operation_of(call, key, opened.args, answer))
        elif event.type == "fail":
            self._sink.failed(opened)
        else:
            self._lost[event.process] = call.invocation
            self._sink.lost(opened)

    def _is_echo(self, event: Event, invoked: Value, completed: Value) -> bool:
        repeats = equal_values(invoked, completed)
        echo = self._echoes.setdefault(plain(event.f), repeats)
        if echo and not repeats:
            raise cannot_follow(
                f'the completions of "{event.f}" so far repeated their invocations, but this one is {shown(completed)}.',
                event.line,
                "Check the finished file, which shows whether they are results.",
            )
        return echo

    def _refuse_other(self, text: str, number: int) -> None:
        other = line_format(text)
        if other is not None:
            began, here = FORMATS[self._name].description, FORMATS[other].description
            raise format_error(
                "LP-H009",
                f"the file starts as {began}, but this line is {here}: {shortened(text)}.",
                number,
                "Keep each format in its own file.",
            )
