# SPDX-License-Identifier: Apache-2.0
"""Converts operations to events, for the writers of event formats.

Operations have closed intervals: at equal times calls come before returns, so that operations that touch overlap. Only
a process's own return comes before its next call. If two processes both return and call again at one instant, no order
of events expresses that: p's new call must precede q's return, which precedes q's new call, which must precede p's
return, which precedes p's new call. Such a history is rejected.

A crash of processes comes after their returns and before the calls at its time. An operation that returned at the time of
its process's crash therefore precedes a call of another process at that time, but in the history the two overlap under
some conditions: such a history is rejected too. A crash of the object comes between the calls and the returns, so that
operations that touch it span it.

Guarantee: the events, read back, give the same operations with the same real-time order, or the result is LP-U005,
which is raised before anything is written. Cost: O(n log n).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any, Final

from linpoint.errors import HistoryError, UsageError
from linpoint.histories.formats.event_pairing import NEMESIS, Event, pair
from linpoint.histories.formats.event_values import completion_value, invocation_value, plain, works_on_words
from linpoint.histories.formats.file_format import ReadItems
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome, Process, Time
from linpoint.histories.values import Value, canonical, format_value

_REMEDY: Final = "Save it as operation lines (.jsonl) instead."
_TYPES: Final = {Outcome.OK: "ok", Outcome.FAILED: "fail", Outcome.UNKNOWN: "info"}
# Phases within one instant. A turn is the point between two operations of a process.
_EARLY, _CRASH, _FAULT, _CALL, _OBJECT, _TURN, _RETURN = range(7)


def events_of(history: History) -> list[Event]:
    """The events of a history in order, with indices from 0."""
    hinted = next((op for op in history if op.order is not None), None)
    if hinted is not None:
        raise _refused(history, hinted, "it has an order value, which events do not support")
    words = works_on_words({op.name for op in history})
    answering = {plain(op.name) for op in history if op.outcome is Outcome.OK and op.result is not None}
    # The usual form is the pair [key value], but there only scalars count as keys.
    keyed = history.keyed
    fields = keyed and any(isinstance(op.key, (tuple, dict)) for op in history)
    events: list[Event] = []
    called: list[Operation] = []
    for time, _, source, returning in _in_order(history):
        index = len(events)
        if isinstance(source, Crash):
            who = NEMESIS if source.process is None else source.process
            events.append(
                Event(who, "crash", "crash", "object" if source.of_object else True, index=index, time=source.time)
            )
            continue
        if isinstance(source, Annotation):
            f, value = _fault(source.text)
            events.append(Event(NEMESIS, "info", f, value, index=index, time=time))
            continue
        try:
            value = invocation_value(source, words=words)
        except ValueError as error:
            raise _refused(history, source, str(error)) from None
        if returning:
            value = completion_value(source, value, echo=plain(source.name) not in answering)
        else:
            called.append(source)
        if keyed and not fields:
            value = (source.key, value)
        type_ = _TYPES[source.outcome] if returning else "invoke"
        clock = time if source.times is None else source.times[returning]
        events.append(Event(source.process, type_, source.name, value, source.key if fields else None, index, clock))
    _verify(history, called, events)
    return events


_Moment = tuple[Time, int, Operation | Annotation | Crash, bool]


def _in_order(history: History) -> list[_Moment]:
    moments: list[_Moment] = []
    for annotation in history.annotations:
        moments.append((annotation.time, _FAULT, annotation, False))
        if annotation.until is not None:  # Jepsen also logs the beginning and the end of a fault with the same words
            moments.append((annotation.until, _FAULT, annotation, True))
    by_process: dict[Process, list[Operation]] = defaultdict(list)
    for op in history:
        by_process[op.process].append(op)
    system = {crash.time for crash in history.crashes if crash.of_everything}
    touched = {crash.time for crash in history.crashes if crash.of_object}.difference(system)
    moments += [
        (crash.time, _OBJECT if crash.time in touched and crash.of_object else _CRASH, crash, False)
        for crash in history.crashes
    ]
    turning: dict[Time, Process] = {}
    for process, ops in by_process.items():
        for moment in _of_process(ops, {crash.time for crash in history.crashes if crash.covers(process)}):
            time, phase, source, returning = moment
            assert isinstance(source, Operation)
            if time in touched and not returning and (phase == _TURN or source.outcome is Outcome.UNKNOWN):
                raise _refused(history, source, f"its call is at {time}, the exact time of a crash of the object")
            if phase == _TURN and turning.setdefault(time, process) != process:
                both = f"processes {turning[time]} and {process} both return and call at {time}"
                raise _refused(history, source, f"{both}, which no order of events can express")
            moments.append(moment)
    early = {
        time: source.process for time, phase, source, _ in moments if phase == _EARLY and isinstance(source, Operation)
    }
    for time, _, source, returning in moments:
        if returning or not isinstance(source, Operation) or early.get(time, source.process) == source.process:
            continue
        why = f"its call is at {time}, when process {early[time]} returned and crashed"
        raise _refused(history, source, f"{why}, which no order of events can express")
    return sorted(moments, key=lambda moment: moment[:2])  # stable: the order of events of a process is kept


def _of_process(ops: list[Operation], fallen: Collection[Time]) -> Iterator[_Moment]:
    """The moments of one process in order. Moments at which it returns and calls are turns.

    ``fallen`` are the times at which it crashed. An operation that returned at such a time did so before the crash.
    """
    spans = sorted(
        ((op.call, _end(op), op) for op in ops), key=lambda span: (span[0], span[0] if span[1] is None else span[1])
    )
    ended: Time | None = None  # the return of the preceding operation, unless it coincides with a crash
    for position, (begin, end, op) in enumerate(spans):
        after = spans[position + 1][0] if position + 1 < len(spans) else None
        yield begin, _TURN if ended is not None and ended == begin else _CALL, op, False
        early = end in fallen and begin != end
        if end is not None:
            yield end, _EARLY if early else _TURN if after == end else _RETURN, op, True
        ended = None if early else end


def _end(op: Operation) -> Time | None:
    """The time of the completion. A failed operation needs one, and since it has no effect any time is suitable."""
    return op.call if op.return_ is None and op.outcome is Outcome.FAILED else op.return_


def _fault(text: str) -> tuple[str, Any]:
    """The ``f`` and value of a nemesis event that reads back as ``text``."""
    name, _, rest = text.partition(" ")
    try:
        value = json.loads(rest)
    except (ValueError, RecursionError):
        value = None
    exact = bool(name) and value is not None and format_value(value) == rest
    return (name, value) if exact else (text or "annotation", None)


def _verify(history: History, called: list[Operation], events: list[Event]) -> None:
    try:
        items = pair(events) if events else ReadItems([], [], [])
    except HistoryError as error:
        raise UsageError(
            "LP-U005",
            f"an event format cannot represent the history: {error.message}",
            place=history.source,
            remedy=_REMEDY,
        ) from None
    again = items.operations
    for op, back in zip(called, again, strict=False):
        if _meaning(op) != _meaning(back):
            raise _refused(history, op, f"it would be read back as {back}")
    if len(called) != len(again):
        raise UsageError(
            "LP-U005", f'the process name "{NEMESIS}" is reserved for faults.', place=history.source, remedy=_REMEDY
        )


def _meaning(op: Operation) -> tuple[Any, ...]:
    result: Value = op.result if op.outcome is Outcome.OK else None
    return (op.process, op.name, op.outcome, canonical(op.args), canonical(result), canonical(op.key))


def _refused(history: History, op: Operation, why: str) -> UsageError:
    return UsageError(
        "LP-U005", f"an event format cannot represent {op}: {why}.", place=history.place(op), remedy=_REMEDY
    )
