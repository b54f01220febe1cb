# SPDX-License-Identifier: Apache-2.0
"""Classifies names of code as users write them: C and C++ sources, and users' specs. No file is opened."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

_CPP_SOURCES: Final = (".cpp", ".cc", ".cxx", ".c++", ".C")
_C_SOURCE: Final = ".c"


def is_cpp(name: str) -> bool:
    """Whether the name of a file is that of a C++ source."""
    return PurePath(name).suffix in _CPP_SOURCES


def is_source(name: str) -> bool:
    """Whether the name of a file is that of a C or C++ source."""
    return is_cpp(name) or PurePath(name).suffix == _C_SOURCE


def split_user_spec(spec: str) -> tuple[str, str] | None:
    """Split a user's spec into its file or module and its name; None for a built-in.

    The parameters of a built-in may contain colons.
    """
    module, colon, name = spec.rpartition(":")
    return (module, name) if colon and "(" not in module else None
