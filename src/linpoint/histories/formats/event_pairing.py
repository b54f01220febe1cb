# SPDX-License-Identifier: Apache-2.0
"""Converts events to operations: each invocation is paired with its completion.

Events are ordered by their index if every event has one, otherwise by their place in the file; never by time, because
the clocks of different clients disagree. ``call`` and ``return_`` of an operation are the positions of its events in
that order, and ``times`` holds the clock readings. Nemesis events become annotations. An ``info`` or a missing
completion makes the outcome unknown, ``fail`` makes it failed. An event with ``crash`` instead of a type is a crash at
its position, as in operation lines.

Values are keyed (``[key value]``) only if the value of every invocation and of every ok completion is a pair whose
first part is a scalar, and every cas has ``[key [old new]]``. The ``key`` field of an event takes precedence.

Guarantee: every event is used, or rejected with its line. Cost: O(n), or O(n log n) if the indices are not in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from linpoint.errors import HistoryError
from linpoint.histories.formats.event_values import arguments, is_listed, plain, result, works_on_words
from linpoint.histories.formats.field_names import other_name
from linpoint.histories.formats.file_format import ReadItems, format_error, shown
from linpoint.histories.formats.operation_lines import item_from_dict
from linpoint.histories.formats.value_validation import clock_reading, validate_value
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome, Process, Time
from linpoint.histories.values import Value, equal_values, format_value

NEMESIS: Final = "nemesis"
"""The process whose events are faults, not operations."""

_TYPES: Final = frozenset({"invoke", "ok", "fail", "info"})
_OUTCOMES: Final = {"ok": Outcome.OK, "fail": Outcome.FAILED, "info": Outcome.UNKNOWN, "crash": Outcome.UNKNOWN}
_OVERLAP_REMEDY: Final = "Give overlapping operations different process ids."


class Event(msgspec.Struct, frozen=True):
    """An invocation or a completion, as Jepsen records them; or a crash.

    A crash has the type ``crash`` and the value True or ``"object"``. Its process is the one that crashed, or
    ``nemesis``.
    """

    process: Process
    type: str
    f: str
    value: Value = None
    key: Value = None
    index: int | None = None
    time: Time | None = None
    line: int | None = None


@dataclass(slots=True)
class OpenInvocation:
    """An invocation, with its completion once that is found. Positions are those in the order of the events."""

    invocation: Event
    at: int
    completion: Event | None = None
    until: int | None = None
    interrupted: bool = False
    """Whether the object crashed meanwhile, so that the process may continue without a completion."""

    @property
    def ok(self) -> Event | None:
        """The completion, if it has a result."""
        return self.completion if self.completion is not None and self.completion.type == "ok" else None


class EventPairing:
    """Finds the invocation of each completion, event by event. It remembers one call per process."""

    def __init__(self) -> None:
        self._last: dict[Process, OpenInvocation] = {}

    def invoke(self, event: Event, position: int) -> OpenInvocation:
        """The call that an invocation begins. Raises LP-H004 while another call of its process is open."""
        call = self._last.get(event.process)
        if call is not None and call.completion is None and not call.interrupted:
            raise _still_open(event, call.invocation)
        self._last[event.process] = call = OpenInvocation(event, position)
        return call

    def complete(self, event: Event, position: int) -> OpenInvocation:
        """The call that a completion ends. Raises LP-H003 if none is open, LP-H012 if a different one is."""
        call = self._last.get(event.process)
        if call is None or call.completion is not None:
            evidence = "it never called" if call is None else f"last call: line {call.invocation.line}"
            raise format_error(
                "LP-H003",
                f'process {event.process} returned from "{event.f}" with no open call ({evidence}).',
                event.line,
                _OVERLAP_REMEDY,
            )
        called = call.invocation
        if called.f != event.f and plain(called.f) != plain(event.f):
            raise format_error(
                "LP-H012",
                f'process {event.process} returned from "{event.f}", but called "{called.f}" (line {called.line}).',
                event.line,
                _OVERLAP_REMEDY,
            )
        call.completion, call.until = event, position
        return call

    def crash(self, event: Event, position: int) -> Crash:
        """The crash of an event. Calls that it ends have no completion; calls that it interrupts need none."""
        crash = Crash(
            position, None if event.process == NEMESIS else event.process, event.line, of_object=event.value == "object"
        )
        for process, call in self._last.items():
            if call.completion is None and crash.covers(process):
                call.completion = event
            call.interrupted = call.interrupted or crash.of_object
        return crash


def event_from_mapping(item: Any, line: int) -> Event:
    """The event for a map of EDN or an object of JSON. Unknown fields are ignored."""
    # Reading a long log spends most of its time here, so common cases are tested in place.
    if type(item) is not dict and not isinstance(item, Mapping):
        raise format_error(
            "LP-H002",
            f"{shown(item)} is not an event.",
            line,
            "Write each event as a map with process, type, f and value.",
        )
    get = item.get
    try:
        process, type_, f, index = item["process"], item["type"], item["f"], get("index")
    except KeyError as missing:
        if "crash" in item and "type" not in item:
            return _crash_event(item, line)
        raise _missing(missing.args[0], item, line) from None
    if type(process) is not str and type(process) is not int:
        raise _not_allowed("process", process, "an integer or a string", line)
    if type(type_) is not str or type_ not in _TYPES:
        raise _not_allowed("type", type_, "invoke, ok, fail or info", line)
    if type(f) is not str or not f:
        raise _not_allowed("f", f, "the name of an operation", line)
    if index is not None and type(index) is not int:
        raise _not_allowed("index", index, "an integer", line)
    key, time = get("key"), get("time")
    return Event(
        validate_value(process, line),
        type_,
        f,
        validate_value(get("value"), line),
        None if key is None else validate_value(key, line),
        None if index is None else validate_value(index, line),
        None if time is None else clock_reading(time),
        line,
    )


def _crash_event(item: Mapping[str, Any], line: int) -> Event:
    """The event of a crash. It has the fields of a crash in operation lines, with an index in place of the time."""
    time, index = item.get("time"), item.get("index")
    crash = item_from_dict({name: item[name] for name in ("crash", "process") if name in item} | {"time": 0}, line=line)
    assert isinstance(crash, Crash)
    if index is not None and type(index) is not int:
        raise _not_allowed("index", index, "an integer", line)
    return Event(
        NEMESIS if crash.process is None else crash.process,
        "crash",
        "crash",
        "object" if crash.of_object else True,
        index=None if index is None else validate_value(index, line),
        time=None if time is None else clock_reading(time),
        line=line,
    )


def pair(events: Iterable[Event], *, keyed: bool | None = None) -> ReadItems:
    """The items of the events, with operations in the order of their invocations."""
    ordered = _ordered(list(events))
    calls: list[OpenInvocation] = []
    crashes: list[Crash] = []
    annotations: list[Annotation] = []
    pairing = EventPairing()
    for position, event in enumerate(ordered):
        if event.type == "crash":
            crashes.append(pairing.crash(event, position))
        elif event.process == NEMESIS:
            text = event.f if event.value is None else f"{event.f} {format_value(event.value)}"
            annotations.append(Annotation(text, position, None, event.line))
        elif event.type == "invoke":
            calls.append(pairing.invoke(event, position))
        else:
            pairing.complete(event, position)
    if not ordered:
        raise format_error("LP-H008", "there are no events.", None, "Record at least one invocation.")
    return ReadItems(_operations(calls, keyed), crashes, annotations)


def _ordered(events: list[Event]) -> list[Event]:
    if any(event.index is None for event in events):
        return events
    first: dict[int, Event] = {}
    for event in events:
        assert event.index is not None
        earlier = first.setdefault(event.index, event)
        if earlier is not event:
            raise format_error(
                "LP-H018",
                f"the index {event.index} occurs in line {earlier.line} too.",
                event.line,
                "Use each index once, or omit all indices to order events by line.",
            )
    return [first[index] for index in sorted(first)]


def _operations(calls: list[OpenInvocation], keyed: bool | None) -> list[Operation]:
    pairs = _are_pairs(calls) if keyed is None else keyed and not _have_key_field(calls)
    words = works_on_words({call.invocation.f for call in calls})
    parts = [parts_of(call, pairs) for call in calls]
    answering = {
        plain(call.invocation.f)
        for call, (_, invoked, completed) in zip(calls, parts, strict=True)
        if call.ok and not is_listed(call.invocation.f) and not equal_values(invoked, completed)
    }
    operations = []
    for call, (key, invoked, completed) in zip(calls, parts, strict=True):
        event = call.invocation
        args = arguments(event.f, invoked, has_key=key is not None, words=words, line=event.line)
        answer = None
        if call.ok:
            answer = result(event.f, invoked, completed, echo=plain(event.f) not in answering)
        operations.append(operation_of(call, key, args, answer))
    return operations


def operation_of(call: OpenInvocation, key: Value, args: tuple[Value, ...], answer: Value) -> Operation:
    """The operation of a call, complete or not."""
    event, completion = call.invocation, call.completion
    outcome = Outcome.UNKNOWN if completion is None else _OUTCOMES[completion.type]
    times = (event.time, None if completion is None else completion.time)
    return Operation(
        event.process,
        event.f,
        args,
        answer,
        call.at,
        None if outcome is Outcome.UNKNOWN else call.until,
        outcome,
        key,
        None if times == (None, None) else times,
        event.line,
    )


def _have_key_field(calls: list[OpenInvocation]) -> bool:
    return any(call.invocation.key is not None for call in calls)


def _are_pairs(calls: list[OpenInvocation]) -> bool:
    """Whether all values look keyed.

    Keys are scalars, since a txn such as [[read x nil] [write y 2]] is also a pair.
    """
    if not calls or _have_key_field(calls):
        return False
    return all(looks_keyed(call.invocation) and (not call.ok or _is_pair(call.ok.value)) for call in calls)


def looks_keyed(invocation: Event) -> bool:
    """Whether the value of an invocation is a pair of key and value; for a cas, [key [old new]]."""
    value = invocation.value
    if not _is_pair(value):
        return False
    return plain(invocation.f) != "cas" or (type(value[1]) is tuple and len(value[1]) == 2)


def _is_pair(value: Value) -> bool:
    return type(value) is tuple and len(value) == 2 and type(value[0]) in (int, str, float, bool)


def parts_of(call: OpenInvocation, pairs: bool) -> tuple[Value, Value, Value]:
    """The key, the value of the invocation and that of the completion, which counts only if the completion is ok."""
    event, completed = call.invocation, call.ok
    if pairs:
        key, invoked = _split(event)
        other, answer = (key, None) if completed is None else _split(completed)
    else:
        key, invoked = event.key, event.value
        other, answer = (key, None) if completed is None else (completed.key, completed.value)
        other = key if other is None else other
    if not equal_values(key, other):
        assert completed is not None
        raise format_error(
            "LP-H012",
            f'process {event.process} returned from "{event.f}" on key {shown(other)}, '
            f"but called it on key {shown(key)} (line {event.line}).",
            completed.line,
            "Correct the key, or add --keyed no if the values are not pairs [key value].",
        )
    return key, invoked, answer


def _split(event: Event) -> tuple[Value, Value]:
    value = event.value
    if type(value) is not tuple or len(value) != 2 or value[0] is None:
        raise format_error(
            "LP-H007",
            f'the value of "{event.f}" is {shown(value)}, not a pair [key value].',
            event.line,
            "Give every value as [key value], or read the file with --keyed no.",
        )
    return value[0], value[1]


def _still_open(event: Event, open_call: Event) -> HistoryError:
    return format_error(
        "LP-H004",
        f'process {event.process} called "{event.f}" while its "{open_call.f}" (line {open_call.line}) was open.',
        event.line,
        _OVERLAP_REMEDY,
    )


def _missing(name: str, item: Mapping[Any, Any], line: int) -> HistoryError:
    other = other_name(name, item)
    message = f'the event has no "{name}"' + ("." if other is None else f', but "{other}".')
    remedy = "Give each event a process, a type and an f."
    if other is not None:
        remedy = f'Rename "{other}" to "{name}", if that is what it holds.'
    return format_error("LP-H006", message, line, remedy)


def _not_allowed(name: str, value: Any, wanted: str, line: int) -> HistoryError:
    return format_error("LP-H007", f'"{name}" is {shown(value)}.', line, f'"{name}" must be {wanted}.')
