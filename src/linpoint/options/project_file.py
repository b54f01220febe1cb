# SPDX-License-Identifier: Apache-2.0
"""Defaults of a project: ``[tool.linpoint]`` for all commands and ``[tool.linpoint.COMMAND]`` for one.

    [tool.linpoint]
    budget = "2m"

    [tool.linpoint.test]
    memory-model = "tso"
    compiler-flags = ["-O2", "-Iinclude"]

The file is the nearest ``pyproject.toml`` at or above the working directory; its paths are relative to its own
directory.

Guarantee: an unknown key or a wrong value is LP-U001 at its line, and so is a file that another user has put into a
shared directory such as ``/tmp``. A file without these tables is not parsed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from linpoint.errors import LinpointError, UsageError
from linpoint.options.layers import Layer
from linpoint.options.nearest_name import did_you_mean
from linpoint.options.options_base import Options
from linpoint.options.schema import Option, Surface

_FILE: Final = "pyproject.toml"
_TABLE: Final = "tool.linpoint"
_HEADER: Final = re.compile(r"^\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY: Final = re.compile(r"""^\s*["']?([\w.-]+)["']?\s*=""")
COMPILER_FLAGS_KEY: Final = "compiler-flags"
"""The key for the words after ``--``."""


def project_layers(options_class: type[Options], command: str, directory: Path | None = None) -> list[Layer]:
    """The layers of the nearest project file: its general table and the table of the command."""
    if not _toml_options(options_class):
        return []
    try:
        path = _nearest_file(Path.cwd() if directory is None else directory)
        text = "" if path is None else path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # the working directory was removed, or the file is not readable
        return []
    if path is None or "linpoint" not in text:
        return []
    found = _ProjectFile(path, text).layers(options_class, command)
    if found:
        _refuse_foreign(path)
    return found


def _refuse_foreign(path: Path) -> None:
    """Raise LP-U001 for a file of another user in a directory that everybody may write to.

    Such a file may name code, such as a spec.
    """
    directory, owner = path.parent.stat(), path.stat().st_uid
    if directory.st_mode & stat.S_IWOTH and owner not in (0, directory.st_uid, os.geteuid()):
        fact = "the project file belongs to another user, in a directory that every user can write to."
        remedy = "Work in a directory of your own, or add your own pyproject.toml to this one."
        raise UsageError("LP-U001", fact, place=str(path), remedy=remedy)


def _nearest_file(directory: Path) -> Path | None:
    for each in (directory, *directory.parents):
        if (each / _FILE).is_file():
            return each / _FILE
    return None


def toml_key(option: Option) -> str:
    """The key of an option in the project file."""
    return COMPILER_FLAGS_KEY if option.passthrough else option.key


def _toml_options(options_class: type[Options]) -> dict[str, Option]:
    return {
        toml_key(each): each for each in options_class.declared().values() if Surface.TOML in each.surfaces
    }  # fmt: skip


class _ProjectFile:
    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text

    def layers(self, options_class: type[Options], command: str) -> list[Layer]:
        from linpoint.options.commands.registry import options_classes  # noqa: PLC0415 - needed only for a file with a table

        tables = self._tables()
        classes = options_classes()
        general = {key: value for key, value in tables.items() if not (key in classes and isinstance(value, dict))}
        known = {key: each for found in classes.values() for key, each in _toml_options(found).items()}
        for key in general:
            if key not in known:
                raise self._unknown(key, _TABLE, [*known, *classes])
        for name in classes:
            for key in tables.get(name, {}) if isinstance(tables.get(name), dict) else ():
                if key not in _toml_options(classes[name]):
                    raise self._unknown(key, f"{_TABLE}.{name}", _toml_options(classes[name]))
        own = tables.get(command, {})
        parts = ((general, _TABLE), (own if isinstance(own, dict) else {}, f"{_TABLE}.{command}"))
        return [self._layer(options_class, values, table) for values, table in parts if values]

    def _tables(self) -> dict[str, Any]:
        import tomllib  # noqa: PLC0415 - as above

        try:
            found = tomllib.loads(self.text).get("tool", {}).get("linpoint", {})
        except tomllib.TOMLDecodeError as error:
            raise UsageError("LP-U001", f"the project file is not TOML: {error}.", place=str(self._shown)) from None
        if not isinstance(found, dict):
            raise UsageError("LP-U001", f"{_TABLE} is not a table.", place=str(self._shown), remedy="Make it a table.")
        return found

    def _layer(self, options_class: type[Options], values: Mapping[str, Any], table: str) -> Layer:
        known = _toml_options(options_class)
        found = {}
        for key, value in values.items():
            each = known.get(key)
            if each is None:
                continue  # an option of another command
            try:
                read = each.type.read(value, f"{key} =")
            except LinpointError as error:
                raise error.at(self._place(key, table)) from None
            found[each.name] = each.type.in_directory(read, self._shown.parent)
        return Layer(Surface.TOML, found)

    def _unknown(self, key: str, table: str, known: Any) -> UsageError:
        remedy = f"{did_you_mean(key, known)}Use one of: {', '.join(sorted(known))}."
        return UsageError(
            "LP-U001", f"unknown option {key!r} in [{table}].", place=self._place(key, table), remedy=remedy
        )

    def _place(self, key: str, table: str) -> str:
        """The file with the line of a key, or with the line of its table if the key is written differently."""
        header, best = "", 0
        for number, line in enumerate(self.text.splitlines(), 1):
            if found := _HEADER.match(line):
                header = found[1].replace('"', "").replace(" ", "")
                if header in (table, f"{table}.{key}"):
                    best = best or number
                if header == f"{table}.{key}":
                    return f"{self._shown}:{number}"
            elif (found := _KEY.match(line)) and f"{header}.{found[1]}" in (f"{table}.{key}", f".{table}.{key}"):
                return f"{self._shown}:{number}"
        return f"{self._shown}:{best}" if best else str(self._shown)

    @property
    def _shown(self) -> Path:
        """The path of the file, relative to the working directory where that is its directory."""
        return self.path.relative_to(Path.cwd()) if self.path.parent == Path.cwd() else self.path
