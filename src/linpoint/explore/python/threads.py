# SPDX-License-Identifier: Apache-2.0
"""``threading.Thread`` under control: its methods, replaced, so that classes made from it before obey too.

A thread that is started becomes a process of the run. Outside of a run, as while the object under test is made, it
begins with the run and stays in the background: the run does not wait for it.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from linpoint.explore import _native_control as native
from linpoint.explore.python.membership import under_control
from linpoint.explore.python.stopping import BlockedForever

_PROCESS: Final = "_linpoint_process"
_HASH: Final = "_linpoint_hash"
FIBERS: Final = range(1, 33)
"""The identities of fibers, which are numbered from 1 on, as far as they are known from the start."""
_NOT_YET: Final = -1
"""The process of a thread that begins with the run."""
_for_the_run: list[threading.Thread] = []
_real_start = threading.Thread.start
_real_join = threading.Thread.join
_real_is_alive = threading.Thread.is_alive


def _start(self: threading.Thread) -> None:
    if not under_control():
        _real_start(self)
        return
    if not getattr(self, "_initialized", False):
        raise RuntimeError("thread.__init__() not called")
    if hasattr(self, _PROCESS):
        raise RuntimeError("threads can only be started once")
    setattr(self, _PROCESS, _NOT_YET)
    if native.control_process() is None:
        _for_the_run.append(self)
    else:
        setattr(self, _PROCESS, native.control_spawn(_body(self), self.daemon))


def add_to_run() -> None:
    """Let the threads begin that were started before the run, after its own: these are numbered from 0 on."""
    for thread in _for_the_run:
        setattr(thread, _PROCESS, native.control_spawn(_body(thread), True))
    _for_the_run.clear()


def _body(thread: threading.Thread) -> Callable[[], None]:
    def run() -> None:
        ident = threading.get_ident()
        thread._ident = ident  # type: ignore[attr-defined]  # noqa: SLF001 - as Thread does itself
        before = threading._active.get(ident)  # type: ignore[attr-defined]  # noqa: SLF001 - for current_thread()
        threading._active[ident] = thread  # type: ignore[attr-defined]  # noqa: SLF001
        try:
            thread.run()
        finally:
            if before is None:
                threading._active.pop(ident, None)  # type: ignore[attr-defined]  # noqa: SLF001
            else:
                threading._active[ident] = before  # type: ignore[attr-defined]  # noqa: SLF001

    return run


def _join(self: threading.Thread, timeout: float | None = None) -> None:
    process = getattr(self, _PROCESS, None)
    if process is None:
        _real_join(self, timeout)
        return
    if process == _NOT_YET:
        if timeout is None:
            raise BlockedForever  # it begins when whoever waits for it has come to the end
        return
    if process == native.control_process():
        raise RuntimeError("cannot join current thread")
    native.control_join(process, -1.0 if timeout is None else max(0.0, timeout))


def _is_alive(self: threading.Thread) -> bool:
    process = getattr(self, _PROCESS, None)
    if process is None:
        return _real_is_alive(self)
    return process == _NOT_YET or not native.control_ended(process)


_hashed = itertools.count()


def begin_run() -> None:
    """Threads of the next run are told apart by the same numbers as those of the one before, which are forgotten."""
    global _hashed  # noqa: PLW0603 - one session at a time
    _hashed = itertools.count()
    _for_the_run.clear()


def _hash(self: threading.Thread) -> int:
    # A pool keeps its threads in a set, and joins them in the order of their hashes: by address, no two runs were alike.
    number = self.__dict__.get(_HASH)
    if number is None:
        number = self.__dict__[_HASH] = next(_hashed) if under_control() else object.__hash__(self)
    return number


@contextmanager
def known(*idents: int) -> Iterator[None]:
    """Let the threads of processes know themselves, by their identities.

    A thread that the interpreter has to make up when it is first asked for would be steps of that run alone, and a daemon,
    as would be those that it starts.
    """
    active = threading._active  # type: ignore[attr-defined]  # noqa: SLF001 - what current_thread() looks at
    for ident in idents:
        me = threading.Thread(name=f"thread {ident}", daemon=False)
        me._ident = ident  # type: ignore[attr-defined]  # noqa: SLF001 - as Thread does itself
        me._started.set()  # type: ignore[attr-defined]  # noqa: SLF001
        active[ident] = me
    try:
        yield
    finally:
        for ident in idents:
            active.pop(ident, None)


class Forgetful:
    """In the place of the weak tables of all threads, which are interleaved code.

    What they do when threads of an earlier run die would be steps of this run.
    """

    def add(self, thread: object) -> None:
        """As of a set."""

    def discard(self, thread: object) -> None:
        """As of a set."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __setitem__(self, thread: object, queue: object) -> None:
        pass

    items = __iter__


@contextmanager
def replaced() -> Iterator[None]:
    """Let threads that are started under control be processes of the run."""
    ours: dict[str, Any] = {"start": _start, "join": _join, "is_alive": _is_alive, "__hash__": _hash}
    before = {name: getattr(threading.Thread, name) for name in ours}
    for name, method in ours.items():
        setattr(threading.Thread, name, method)
    try:
        yield
    finally:
        for name, method in before.items():
            setattr(threading.Thread, name, method)
