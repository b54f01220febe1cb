# SPDX-License-Identifier: Apache-2.0
"""Replacements for parts of the standard library under control: locks, threads, time.

Conditions, events, semaphores, barriers and queues are Python code on top of these, and need no replacement. Only
threads that belong to the session get the controlled versions; all other threads get the real ones, as without a
session. Locks that modules and classes created on import are replaced in place where they can be found: in the globals
of modules, in the attributes of their classes, and in cached properties, which have a lock before Python 3.12.
Guarantee: leaving the block restores every name.
"""

from __future__ import annotations

import _thread
import functools
import importlib
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from linpoint.explore import _native_control as native
from linpoint.explore.python_control import controlled_thread_class, uncontrolled_resources
from linpoint.explore.python_control.controlled_simple_queue import ControlledSimpleQueue
from linpoint.explore.python_control.controlled_threads import under_control
from linpoint.explore.python_control.run_abort import refuse

_CLOCK_START_S: Final = 1_700_000_000.0
MONOTONIC_START_S: Final = 1_000.0
_NS_PER_S: Final = 1_000_000_000

_REAL_LOCK: Final = _thread.allocate_lock
_REAL_RLOCK: Final = _thread.RLock


_keeping: list[list[Any]] = []
"""The lists that keep created locks alive, the innermost block last."""


@contextmanager
def keeping_locks(kept: list[Any]) -> Iterator[None]:
    """Keep locks that are created in the block alive, so that no two have the same address, which identifies a lock."""
    _keeping.append(kept)
    try:
        yield
    finally:
        _keeping.pop()


def _made(lock: Any) -> Any:
    if _keeping:
        _keeping[-1].append(lock)
    return lock


class _Kind(type):
    """From Python 3.13 on, ``threading.Lock`` is a type and may occur in ``isinstance``."""

    kinds: tuple[type, ...] = ()

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, cls.kinds)


class _Lock(metaclass=_Kind):
    kinds = (_thread.LockType, native.ControlledLock)

    def __new__(cls) -> Any:
        return _made(native.ControlledLock()) if under_control() else _REAL_LOCK()


class _RLock(metaclass=_Kind):
    kinds = (_thread.RLock, native.ControlledRLock)

    def __new__(cls) -> Any:
        return _made(native.ControlledRLock()) if under_control() else _REAL_RLOCK()


def _clock(real: Callable[[], Any], begin: float, unit: int | None = None) -> Callable[[], Any]:
    def now() -> Any:
        if not under_control():
            return real()
        seconds = begin + native.control_now()
        return seconds if unit is None else int(seconds * unit)

    return staticmethod(now)  # like the real function, it does not become a method of a class that holds it


def _ident() -> int:
    """The identity of a thread. Processes of a run have small ones, since fibers share that of the system thread."""
    process = native.control_process()
    return _REAL_IDENT() if process is None else process + 1


def _sleep(seconds: float, /) -> None:
    if not under_control():
        _REAL_SLEEP(seconds)
    elif seconds < 0:
        raise ValueError("sleep length must be non-negative")
    else:
        native.control_sleep(float(seconds))


def _fork(real: Callable[[], Any]) -> Callable[[], Any]:
    def fork() -> Any:
        if under_control():
            refuse(uncontrolled_resources.fork_error(real.__name__, sys._getframe(1)))  # noqa: SLF001 - the caller
        return real()

    return staticmethod(fork)


_REAL_SLEEP: Final = time.sleep
_REAL_IDENT: Final = _thread.get_ident

HARMLESS: Final = frozenset((_sleep.__code__, under_control.__code__))
"""Functions whose calls in a waiting loop count as sleeping."""

