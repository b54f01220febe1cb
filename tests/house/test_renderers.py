# SPDX-License-Identifier: Apache-2.0
"""Functions named in a single table render every kind of result in every format."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

import linpoint  # registers the renderers
from linpoint.verdicts.coverage import COUNTS
from linpoint.verdicts.renderers import registered_renderers

PACKAGE: Final = Path(linpoint.__file__).parent
RENDERERS: Final = registered_renderers()
FORMATS: Final = ("text", "json", "html")
WITHOUT_PAGE: Final = ("program", "stress")
"""Kinds whose commands write only an overview page."""
REGISTRIES: Final = ("verdicts/renderers.py", "cli/command_builder.py")
LOADERS_OF_OTHERS: Final = (
    "specs/user_modules.py",  # modules of the user
    "histories/formats/parquet_arrow.py",  # optional packages
    "explore/python_control/stdlib_patches.py",  # modules of the standard library
)


@pytest.mark.parametrize("target", sorted(RENDERERS.values()))
def test_each_name_in_the_table_is_a_function(target: str) -> None:
    module, _, name = target.partition(":")
    assert callable(getattr(import_module(module), name))


def test_each_kind_has_each_format() -> None:
    kinds = {"history", *COUNTS}
    assert kinds == {kind for kind, _ in RENDERERS}
    wanted = {(kind, format) for kind in kinds for format in FORMATS}
    assert wanted - RENDERERS.keys() == {(kind, "html") for kind in WITHOUT_PAGE}


def test_only_registries_import_by_name() -> None:
    """The layer check cannot see imports by name, so they go through a table whose names a test resolves."""
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if any(_imports_by_name(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == {*REGISTRIES, *LOADERS_OF_OTHERS}


def _imports_by_name(node: ast.AST) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("import_module", "__import__")
