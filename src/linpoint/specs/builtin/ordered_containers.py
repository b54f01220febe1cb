# SPDX-License-Identifier: Apache-2.0
"""Containers in which order matters: queue, stack, deque, priority queue, log. A state is a tuple of values."""

from __future__ import annotations

import bisect
from typing import Any

from linpoint.histories.values import Value, format_value
from linpoint.specs.builtin.spec_declaration import bad_parameter, initial_list, is_number, step, table, unsuccessful
from linpoint.specs.builtin.spec_factory import declare
from linpoint.specs.spec import Returns, Spec, Twin

Items = tuple[Value, ...]


def _push_back(state: Items, value: Value) -> tuple[None, Items]:
    return None, (*state, value)


def _push_front(state: Items, value: Value) -> tuple[None, Items]:
    return None, (value, *state)


def _pop_front(state: Items) -> tuple[Value, Items]:
    return (state[0], state[1:]) if state else (None, state)


def _pop_back(state: Items) -> tuple[Value, Items]:
    return (state[-1], state[:-1]) if state else (None, state)


def _front(state: Items) -> tuple[Value, Items]:
    return (state[0] if state else None), state


def _back(state: Items) -> tuple[Value, Items]:
    return (state[-1] if state else None), state


@declare
def queue(capacity: int | None = None, *, initial: Any = None) -> Spec:
    """First in, first out; with a capacity, enqueue returns false when the queue is full."""
    first = initial_list("queue", initial)
    if capacity is not None and (not isinstance(capacity, int) or isinstance(capacity, bool) or capacity < 1):
        raise bad_parameter(
            "queue",
            f"capacity {format_value(capacity)} is not a positive integer",
            "Use a number such as queue(capacity=8).",
        )

    def enqueue(state: Items, value: Value) -> tuple[bool | None, Items]:
        if capacity is not None and len(state) >= capacity:
            return False, state
        return capacity is not None or None, (*state, value)

    steps = [
        step(
            "enqueue",
            enqueue,
            "v",
            returns=Returns.NOTHING if capacity is None else Returns.SUCCESS,
            reads=unsuccessful,
        ),
        step("dequeue", _pop_front, result="v, null when empty"),
        step("peek", _front, result="v, null when empty", reads=True),
    ]
    name = "queue" if capacity is None else f"queue(capacity={capacity})"
    return Spec(name, first, table(steps), twin=Twin("queue", capacity))


@declare
def stack(*, initial: Any = None) -> Spec:
    """Last in, first out; the last of the initial values is on top."""
    steps = [
        step("push", _push_back, "v", returns=Returns.NOTHING),
        step("pop", _pop_back, result="v, null when empty"),
        step("peek", _back, result="v, null when empty", reads=True),
    ]
    return Spec("stack", initial_list("stack", initial), table(steps), twin=Twin("stack"))


@declare
def deque(*, initial: Any = None) -> Spec:
    """A queue with two ends."""
    steps = [
        step("push-front", _push_front, "v", returns=Returns.NOTHING),
        step("push-back", _push_back, "v", returns=Returns.NOTHING),
        step("pop-front", _pop_front, result="v or null"),
        step("pop-back", _pop_back, result="v or null"),
    ]
    return Spec("deque", initial_list("deque", initial), table(steps), twin=Twin("deque"))


def _rank(priority: Value) -> tuple[bool, Any]:
    """A sort key that places numbers before strings, so that any two priorities are comparable."""
    return (isinstance(priority, str), priority)


def _insert(state: Items, priority: Value) -> tuple[None, Items]:
    at = bisect.bisect(state, _rank(priority), key=_rank)
    return None, (*state[:at], priority, *state[at:])


def _needs_priority(args: tuple[Value, ...]) -> str | None:
    fit = is_number(args[0]) or isinstance(args[0], str)
    return None if fit else f"the priority {format_value(args[0])} is neither a number nor a string"


@declare
def priority_queue(*, initial: Any = None) -> Spec:
    """A priority queue, which returns the largest value first."""
    steps = [
        step("insert", _insert, "p", returns=Returns.NOTHING, complaint=_needs_priority, takes_integers=True),
        step("delete-max", _pop_back, result="p or null"),
        step("peek", _back, result="p or null", reads=True),
    ]
    first = initial_list("priority-queue", initial)
    for problem in filter(None, (_needs_priority((priority,)) for priority in first)):
        raise bad_parameter("priority-queue", problem, "Use a JSON list of numbers or strings, such as [1, 2].")
    return Spec("priority-queue", tuple(sorted(first, key=_rank)), table(steps), twin=Twin("priority-queue"))


def _append(state: Items, value: Value) -> tuple[int, Items]:
    return len(state), (*state, value)


def _read(state: Items) -> tuple[Items, Items]:
    return state, state


@declare
def log(*, initial: Any = None) -> Spec:
    """An append-only list; append returns the index, counted from 0."""
    steps = [
        step("append", _append, "v", returns=Returns.SUCCESS, result="index"),
        step("read", _read, result="[v, ...]", reads=True),
    ]
    return Spec("log", initial_list("log", initial), table(steps))