_REPLACED: Final[dict[int, Any]] = {}
"""Replacements by the id of the real object, which lives forever."""
for _real, _ours in (
    (_thread.get_ident, staticmethod(_ident)),
    (_thread.allocate_lock, _Lock),
    (threading.Lock, _Lock),
    (_thread.RLock, _RLock),
    (threading.RLock, _RLock),
    (queue.SimpleQueue, ControlledSimpleQueue),
    (time.time, _clock(time.time, _CLOCK_START_S)),
    (time.time_ns, _clock(time.time_ns, _CLOCK_START_S, _NS_PER_S)),
    (time.monotonic, _clock(time.monotonic, MONOTONIC_START_S)),
    (time.monotonic_ns, _clock(time.monotonic_ns, MONOTONIC_START_S, _NS_PER_S)),
    (time.perf_counter, _clock(time.perf_counter, MONOTONIC_START_S)),
    (time.perf_counter_ns, _clock(time.perf_counter_ns, MONOTONIC_START_S, _NS_PER_S)),
    (time.sleep, staticmethod(_sleep)),
    (_thread.start_new_thread, staticmethod(controlled_thread_class.start_new_thread)),
    *((real, _fork(real)) for real in (getattr(os, name, None) for name in ("fork", "forkpty")) if real is not None),
):
    _REPLACED[id(_real)] = _ours

_LEFT_ALONE: Final = ("linpoint", "_pytest", "pytest", "hypothesis", "rich", "xdist", "execnet", "asyncio", "logging")
_LOCK: Final = "lock"
_MADE_BEFORE: Final[tuple[tuple[str, str, Callable[[], Any]], ...]] = (
    ("concurrent.futures.thread", "_threads_queues", controlled_thread_class.ForgetfulSet),
    ("threading", "_dangling", controlled_thread_class.ForgetfulSet),
)
"""Objects that modules of the standard library created on import and use while other threads may run."""
_KINDS: Final = {_thread.LockType: native.ControlledLock, _thread.RLock: native.ControlledRLock}
_KEEP_THEIR_LOCKS: Final = frozenset(("threading", "weakref", "importlib", "_frozen_importlib", "sys", "io", "codecs"))
"""Modules of the interpreter itself, whose locks serve all threads, not only those under control."""


class _Locks:
    """The locks that existed before, with one controlled replacement each, however many names a lock has."""

    def __init__(self) -> None:
        self._ours: dict[int, tuple[Any, Any]] = {}

    def instead_of(self, value: Any) -> Any:
        """The controlled lock for a real one; None for anything else."""
        kind = _KINDS.get(type(value))
        return None if kind is None else self._ours.setdefault(id(value), (value, kind()))[1]

    def holders(self, module: str, names: dict[str, Any]) -> Iterator[tuple[Any, str, Any]]:
        """The class attributes of a module that hold locks: the class, the name and the replacement of the lock."""
        for owner in [each for each in names.values() if isinstance(each, type) and each.__module__ == module]:
            for name, value in [each for each in vars(owner).items() if type(each[1]) in _KINDS]:
                yield owner, name, self.instead_of(value)


def _modules() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] not in _LEFT_ALONE and isinstance(getattr(module, "__dict__", None), dict):
            yield name, module.__dict__


def _lock_of_property(cached: Any) -> Any:
    if not under_control():
        return cached.__dict__[_LOCK]
    return cached.__dict__.setdefault("_linpoint_lock", native.ControlledRLock())


@contextmanager
def _properties() -> Iterator[None]:
    """Before Python 3.12 each cached property has its own lock, created with its class."""
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
    undo: list[Callable[[], None]] = []
    locks = _Locks()
    if "concurrent.futures" in sys.modules:
        importlib.import_module("concurrent.futures.thread")  # imported lazily: otherwise only in the first run
    try:
        for module, names in _modules():
            has_locks = module not in _KEEP_THEIR_LOCKS
            for name, value in list(names.items()):
                ours = _REPLACED.get(id(value)) or (locks.instead_of(value) if has_locks else None)
                if ours is not None and not name.startswith("_REAL"):
                    undo.append(functools.partial(names.__setitem__, name, value))
                    names[name] = ours
            for holder, name, ours in locks.holders(module, names) if has_locks else ():
                undo.append(functools.partial(setattr, holder, name, vars(holder)[name]))
                setattr(holder, name, ours)
        for module, name, make in _MADE_BEFORE:
            if module in sys.modules:
                names = sys.modules[module].__dict__
                undo.append(functools.partial(names.__setitem__, name, names[name]))
                names[name] = make()
        with controlled_thread_class.replaced(), _properties():
            yield
    finally:
        for each in reversed(undo):
            each()
