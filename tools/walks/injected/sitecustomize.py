# SPDX-License-Identifier: Apache-2.0
"""Trace calls between modules of linpoint in this process; Python imports this file automatically from the path.

Each process writes one file when it sends a message and when it ends: its modules with the time of their first call, and the calls
from one module to another with their counts. Calls while a module is imported do not count.
"""

import atexit
import inspect
import json
import os
import sys
import threading
import time
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_DIRECTORY = os.environ.get("LINPOINT_WALK_DIRECTORY", "")
_PACKAGE = f"{os.sep}linpoint{os.sep}"
_NO_CALLS = ("<module>", "<genexpr>")
"""An import is not a call, and the elements of a generator expression are data for its consumer."""
_calls: dict[tuple[CodeType, CodeType], int] = {}
_first_calls: dict[CodeType, float] = {}
_modules: dict[CodeType, str | None] = {}
_LIBRARIES = tuple({*map(os.path.realpath, (sys.prefix, sys.base_prefix)), sys.prefix, "<frozen", "<string", "<attrs"})
_of_user: dict[CodeType, bool] = {}
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_first_instructions: dict[CodeType, int] = {}


def _module(frame: FrameType) -> str | None:
    """The module of linpoint that a frame belongs to; ``None`` for any other code."""
    code = frame.f_code
    try:
        return _modules[code]
    except KeyError:
        name = frame.f_globals.get("__name__", "")
        ours = _PACKAGE in code.co_filename and (name == "linpoint" or name.startswith("linpoint."))
        _modules[code] = name if ours else None
        return _modules[code]


def _profile(frame: FrameType, event: str, _: Any) -> None:
    if event != "call" or _module(frame) is None or frame.f_code.co_name in _NO_CALLS:
        return
    code, caller = frame.f_code, _caller(frame)
    if code.co_flags & _GENERATORS and _first_instructions.setdefault(code, frame.f_lasti) != frame.f_lasti:
        return  # it is resumed, or closed by unrelated code
    pair = None if caller is None else (caller.f_code, code)
    if pair in _calls:
        _calls[pair] += 1
    elif not _is_import(caller):
        _first_calls.setdefault(code, time.monotonic())
        if pair is not None:
            _calls[pair] = 1


def _caller(frame: FrameType) -> FrameType | None:
    """The nearest frame below that is of linpoint; ``None`` if user code is nearer, which makes its own calls."""
    caller = frame.f_back
    while caller is not None and _module(caller) is None:
        if _is_of_user(caller.f_code):
            return None
        caller = caller.f_back
    return caller


def _is_of_user(code: CodeType) -> bool:
    try:
        return _of_user[code]
    except KeyError:
        _of_user[code] = not code.co_filename.startswith(_LIBRARIES)
        return _of_user[code]


def _is_import(frame: FrameType | None) -> bool:
    """Whether a frame runs while a module of linpoint is imported."""
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = _caller(frame)
    return frame is not None


def _name(code: CodeType) -> list[str]:
    return [_modules[code] or "", code.co_qualname]


def _save() -> None:
    walk = {
        "first": [[*_name(code), at] for code, at in list(_first_calls.items())],
        "calls": [[*_name(caller), *_name(callee), count] for (caller, callee), count in list(_calls.items())],
    }
    path = Path(_DIRECTORY, f"{os.getpid()}.json")
    path.with_suffix(".part").write_text(json.dumps(walk), encoding="utf-8")
    path.with_suffix(".part").replace(path)  # atomically: the process may be killed here


def _start() -> None:
    exit_immediately, write = os._exit, os.write

    def save_and_exit(code: int) -> None:
        sys.setprofile(None)
        _save()
        exit_immediately(code)

    def save_and_write(descriptor: int, data: bytes) -> int:
        _save()  # a worker may be killed once its answer was read
        return write(descriptor, data)

    os._exit = save_and_exit  # type: ignore[assignment]
    os.write = save_and_write  # type: ignore[assignment]
    atexit.register(_save)
    threading.setprofile(_profile)
    sys.setprofile(_profile)


if _DIRECTORY:
    _start()
