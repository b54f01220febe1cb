# SPDX-License-Identifier: Apache-2.0
"""What the standard library gives to threads, replaced while they are under control: locks, threads, time.

Conditions, events, semaphores, barriers and queues are Python on top of these, and need no replacement. Only threads
that belong to the session are given the controlled ones; all others get the real ones, as if nothing had happened.
Guarantee: leaving the block restores every name.
"""

from __future__ import annotations

import _thread
import functools
import importlib
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
BOOTED: Final = 1_000.0
_NANO: Final = 1_000_000_000

_REAL_LOCK: Final = _thread.allocate_lock
_REAL_RLOCK: Final = _thread.RLock


class _Kind(type):
    """From 3.13 on ``threading.Lock`` is a type, and code asks whether something is one."""

    kinds: tuple[type, ...] = ()

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, cls.kinds)


class _Lock(metaclass=_Kind):
    kinds = (_thread.LockType, native.ControlledLock)

    def __new__(cls) -> Any:
        return native.ControlledLock() if under_control() else _REAL_LOCK()


class _RLock(metaclass=_Kind):
    kinds = (_thread.RLock, native.ControlledRLock)

    def __new__(cls) -> Any:
        return native.ControlledRLock() if under_control() else _REAL_RLOCK()


def _clock(real: Callable[[], Any], begin: float, unit: int | None = None) -> Callable[[], Any]:
    def now() -> Any:
        if not under_control():
            return real()
        seconds = begin + native.control_now()
        return seconds if unit is None else int(seconds * unit)

    return staticmethod(now)  # like the real one, no method of the class that has it


def _ident() -> int:
    """The identity of a thread; processes of a run have small ones, since fibers share that of the system."""
    process = native.control_process()
    return _REAL_IDENT() if process is None else process + 1


def _sleep(seconds: float, /) -> None:
    if not under_control():
        _REAL_SLEEP(seconds)
    elif seconds < 0:
        raise ValueError("sleep length must be non-negative")
    else:
        native.control_sleep(float(seconds))


_REAL_SLEEP: Final = time.sleep
_REAL_IDENT: Final = _thread.get_ident

_REPLACED: Final[dict[int, Any]] = {}
"""By the id of the real thing, which lives for ever."""
for _real, _ours in (
    (_thread.get_ident, staticmethod(_ident)),
    (_thread.allocate_lock, _Lock),
    (threading.Lock, _Lock),
    (_thread.RLock, _RLock),
    (threading.RLock, _RLock),
    (queue.SimpleQueue, queue._PySimpleQueue),  # type: ignore[attr-defined]  # noqa: SLF001 - the same in Python
    (time.time, _clock(time.time, _EPOCH)),
    (time.time_ns, _clock(time.time_ns, _EPOCH, _NANO)),
    (time.monotonic, _clock(time.monotonic, BOOTED)),
    (time.monotonic_ns, _clock(time.monotonic_ns, BOOTED, _NANO)),
    (time.perf_counter, _clock(time.perf_counter, BOOTED)),
    (time.perf_counter_ns, _clock(time.perf_counter_ns, BOOTED, _NANO)),
    (time.sleep, staticmethod(_sleep)),
    (_thread.start_new_thread, staticmethod(threads.start_new_thread)),
):
    _REPLACED[id(_real)] = _ours

_LEFT_ALONE: Final = ("linpoint", "_pytest", "pytest", "hypothesis", "rich", "xdist", "execnet", "asyncio", "logging")
_LOCK: Final = "lock"
_MADE_BEFORE: Final[tuple[tuple[str, str, Callable[[], Any]], ...]] = (
    ("concurrent.futures.thread", "_global_shutdown_lock", native.ControlledLock),
    ("concurrent.futures.thread", "_threads_queues", threads.Forgetful),
    ("threading", "_dangling", threads.Forgetful),
)
"""What modules of the standard library have made already, and use while other threads may go on."""


def _modules() -> Iterator[dict[str, Any]]:
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] not in _LEFT_ALONE and isinstance(getattr(module, "__dict__", None), dict):
            yield module.__dict__


def _lock_of_property(cached: Any) -> Any:
    if not under_control():
        return cached.__dict__[_LOCK]
    return cached.__dict__.setdefault("_linpoint_lock", native.ControlledRLock())


@contextmanager
def _properties() -> Iterator[None]:
    """Before 3.12 each cached property has a lock of its own, made with its class."""
    if not hasattr(functools.cached_property(len), _LOCK):
        yield
        return
    functools.cached_property.lock = property(  # type: ignore[attr-defined]
        _lock_of_property, lambda cached, lock: cached.__dict__.__setitem__(_LOCK, lock)
    )
    try:
        yield
    finally:
        del functools.cached_property.lock  # type: ignore[attr-defined]


@contextmanager
def replaced() -> Iterator[None]:
    """Replace them in every module that has them."""
    before: list[tuple[dict[str, Any], str, Any]] = []
    if "concurrent.futures" in sys.modules:
        importlib.import_module("concurrent.futures.thread")  # it comes when it is asked for: in the first run alone
    try:
        for names in _modules():
            for name, value in list(names.items()):
                ours = _REPLACED.get(id(value))
                if ours is not None and not name.startswith("_REAL"):
                    before.append((names, name, value))
                    names[name] = ours
        for module, name, make in _MADE_BEFORE:
            if module in sys.modules:
                names = sys.modules[module].__dict__
                before.append((names, name, names[name]))
                names[name] = make()
        with threads.replaced(), _properties():
            yield
    finally:
        for names, name, value in reversed(before):
            names[name] = value
