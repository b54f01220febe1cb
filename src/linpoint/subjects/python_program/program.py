# SPDX-License-Identifier: Apache-2.0
"""A Python file with its arguments, compiled once and run many times."""

from __future__ import annotations

import ast
import hashlib
import linecache
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from linpoint.errors import TestError
from linpoint.explore.python_control.shared_names import shared_names

_OTHERS: Final = (".cpp", ".cc", ".cxx", ".c++", ".C", ".c", ".hpp", ".h")
_REMEDY: Final = "Use a file that `python FILE` runs."


@dataclass(frozen=True, slots=True)
class PythonProgram:
    """A compiled program. ``file`` is the path as the user wrote it."""

    file: str
    args: tuple[str, ...]
    path: str
    """The absolute path."""
    code: types.CodeType = field(repr=False)
    digest: str
    """The digest of the source, which shows whether it has changed since a finding."""


def load_program(file: str, args: tuple[str, ...] = ()) -> PythonProgram:
    """Read and compile a program without running it."""
    if Path(file).suffix in _OTHERS:
        raise TestError(
            "LP-T031", "this is not a program in Python, C or C++.", place=file, remedy="Use a .py, .c or .cpp file."
        )
    path = Path(file).resolve()
    try:
        source = path.read_bytes()
    except FileNotFoundError:
        raise TestError(
            "LP-T030", "there is no such file.", place=file, remedy="Give the path of a Python program."
        ) from None
    except OSError as error:
        raise TestError("LP-T030", f"it cannot be read: {error.strerror}.", place=file, remedy=_REMEDY) from None
    try:
        code = compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        place = f"{file}:{error.lineno}" if error.lineno else file
        raise TestError("LP-T030", f"{type(error).__name__}: {error.msg}.", place=place, remedy=_REMEDY) from None
    except (ValueError, RecursionError, MemoryError) as error:  # such as a null byte
        raise TestError("LP-T030", f"it does not compile: {error}.", place=file, remedy=_REMEDY) from None
    linecache.checkcache(str(path))
    shared_names.cache_clear()  # a file of the same name may have had other content
    if any(name.partition(".")[0] == "asyncio" for name in _imported(source)):
        raise TestError(
            "LP-T031",
            "it imports asyncio, but this version explores threads only.",
            place=file,
            remedy="Remove the event loop from the explored program.",
        )
    return PythonProgram(file, args, str(path), code, hashlib.sha256(source).hexdigest()[:16])


def _imported(source: bytes) -> Iterator[str]:
    """The modules that the import statements of a source name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def cannot_be_loaded(program: PythonProgram, error: BaseException) -> TestError:
    """The error for a program that fails while it imports modules."""
    text = str(error).rstrip(".")
    return TestError("LP-T030", f"{type(error).__name__}: {text}.", place=program.file, remedy=_REMEDY)
