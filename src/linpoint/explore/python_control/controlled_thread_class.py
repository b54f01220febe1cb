# SPDX-License-Identifier: Apache-2.0
"""``threading.Thread`` under control: its methods are replaced, so that existing subclasses are controlled too.

A started thread becomes a process of the run. If it starts outside of a run, for example while the object under test is
created, it begins with the run and stays in the background: the run does not wait for it.
"""

from __future__ import annotations

import _thread
import itertools
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Protocol

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.controlled_threads import under_control
from linpoint.explore.python_control.run_abort import StopRun, is_ctrl_c

_PROCESS: Final = "_linpoint_process"
_HASH: Final = "_linpoint_hash"
_STARTING: Final = -1
"""The process of a thread that does not have one yet."""
FIBERS: Final = range(1, 33)
"""The identities of fibers, numbered from 1, that are registered in advance."""
_real_start = threading.Thread.start
_real_join = threading.Thread.join
_real_is_alive = threading.Thread.is_alive
_real_start_new: Final = _thread.start_new_thread


class ThreadListener(Protocol):
    """Receives the events of the threads of a run, on these threads but not as steps of the run."""

    def begins(self, process: int, name: str) -> None:
        """A thread begins as this process."""

    def started(self, process: int, by: int, daemon: bool) -> None:
        """A process has started another one."""

    def raised(self, process: int, error: BaseException) -> None:
        """A thread ends with an exception that it did not catch."""


class _NoListener:
    def begins(self, process: int, name: str) -> None:
        pass

    def started(self, process: int, by: int, daemon: bool) -> None:
        pass

    def raised(self, process: int, error: BaseException) -> None:
        pass


_listener: ThreadListener = _NoListener()


@contextmanager
def listening(listener: ThreadListener) -> Iterator[None]:
    """Report the threads that run in the block to ``listener``."""
    global _listener  # noqa: PLW0603 - one run at a time
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


def _start(self: threading.Thread) -> None:
    if not under_control():
        _real_start(self)
        return
    if not getattr(self, "_initialized", False):
        raise RuntimeError("thread.__init__() not called")
    if hasattr(self, _PROCESS):
        raise RuntimeError("threads can only be started once")
    setattr(self, _PROCESS, _STARTING)
    setattr(self, _PROCESS, _spawn(_body(self), daemon=self.daemon))


def _spawn(body: Callable[[], None], *, daemon: bool) -> int:
    by = native.control_process()
    process = native.control_spawn(body, by is None or daemon)
    if by is not None:
        native.control_aside(_listener.started, process, by, daemon)
    return process


def _body(thread: threading.Thread) -> Callable[[], None]:
    def run() -> None:
        process = native.control_process()
        assert process is not None
        setattr(thread, _PROCESS, process)
        with current(thread):
            _run_body(process, thread.name, thread.run)

    return run


def _run_body(process: int, name: str, body: Callable[[], Any]) -> None:
    native.control_aside(_listener.begins, process, name)
    try:
        body()
    except (StopRun, SystemExit):
        pass
    except BaseException as error:  # any exception ends a thread
        if is_ctrl_c(error):
            raise
        native.control_aside(_listener.raised, process, error)


@contextmanager
def current(thread: threading.Thread) -> Iterator[None]:
    """In the block, ``thread`` represents the calling thread."""
    ident = threading.get_ident()
    thread._ident = ident  # type: ignore[attr-defined]  # noqa: SLF001 - as Thread does itself
    active = threading._active  # type: ignore[attr-defined]  # noqa: SLF001 - for current_thread()
    before = active.get(ident)
    active[ident] = thread
    try:
        yield
    finally:
        if before is None:
            active.pop(ident, None)
        else:
            active[ident] = before


@contextmanager
def as_process(thread: threading.Thread, process: int) -> Iterator[None]:
    """In the block, ``thread`` can be joined as a process of the run; its state is restored afterwards."""
    setattr(thread, _PROCESS, process)
    ident = thread.ident
    try:
        yield
    finally:
        delattr(thread, _PROCESS)
        thread._ident = ident  # type: ignore[attr-defined]  # noqa: SLF001 - see ``current``


def start_new_thread(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any] = {}, /) -> int:
    """``_thread.start_new_thread``: such a thread cannot be joined, and the run does not wait for it."""
    if not under_control():
        return _real_start_new(function, args, dict(kwargs))

    def run() -> None:
        process = native.control_process()
        assert process is not None
        _run_body(process, getattr(function, "__name__", "thread"), lambda: function(*args, **kwargs))

    return _spawn(run, daemon=True)


def _join(self: threading.Thread, timeout: float | None = None) -> None:
    process = getattr(self, _PROCESS, None)
    if process is None:
        _real_join(self, timeout)
        return
    if process == _STARTING:
        raise RuntimeError("cannot join thread before it is started")
    if process == native.control_process():
        raise RuntimeError("cannot join current thread")
    native.control_join(process, -1.0 if timeout is None else max(0.0, timeout))


def _is_alive(self: threading.Thread) -> bool:
    process = getattr(self, _PROCESS, None)
    if process is None:
        return _real_is_alive(self)
    if process == _STARTING:
        return False
    if native.control_process() is None:
        return not native.control_ended(process)
    return process == native.control_process() or not native.control_join(process, 0.0)  # a step: the answer may change


_hashed = itertools.count()


def begin_run() -> None:
    """Restart the numbers that serve as hashes of threads, so that every run uses the same ones."""
    global _hashed  # noqa: PLW0603 - one session at a time
    _hashed = itertools.count()


def _hash(self: threading.Thread) -> int:
    # A pool keeps its threads in a set and joins them in the order of their hashes. Hashes by address would make runs
    # differ.
    number = self.__dict__.get(_HASH)
    if number is None:
        number = self.__dict__[_HASH] = next(_hashed) if under_control() else object.__hash__(self)
    return number


@contextmanager
def known(*idents: int) -> Iterator[None]:
    """Register thread objects for these identities, so that the threads of processes have one.

    Otherwise the interpreter would create a dummy thread when it is first needed. That would add steps to one run only,
    and the dummy would be a daemon, as would be the threads that it starts.
    """
    active = threading._active  # type: ignore[attr-defined]  # noqa: SLF001 - current_thread() reads it
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


class ForgetfulSet:
    """Replaces the weak collections of all threads, whose code is interleaved.

    The cleanup that they do when threads of an earlier run die would otherwise be steps of this run.
    """

    def add(self, thread: object) -> None:
        """Does nothing."""

    def discard(self, thread: object) -> None:
        """Does nothing."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __setitem__(self, thread: object, queue: object) -> None:
        pass

    items = __iter__


def _is_news(record: logging.LogRecord) -> bool:
    """Workers of executors log every exception that ends them, including the one that ends the run."""
    return not (isinstance(record.exc_info, tuple) and record.exc_info[0] is StopRun)


@contextmanager
def _quiet() -> Iterator[None]:
    logger = logging.getLogger("concurrent.futures")
    logger.addFilter(_is_news)
    try:
        yield
    finally:
        logger.removeFilter(_is_news)


@contextmanager
def replaced() -> Iterator[None]:
    """Make threads that are started under control processes of the run."""
    ours: dict[str, Any] = {"start": _start, "join": _join, "is_alive": _is_alive, "__hash__": _hash}
    before = {name: vars(threading.Thread).get(name) for name in ours}
    for name, method in ours.items():
        setattr(threading.Thread, name, method)
    try:
        with _quiet():
            yield
    finally:
        for name, method in before.items():
            if method is None:  # inherited
                delattr(threading.Thread, name)
            else:
                setattr(threading.Thread, name, method)
