# SPDX-License-Identifier: Apache-2.0
"""Trace calls between modules of linpoint in this process; Python imports this by itself when it is on the path.

Each process writes one file when it ends, however it ends: its modules with the time of their first call, and the calls
from one module to another with their counts. Calls while a module is imported do not count.
"""

import atexit
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
"""An import is no call, and the elements of a generator expression are data for whoever takes them."""
_calls: dict[tuple[CodeType, CodeType], int] = {}
_first_calls: dict[CodeType, float] = {}
_modules: dict[CodeType, str | None] = {}


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
    pair = None if caller is None else (caller.f_code, code)
    if pair in _calls:
        _calls[pair] += 1
    elif not _is_import(caller):
        _first_calls.setdefault(code, time.monotonic())
        if pair is not None:
            _calls[pair] = 1


def _caller(frame: FrameType) -> FrameType | None:
    """The nearest frame below that is of linpoint."""
    caller = frame.f_back
    while caller is not None and _module(caller) is None:
        caller = caller.f_back
    return caller


def _is_import(frame: FrameType | None) -> bool:
    """Whether a frame runs while a module of linpoint is imported."""
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = _caller(frame)
    return frame is not None


def _name(code: CodeType) -> list[str]:
    return [_modules[code] or "", code.co_qualname]


def _write() -> None:
    sys.setprofile(None)
    walk = {
        "first": [[*_name(code), at] for code, at in list(_first_calls.items())],
        "calls": [[*_name(caller), *_name(callee), count] for (caller, callee), count in list(_calls.items())],
    }
    Path(_DIRECTORY, f"{os.getpid()}.json").write_text(json.dumps(walk), encoding="utf-8")


def _start() -> None:
    exit_immediately = os._exit

    def write_and_exit(code: int) -> None:
        _write()
        exit_immediately(code)

    os._exit = write_and_exit  # type: ignore[assignment]
    atexit.register(_write)
    threading.setprofile(_profile)
    sys.setprofile(_profile)


if _DIRECTORY:
    _start()
