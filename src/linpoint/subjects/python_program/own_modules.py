# SPDX-License-Identifier: Apache-2.0
"""Modules of a program's own, loaded afresh for each run, since they hold state.

Its own are those whose code is interleaved, but for packages with parts in C, which cannot be loaded twice, and for what
was there before. Guarantee: each run finds none of them loaded. Cost: a module is compiled once, and its code runs each time.
"""

from __future__ import annotations

import importlib.machinery
import sys
import types
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager

from linpoint.explore.python_control.instrumented_files import InstrumentedFiles, is_standard


class _Keeping(importlib.machinery.SourceFileLoader):
    """Loads a module from code that was compiled before: what is known of the code stays known."""

    def __init__(self, name: str, path: str, kept: dict[str, types.CodeType]) -> None:
        super().__init__(name, path)
        self._kept = kept

    def get_code(self, fullname: str) -> types.CodeType | None:
        """The code of the module."""
        code = self._kept.get(self.path)
        if code is None:
            code = super().get_code(fullname)
            if code is not None:
                self._kept[self.path] = code
        return code


class OwnModules:
    """The program's own modules, by what it imports."""

    def __init__(self, selection: Container[str] | None = None) -> None:
        self.files: set[str] = set()
        """Of the modules that were loaded."""
        self._selection = InstrumentedFiles() if selection is None else selection
        self._code: dict[str, types.CodeType] = {}
        self._before = frozenset(sys.modules)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A finder of ``sys.meta_path``: what Python would find, with a loader that keeps code."""
        found = importlib.machinery.PathFinder.find_spec(name, path, target)
        if found is None or type(found.loader) is not importlib.machinery.SourceFileLoader or not found.origin:
            return found
        if found.origin in self._selection and not is_standard(found.origin):
            self.files.add(found.origin)
            found.loader = _Keeping(name, found.origin, self._code)
        return found

    @contextmanager
    def found(self) -> Iterator[None]:
        """Find modules this way in the block."""
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)

    def forget(self) -> None:
        """Let the next run load its modules again."""
        new = {name: module for name, module in sys.modules.items() if name not in self._before}
        in_c = {name.partition(".")[0] for name, module in new.items() if _is_in_c(module)}
        for name, module in new.items():
            top = name.partition(".")[0]
            if top not in in_c and isinstance(getattr(module, "__loader__", None), _Keeping):
                del sys.modules[name]


def _is_in_c(module: types.ModuleType) -> bool:
    return isinstance(getattr(module, "__loader__", None), importlib.machinery.ExtensionFileLoader)
