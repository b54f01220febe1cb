# SPDX-License-Identifier: Apache-2.0
"""Reports resources that are not under control: locks that were created before, and threads that do not return.

A real lock knows nothing of processes that take turns: a process that waits for it waits forever, and a reentrant lock
takes all processes for the same thread. Locks of modules and classes are replaced (``stdlib_patches.py``); using any
other real lock is an error that gives its name, its place and a remedy.
"""

from __future__ import annotations

import _thread
import concurrent.futures.thread
import queue
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from linpoint.errors import TestError
from linpoint.explore import _native_control as native

_LOCKS: Final = (_thread.LockType, _thread.RLock, queue.SimpleQueue)
_INSIDE: Final[tuple[tuple[type, str], ...]] = (
    (threading.Condition, "_lock"),
    (threading.Event, "_cond"),
    (threading.Semaphore, "_cond"),
    (threading.Barrier, "_cond"),
    (queue.Queue, "mutex"),
    (queue._PySimpleQueue, "_count"),  # type: ignore[attr-defined]  # noqa: SLF001 - the replacement of the C class
    (concurrent.futures.thread.ThreadPoolExecutor, "_shutdown_lock"),
)
"""The attribute in which each class of the standard library keeps its lock."""

RESTING_ON_LOCKS: Final = (*(kind for kind, _ in _INSIDE), queue.SimpleQueue)
"""Classes whose objects may have been created before the session; those of SimpleQueue certainly were."""


def real_lock(thing: Any) -> Any:
    """The uncontrolled lock that an object is or rests on; None if there is none."""
    if isinstance(thing, _LOCKS):
        return thing
    for kind, name in _INSIDE:
        if isinstance(thing, kind):
            return real_lock(getattr(thing, name, None))
    return None


def place_of(frame: types.FrameType) -> str:
    """The file and line that a frame executes."""
    return f"{_shown(frame.f_code.co_filename)}:{frame.f_lineno}"


def _shown(file: str) -> str:
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except ValueError:
        return file


def lock_error(thing: Any, frame: types.FrameType) -> TestError:
    """The error for code in a frame that is about to use a real lock, or an object that rests on one."""
    names = list(dict.fromkeys(_names(thing, frame)))
    name = names[0] if names else f"a {type(thing).__qualname__}"
    also = f" ({', '.join(names[1:3])})" if names[1:] else ""
    kind = f"{type(thing).__module__}.{type(thing).__qualname__}"
    return TestError(
        "LP-T021",
        f"{name}{also} is a {kind} that was created before control began.",
        place=place_of(frame),
        remedy="Create it in setup, or import its module under control, as linpoint test does with a test file.",
    )


def _names(thing: Any, frame: types.FrameType) -> Iterator[str]:
    """The names by which it is known: first those that the frame sees, then those in modules, classes and objects."""
    for name, value in frame.f_locals.items():
        if value is thing:
            yield name
        yield from _attributes(name, value, thing)
    for module_name, module in list(sys.modules.items()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is thing:
                yield f"{module_name}.{name}"
            elif getattr(value if isinstance(value, type) else type(value), "__module__", None) == module_name:
                yield from _attributes(f"{module_name}.{name}", value, thing)


def _attributes(name: str, holder: Any, thing: Any) -> Iterator[str]:
    names = getattr(holder, "__dict__", None)
    if isinstance(names, (dict, types.MappingProxyType)):
        yield from (f"{name}.{key}" for key, value in list(names.items()) if value is thing)
    elif names is None:
        slots = getattr(type(holder), "__slots__", ())
        yield from (f"{name}.{key}" for key in slots if isinstance(key, str) and getattr(holder, key, None) is thing)


def fork_error(name: str, frame: types.FrameType) -> TestError:
    """The error for code in a frame that is about to fork a process."""
    return TestError(
        "LP-T026",
        f"os.{name}() creates a process that has only one of the controlled threads.",
        place=place_of(frame),
        remedy="Replace the call in setup, or start programs with the subprocess module.",
    )


def swallow_error() -> TestError:
    """The error for threads that continue although they were stopped."""
    return TestError(
        "LP-T024",
        "an operation catches every exception, including the one that stops it, and runs forever.",
        remedy="Catch Exception where it catches BaseException or everything.",
    )


def stall_error(seconds: float, *, selected: Any) -> TestError:
    """The error for a process without a scheduling point for ``seconds``; ``selected`` are the interleaved files."""
    idents, running = native.control_threads()
    frames = sys._current_frames()  # noqa: SLF001 - of all threads, as debuggers use it
    stacks = {number: _stack(frames[ident]) for number, ident in enumerate(idents) if ident in frames}
    if running is None or not stacks.get(running):
        running = next((number for number, stack in stacks.items() if stack), None)
    stack = stacks.pop(running, []) if running is not None else []
    innermost = next((frame for frame in stack if frame.f_code.co_filename in selected), stack[0] if stack else None)
    where = None if innermost is None else place_of(innermost)
    all_of_them = [(running, stack), *stacks.items()]
    told = "; ".join(f"thread {number}: {_chain(frames)}" for number, frames in all_of_them if frames)
    return TestError(
        "LP-T022",
        f"thread {running} has not returned from {where or 'its last step'} for {seconds:g} s; it waits for something "
        f"that linpoint does not control, or computes forever. Stacks, innermost frame first: {told}.",
        place=where,
        remedy="Replace the wait in setup, add its module to `instrument`, or increase `patience`.",
    )


def _stack(frame: types.FrameType | None) -> list[types.FrameType]:
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found


_MAX_DEPTH: Final = 6


def _chain(stack: list[types.FrameType]) -> str:
    shown = [f"{place_of(frame)} in {frame.f_code.co_name}" for frame in stack[:_MAX_DEPTH]]
    return " < ".join(shown)
