# SPDX-License-Identifier: Apache-2.0
"""Names of code, as users write them: C and C++ sources, and specs of their own. Nothing is opened."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

_CPP_SOURCES: Final = (".cpp", ".cc", ".cxx", ".c++", ".C")
_C_SOURCE: Final = ".c"


def is_cpp(name: str) -> bool:
    """Whether a file is a C++ source, by its name."""
    return PurePath(name).suffix in _CPP_SOURCES


def is_source(name: str) -> bool:
    """Whether a file is a source of a program in C or C++, by its name."""
    return is_cpp(name) or PurePath(name).suffix == _C_SOURCE


def split_user_spec(spec: str) -> tuple[str, str] | None:
    """The file or module and the name of a user's spec; None for a built-in one, whose parameters may have colons."""
    module, colon, name = spec.rpartition(":")
    return (module, name) if colon and "(" not in module else None
