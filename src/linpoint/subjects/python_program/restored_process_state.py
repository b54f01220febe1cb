# SPDX-License-Identifier: Apache-2.0
"""Gives each run of a program the same process state: arguments, streams, environment, threads.

Guarantee: leaving the block of a run restores the previous state. Cost: some tens of microseconds.
"""

from __future__ import annotations

import atexit
import collections
import io
import itertools
import logging
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator
from concurrent.futures import thread as pool_threads  # its global state must be reset
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from linpoint.explore.python_control.controlled_threads import under_control
from linpoint.subjects.python_program.program import PythonProgram

_MAX_OUTPUT_CHARS: Final = 16_384
_ENCODING: Final = "utf-8"


class CapturedOutput(io.RawIOBase):
    """Keeps the last lines that a program prints to any of its streams."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: collections.deque[bytes] = collections.deque()
        self._size = 0
        self.stream = io.TextIOWrapper(io.BufferedWriter(self), encoding=_ENCODING, errors="backslashreplace")
        """The text stream that the program writes to."""

    def writable(self) -> bool:
        """Always True."""
        return True

    def write(self, data: Any) -> int:
        """Append ``data`` and discard old output."""
        part = bytes(data)
        self._parts.append(part)
        self._size += len(part)
        while len(self._parts) > 1 and self._size - len(self._parts[0]) >= _MAX_OUTPUT_CHARS:
            self._size -= len(self._parts.popleft())
        return len(part)

    def lines(self, most: int) -> tuple[str, ...]:
        """The last lines of the output."""
        if not self.stream.closed:
            self.stream.flush()
        text = b"".join(self._parts)[-_MAX_OUTPUT_CHARS:].decode(_ENCODING, errors="replace")
        return tuple(text.splitlines()[-most:])


class AtExit:
    """Functions that the program registered to be called at its end."""

    def __init__(self) -> None:
        self._functions: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = []

    def register(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """Register a function, as ``atexit.register`` does."""
        if not callable(function):
            raise TypeError("the first argument must be callable")
        self._functions.append((function, args, kwargs))
        return function

    def unregister(self, function: Callable[..., Any], /) -> None:
        """Unregister a function, as ``atexit.unregister`` does."""
        self._functions = [each for each in self._functions if each[0] != function]

    def run(self) -> None:
        """Call the functions in reverse order of registration."""
        while self._functions:
            function, args, kwargs = self._functions.pop()
            function(*args, **kwargs)


@contextmanager
def isolated_process(
    program: PythonProgram, main: types.ModuleType, printed: CapturedOutput, at_exit: AtExit
) -> Iterator[None]:
    """Isolate the state of the process for the block of one run."""
    with ExitStack() as stack:
        stack.enter_context(_fresh_process())
        stack.enter_context(_fresh_threading())
        for holder, name, value in (
            (sys, "argv", [program.file, *program.args]),
            (sys, "path", [str(Path(program.path).parent), *sys.path[1:]]),
            (sys, "stdin", io.TextIOWrapper(io.BytesIO(), encoding=_ENCODING)),
            (sys, "stdout", printed.stream),
            (sys, "stderr", printed.stream),
            (sys, "excepthook", sys.excepthook),
            (threading, "excepthook", threading.excepthook),
            (atexit, "register", at_exit.register),
            (atexit, "unregister", at_exit.unregister),
            (signal, "signal", _handler()),
        ):
            stack.callback(setattr, holder, name, getattr(holder, name))
            setattr(holder, name, value)
        stack.callback(sys.modules.__setitem__, "__main__", sys.modules["__main__"])
        sys.modules["__main__"] = main
        yield


def _handler() -> Callable[..., Any]:
    """A ``signal.signal`` without effect: the program's main thread is a pool thread here and gets no signals."""
    real, handlers = signal.signal, dict[int, Any]()

    def handle(number: int, handler: Any) -> Any:
        if not under_control():
            return real(number, handler)
        before = handlers.get(number, signal.getsignal(number))
        handlers[number] = handler
        return before

    return handle


@contextmanager
def _fresh_process() -> Iterator[None]:
    """Restore the environment, the current directory and the logging configuration after the block."""
    directory, environment = os.getcwd(), dict(os.environ)  # noqa: PTH109 - as the process has it
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        if os.environ != environment:
            os.environ.clear()
            os.environ.update(environment)
        os.chdir(directory)


@contextmanager
def _fresh_threading() -> Iterator[None]:
    """Reset thread counters, the registered threads and the state of thread pools."""
    fresh: tuple[tuple[types.ModuleType, str, Any], ...] = (
        (threading, "_counter", itertools.count(1).__next__),
        (threading, "_active", {}),
        (pool_threads, "_shutdown", False),
        (pool_threads, "_threads_queues", {}),
    )
    before = [getattr(module, name) for module, name, _ in fresh]
    counter = itertools.count().__next__
    pool_threads.ThreadPoolExecutor._counter = counter  # type: ignore[attr-defined]  # noqa: SLF001 - names of threads
    for module, name, value in fresh:
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name, _), value in zip(fresh, before, strict=True):
            setattr(module, name, value)
