# SPDX-License-Identifier: Apache-2.0
"""Selects the code that is interleaved: code of the user and of packages, and data structures of the standard library.

The rest of the standard library, test tools and linpoint itself are not interleaved: a call of them is one step.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any, Final

_STANDARD: Final = tuple(str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "platstdlib"))
_PACKAGES: Final = tuple(str(Path(sysconfig.get_path(name)).resolve()) for name in ("purelib", "platlib"))
_OWN: Final = str(Path(importlib.util.find_spec("linpoint").origin or "").resolve().parent)  # type: ignore[union-attr]
_DEMO: Final = "cli/demo_data/"
"""The one part of linpoint that stands for user code."""
_KEEPING_DATA: Final = frozenset(
    ("collections", "_collections_abc", "weakref", "_weakrefset", "functools", "heapq", "bisect")
)
"""Modules of the standard library whose objects are shared between threads."""
_FROZEN: Final = "<frozen"
"""Prefix of the file names of modules that are built into the interpreter."""
_ON_LOCKS: Final = frozenset(
    ("threading.py", "queue.py", "concurrent/futures/thread.py", "concurrent/futures/_base.py", "contextlib.py")
)
_TOOLS: Final = frozenset(
    ("pytest", "_pytest", "pluggy", "hypothesis", "xdist", "execnet", "coverage", "rich", "typer", "click", "nanobind")
)


@functools.cache
def _resolved(file: str) -> str:
    return str(Path(file).resolve()) if not file.startswith("<") else file


def _within(path: str, directories: tuple[str, ...]) -> str | None:
    for directory in directories:
        if path.startswith(directory + "/"):
            return path[len(directory) + 1 :]
    return None


def is_standard(file: str) -> bool:
    """Whether a file belongs to the standard library."""
    path = _resolved(file)
    return _within(path, _PACKAGES) is None and _within(path, _STANDARD) is not None


def is_of_user(file: str) -> bool:
    """Whether a file belongs neither to the standard library nor to linpoint."""
    return not (file.startswith(_FROZEN) or is_standard(file) or _is_ours(_resolved(file)))


def _is_ours(path: str) -> bool:
    own = _within(path, (_OWN,))
    return own is not None and not own.startswith(_DEMO)


class InstrumentedFiles:
    """The set of files whose code is interleaved. ``more`` are modules, packages, classes or files to add."""

    def __init__(self, more: tuple[Any, ...] = ()) -> None:
        self._more = tuple(_file_of(each) for each in more)
        self._known: dict[str, bool] = {}

    def __contains__(self, file: str) -> bool:
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._decide(_resolved(file))
        return known

    @staticmethod
    def makes_points(file: str) -> bool:
        """Whether code that is not interleaved makes scheduling points itself, because it rests on controlled locks."""
        path = _resolved(file)
        inside = _within(path, _STANDARD)
        importing = path.startswith((f"{_FROZEN} importlib", f"{_FROZEN} zipimport"))
        return _within(path, (_OWN,)) is not None or inside in _ON_LOCKS or importing

    def _decide(self, path: str) -> bool:
        if any(path == each or path.startswith(each + "/") for each in self._more):
            return True
        if path.startswith(_FROZEN):
            return path.removeprefix(_FROZEN).strip(" >") in _KEEPING_DATA
        if _is_ours(path):
            return False
        inside = _within(path, _PACKAGES)
        if inside is not None:
            return inside.split("/")[0].removesuffix(".py") not in _TOOLS
        inside = _within(path, _STANDARD)
        return inside is None or inside.split("/")[0].removesuffix(".py") in _KEEPING_DATA


def _file_of(thing: Any) -> str:
    """The file of a module, class or function, or the directory of a package; a path as it is."""
    if isinstance(thing, types.ModuleType):
        file = thing.__file__ or ""
        return str(Path(file).resolve().parent if file.endswith("__init__.py") else Path(file).resolve())
    module = getattr(thing, "__module__", None)
    if module is not None and not isinstance(thing, (str, Path)):
        return _file_of(sys.modules[module])
    return str(Path(thing).resolve())
