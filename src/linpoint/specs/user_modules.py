# SPDX-License-Identifier: Apache-2.0
"""Loads users' modules, by path or by name. Loading one runs it, and happens only because the user has named it."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linpoint.errors import SpecError


def load_user_module(module: str) -> Any:
    """Load the module at a path or with a name. The working directory is searched first."""
    if module.endswith(".py"):
        path = Path(module)
        if not path.is_file():
            raise SpecError("LP-S005", "there is no such file.", place=module, remedy="Give the path of a Python file.")
        return _private(path.stem, path, path.parent.resolve())
    here = Path.cwd()
    top, _, rest = module.partition(".")
    path = next((each for each in (here / top / "__init__.py", here / f"{top}.py") if each.is_file()), here)
    if path == here or not _taken(top, path):
        with _first_on_path(here):
            return importlib.import_module(module)
    loaded = _private(top, path, here)
    with _first_on_path(here):
        return importlib.import_module(f"{loaded.__name__}.{rest}") if rest else loaded


def _taken(name: str, path: Path) -> bool:
    """Whether an import of ``name`` would load a module other than ``path``, or replace a module that others import.

    The latter: under its own name a user's queue.py would become the ``queue`` that modules of the standard library
    import.
    """
    if name in sys.stdlib_module_names:
        return True
    loaded = sys.modules.get(name)
    return loaded is not None and Path(getattr(loaded, "__file__", None) or "").resolve() != path.resolve()


def _private(name: str, path: Path, folder: Path) -> Any:
    """Run the module or package at ``path`` under a private name. It can import modules in ``folder``."""
    alias = f"_linpoint_user_{name}"
    inside = [str(path.parent)] if path.name == "__init__.py" else None
    made = importlib.util.spec_from_file_location(alias, path, submodule_search_locations=inside)
    if made is None or made.loader is None:
        raise SpecError("LP-S005", "Python cannot load this file.", place=str(path), remedy="Use a .py file.")
    for old in [each for each in sys.modules if each.startswith(f"{alias}.")]:
        del sys.modules[old]  # parts of a package that was loaded before
    loaded = sys.modules[alias] = importlib.util.module_from_spec(made)
    with _first_on_path(folder):
        try:
            made.loader.exec_module(loaded)
        except BaseException:
            sys.modules.pop(alias, None)
            raise
    return loaded


@contextlib.contextmanager
def _first_on_path(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the user's module may have changed the path itself
            sys.path.remove(str(folder))
