# SPDX-License-Identifier: Apache-2.0
"""Describes what a task waits for: the line of the program that awaits, and the asyncio object it awaits.

A suspended coroutine refers to the coroutine that it awaits, and so on down to a future. The innermost frame of the
program gives the line, and the first asyncio frame beneath it gives the object: ``Pool.free.acquire()``,
``asyncio.sleep(1)``. No code of the program runs: its variables and attributes are read as they are.
"""

from __future__ import annotations

import asyncio
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_ASYNCIO: Final = str(Path(asyncio.__file__).parent)
_OWN: Final = str(Path(__file__).parent)
_CONTEXT_METHODS: Final = ("__aenter__", "__aexit__")
_ARGUMENTS: Final = {"sleep": "delay", "wait_for": "timeout"}


@dataclass(frozen=True, slots=True)
class AwaitedObject:
    """The object that a task waits for, and the frame of the program that awaits it, if any."""

    what: str
    frame: types.FrameType | None


def awaited_by(task: asyncio.Task[Any]) -> AwaitedObject:
    """What a suspended task waits for."""
    frames = list(_frames(task.get_coro()))
    inside = [at for at, frame in enumerate(frames) if not frame.f_code.co_filename.startswith((_ASYNCIO, _OWN))]
    mine = frames[inside[-1]] if inside else None
    beneath = frames[inside[-1] + 1 :] if inside else frames
    for frame in beneath:
        if frame.f_code.co_name not in _CONTEXT_METHODS and frame.f_code.co_filename.startswith(_ASYNCIO):
            return AwaitedObject(_call(frame, mine), mine)
    return AwaitedObject(_future(getattr(task, "_fut_waiter", None)), mine)


def _frames(awaitable: Any) -> Iterator[types.FrameType]:
    """The frames of a suspended coroutine, outermost first."""
    while awaitable is not None:
        for kind, inner in (("cr", "cr_await"), ("gi", "gi_yieldfrom"), ("ag", "ag_await")):
            frame = getattr(awaitable, f"{kind}_frame", None)
            if frame is not None:
                yield frame
                awaitable = getattr(awaitable, inner)
                break
        else:
            return


def _call(frame: types.FrameType, mine: types.FrameType | None) -> str:
    name = frame.f_code.co_name
    subject = frame.f_locals.get("self")
    if subject is None:
        argument = frame.f_locals.get(_ARGUMENTS.get(name, ""))
        return f"asyncio.{name.lstrip('_')}({'' if argument is None else argument})"
    return f"{_name(subject, mine)}.{name}()"


def _name(thing: Any, frame: types.FrameType | None) -> str:
    """The name of an object in a frame: an attribute of one of its variables, or a variable; otherwise its type."""
    variables = {} if frame is None else dict(frame.f_locals)
    for value in variables.values():
        attributes = getattr(value, "__dict__", {})
        for attribute, each in list(attributes.items()) if isinstance(attributes, dict) else ():
            if each is thing:
                return f"{type(value).__name__}.{attribute}"
    return next((name for name, value in variables.items() if value is thing), type(thing).__name__)


def _future(future: Any) -> str:
    if future is None:
        return "another turn"
    if isinstance(future, asyncio.Task):
        return f"the task {future.get_name()}"
    return "asyncio.gather()" if type(future).__name__ == "_GatheringFuture" else "a future"
