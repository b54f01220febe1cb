# SPDX-License-Identifier: Apache-2.0
"""What the standard library gives to threads, replaced while they are under control: locks, threads, time.

Conditions, events, semaphores, barriers and queues are Python on top of these, and need no replacement. Only threads
that belong to the session are given the controlled ones; all others get the real ones, as if nothing had happened.
Guarantee: leaving the block restores every name.
"""

from __future__ import annotations

import _thread
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from linpoint.explore import _native_control as native
from linpoint.explore.python import threads
from linpoint.explore.python.membership import under_control

_EPOCH: Final = 1_700_000_000.0
_BOOTED: Final = 1_000.0
_NANO: Final = 1_000_000_000

_REAL_LOCK: Final = _thread.allocate_lock
_REAL_RLOCK: Final = _thread.RLock


def _lock() -> Any:
    return native.ControlledLock() if under_control() else _REAL_LOCK()


def _rlock() -> Any:
    return native.ControlledRLock() if under_control() else _REAL_RLOCK()


def _clock(real: Callable[[], Any], begin: float, unit: int | None = None) -> Callable[[], Any]:
    def now() -> Any:
        if not under_control():
            return real()
        seconds = begin + native.control_now()
        return seconds if unit is None else int(seconds * unit)

    return now


def _sleep(seconds: float, /) -> None:
    if not under_control():
        _REAL_SLEEP(seconds)
    elif seconds < 0:
        raise ValueError("sleep length must be non-negative")
    else:
        native.control_sleep(float(seconds))


_REAL_SLEEP: Final = time.sleep

_REPLACED: Final[dict[int, Any]] = {}
"""By the id of the real thing, which lives for ever."""
for _real, _ours in (
    (_thread.allocate_lock, _lock),
    (threading.Lock, _lock),
    (_thread.RLock, _rlock),
    (threading.RLock, _rlock),
    (queue.SimpleQueue, queue._PySimpleQueue),  # type: ignore[attr-defined]  # noqa: SLF001 - the same in Python
    (time.time, _clock(time.time, _EPOCH)),
    (time.time_ns, _clock(time.time_ns, _EPOCH, _NANO)),
    (time.monotonic, _clock(time.monotonic, _BOOTED)),
    (time.monotonic_ns, _clock(time.monotonic_ns, _BOOTED, _NANO)),
    (time.perf_counter, _clock(time.perf_counter, _BOOTED)),
    (time.perf_counter_ns, _clock(time.perf_counter_ns, _BOOTED, _NANO)),
    (time.sleep, _sleep),
    (_thread.start_new_thread, threads.start_new_thread),
):
    _REPLACED[id(_real)] = _ours

_LEFT_ALONE: Final = ("linpoint", "_pytest", "pytest", "hypothesis", "rich", "xdist", "execnet", "asyncio", "logging")


def _modules() -> Iterator[dict[str, Any]]:
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] not in _LEFT_ALONE and isinstance(getattr(module, "__dict__", None), dict):
            yield module.__dict__


@contextmanager
def replaced() -> Iterator[None]:
    """Replace them in every module that has them."""
    before: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for names in _modules():
            for name, value in list(names.items()):
                ours = _REPLACED.get(id(value))
                if ours is not None and not name.startswith("_REAL"):
                    before.append((names, name, value))
                    names[name] = ours
        for each in ("_PySimpleQueue",):
            assert hasattr(queue, each)
        with threads.replaced():
            yield
    finally:
        for names, name, value in reversed(before):
            names[name] = value
