# SPDX-License-Identifier: Apache-2.0
"""Locks and counters.

The holder of a lock is not tracked; an illegal step, such as acquiring a held mutex, has no outcome.
"""

from __future__ import annotations

from typing import Any

from linpoint.histories.values import Value, format_value
from linpoint.specs.builtin.spec_declaration import bad_parameter, is_number, needs_number, step, table, unsuccessful
from linpoint.specs.builtin.spec_factory import declare
from linpoint.specs.spec import Outcomes, Returns, Spec, Twin


def _acquire(held: bool) -> Outcomes:
    return [] if held else [(None, True)]


def _release(held: bool) -> Outcomes:
    return [(None, False)] if held else []


def _try_acquire(held: bool) -> tuple[bool, bool]:
    return not held, True


@declare
def mutex(*, initial: Any = False) -> Spec:
    """A lock: acquiring a held one or releasing a free one is not a legal step."""
    if not isinstance(initial, bool):
        raise bad_parameter(
            "mutex", f"the initial value {format_value(initial)} is not a bool", "Use true for held or false for free."
        )
    steps = [
        step("acquire", _acquire, returns=Returns.NOTHING),
        step("release", _release, returns=Returns.NOTHING),
        step("try-acquire", _try_acquire, returns=Returns.SUCCESS, reads=unsuccessful),
    ]
    return Spec("mutex", initial, table(steps), twin=Twin("mutex"))


_WRITER = -1


def _acquire_read(readers: int) -> Outcomes:
    return [] if readers == _WRITER else [(None, readers + 1)]


def _release_read(readers: int) -> Outcomes:
    return [(None, readers - 1)] if readers > 0 else []


def _acquire_write(readers: int) -> Outcomes:
    return [(None, _WRITER)] if readers == 0 else []


def _release_write(readers: int) -> Outcomes:
    return [(None, 0)] if readers == _WRITER else []


@declare
def rw_lock(*, initial: Any = 0) -> Spec:
    """A lock for many readers or one writer."""
    if not isinstance(initial, int) or isinstance(initial, bool) or initial < _WRITER:
        raise bad_parameter(
            "rw-lock",
            f"the initial value {format_value(initial)} is not a number of readers",
            "Use 0 or more readers, or -1 for held by a writer.",
        )
    steps = [
        step("acquire-read", _acquire_read, returns=Returns.NOTHING),
        step("release-read", _release_read, returns=Returns.NOTHING),
        step("acquire-write", _acquire_write, returns=Returns.NOTHING),
        step("release-write", _release_write, returns=Returns.NOTHING),
    ]
    return Spec("rw-lock", initial, table(steps))


def _take(permits: int) -> Outcomes:
    return [(None, permits - 1)] if permits > 0 else []


def _give(permits: int) -> tuple[None, int]:
    return None, permits + 1


def _try_take(permits: int) -> tuple[bool, int]:
    return (True, permits - 1) if permits > 0 else (False, permits)


@declare
def semaphore(permits: int = 1, *, initial: Any = None) -> Spec:
    """A counting semaphore that starts with n permits; releases may raise them above n."""
    first = permits if initial is None else initial
    if not isinstance(first, int) or isinstance(first, bool) or first < 0:
        raise bad_parameter(
            "semaphore", f"{format_value(first)} is not a number of permits", "Use a number such as semaphore(2)."
        )
    steps = [
        step("acquire", _take, returns=Returns.NOTHING),
        step("release", _give, returns=Returns.NOTHING),
        step("try-acquire", _try_take, returns=Returns.SUCCESS, reads=unsuccessful),
    ]
    return Spec(f"semaphore({first})", first, table(steps), twin=Twin("semaphore"))


def _read(count: Value) -> tuple[Value, Value]:
    return count, count


def _add(count: Value, amount: Value) -> tuple[None, Value]:
    return None, count + amount


def _fetch_add(count: Value, amount: Value) -> tuple[Value, Value]:
    return count, count + amount


def _number(spec: str, initial: Any) -> Any:
    if not is_number(initial):
        raise bad_parameter(spec, f"the initial value {format_value(initial)} is not a number", "Use a JSON number.")
    return initial


@declare
def counter(*, initial: Any = 0) -> Spec:
    """A number that operations change and read."""
    steps = [
        step("increment", lambda count: _add(count, 1), returns=Returns.NOTHING),
        step("decrement", lambda count: _add(count, -1), returns=Returns.NOTHING),
        step("add", _add, "n", returns=Returns.NOTHING, complaint=needs_number, takes_integers=True),
        step("read", _read, result="n", reads=True),
    ]
    return Spec("counter", _number("counter", initial), table(steps), twin=Twin("counter"))


@declare
def fetch_add(*, initial: Any = 0) -> Spec:
    """A number that is read and changed in one step."""
    return Spec(
        "fetch-add",
        _number("fetch-add", initial),
        table([step("fetch-add", _fetch_add, "n", result="old", complaint=needs_number, takes_integers=True)]),
        twin=Twin("fetch-add"),
    )
