# SPDX-License-Identifier: Apache-2.0
"""The program's own modules, which are loaded anew for each run since they hold state.

They are the modules whose code is interleaved, except packages with C extensions, which cannot be loaded twice, and
modules that were loaded before. Guarantee: each run starts with none of them loaded. Cost: a module is compiled once,
and its code runs each time.
"""

from __future__ import annotations

import importlib.machinery
import sys
import types
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager

from linpoint.explore.python_control.instrumented_files import InstrumentedFiles, is_standard


class _Keeping(importlib.machinery.SourceFileLoader):
    """Loads a module from cached code, so that analyses of the code object stay valid."""

    def __init__(self, name: str, path: str, kept: dict[str, types.CodeType]) -> None:
        super().__init__(name, path)
        self._kept = kept

    def get_code(self, fullname: str) -> types.CodeType | None:
        """The cached code of the module, compiled at the first call."""
        code = self._kept.get(self.path)
        if code is None:
            code = super().get_code(fullname)
            if code is not None:
                self._kept[self.path] = code
        return code


class OwnModules:
    """Finds the program's own modules as it imports them."""

    def __init__(self, selection: Container[str] | None = None) -> None:
        self.files: set[str] = set()
        """The files of the modules that were loaded."""
        self._selection = InstrumentedFiles() if selection is None else selection
        self._code: dict[str, types.CodeType] = {}
        self._before = frozenset(sys.modules)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A finder for ``sys.meta_path``: Python's own result, with a loader that caches code."""
        found = importlib.machinery.PathFinder.find_spec(name, path, target)
        if found is None or type(found.loader) is not importlib.machinery.SourceFileLoader or not found.origin:
            return found
        if found.origin in self._selection and not is_standard(found.origin):
            self.files.add(found.origin)
            found.loader = _Keeping(name, found.origin, self._code)
        return found

    @contextmanager
    def found(self) -> Iterator[None]:
        """Install the finder for the duration of the block."""
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)

    def forget(self) -> None:
        """Unload the modules, so that the next run loads them again."""
        new = {name: module for name, module in sys.modules.items() if name not in self._before}
        in_c = {name.partition(".")[0] for name, module in new.items() if _is_in_c(module)}
        for name, module in new.items():
            top = name.partition(".")[0]
            if top not in in_c and isinstance(getattr(module, "__loader__", None), _Keeping):
                del sys.modules[name]


def _is_in_c(module: types.ModuleType) -> bool:
    return isinstance(getattr(module, "__loader__", None), importlib.machinery.ExtensionFileLoader)
