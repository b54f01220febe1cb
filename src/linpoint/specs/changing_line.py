# SPDX-License-Identifier: Apache-2.0
"""Finds the line of a user's step that changes the state, by running the step once more, line by line.

Guarantee: never raises. If the change does not occur again, the result is the first line of the function. Cost: one
comparison of the state per line, for at most half a second.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from linpoint.specs.state_copies import StateCopy

_MAX_SECONDS: Final = 0.5


def changing_line(function: Callable[..., Any], state: Any, *args: Any, **keywords: Any) -> str | None:
    """The ``FILE:LINE`` at which a call of ``function`` changes ``state``; None for a function without source."""
    code = getattr(inspect_unwrap(function), "__code__", None)
    if not isinstance(code, CodeType):
        return None
    watcher = _Watcher(code, StateCopy(state))
    before = sys.gettrace()
    sys.settrace(watcher.enter)
    try:
        function(watcher.copy.value, *args, **keywords)
    except Exception:  # noqa: BLE001, S110 - the caller knows what the call raises, since it has made it before
        pass
    finally:
        sys.settrace(before)
    watcher.look()
    file, line = watcher.found or (code.co_filename, code.co_firstlineno)
    return f"{_shown(file)}:{line}"


def inspect_unwrap(function: Callable[..., Any]) -> Any:
    """The plain function inside methods and partial functions."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__func__", function)


class _Watcher:
    """Compares the state before each line of the function's file, and after the last line."""

    def __init__(self, code: CodeType, copy: StateCopy) -> None:
        self.copy = copy
        self.found: tuple[str, int] | None = None
        self._file = code.co_filename
        self._last: tuple[str, int] | None = None
        self._until = time.monotonic() + _MAX_SECONDS

    def enter(self, frame: FrameType, _event: str, _arg: Any) -> Any:
        return self._line if frame.f_code.co_filename == self._file else None

    def look(self) -> None:
        """Record the line that ran last if the state has changed."""
        changed = self.copy.is_changed() or self.copy.changed_object() is not None
        if self.found is None and changed:
            self.found = self._last

    def _line(self, frame: FrameType, event: str, _arg: Any) -> Any:
        if self.found is None and time.monotonic() < self._until:
            self.look()
            if event == "line":
                self._last = (frame.f_code.co_filename, frame.f_lineno)
        return self._line


def _shown(file: str) -> str:
    """The path relative to the working directory, if the file is in it."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return file
