# SPDX-License-Identifier: Apache-2.0
"""The user's C++ compiler: the requested one, that of ``$CXX``, or else g++ or clang++.

Guarantee: two compilers have the same identity only if they are the same version of the same program.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from linpoint.errors import TestError
from linpoint.processes.command_runner import run

_USUAL: Final = ("g++", "clang++")
_MACROS: Final = (("__clang__", "clang"), ("__GNUG__", "gcc"))  # clang defines both
_INSTALL: Final = "Install g++ or clang++ (Debian: apt install g++), or set --compiler or $CXX."


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler that can be run."""

    words: tuple[str, ...]
    """The command, which may begin with a wrapper such as ccache."""
    family: str
    """``gcc`` or ``clang``."""
    version: str
    identity: str
    """A digest that distinguishes what this compiler has built from what others have built."""

    @property
    def name(self) -> str:
        """The command as text."""
        return " ".join(self.words)


def find_compiler(asked: str | None = None) -> Compiler:
    """The compiler to use; raises a coded error if there is none."""
    if asked is not None:
        return _compiler(asked, "--compiler")
    named = os.environ.get("CXX", "").strip()
    if named:
        return _compiler(named, "$CXX")
    for name in _USUAL:
        if shutil.which(name):
            return _compiler(name, "PATH")
    raise TestError("LP-T034", "no C++ compiler was found: neither g++ nor clang++.", remedy=_INSTALL)


def _compiler(named: str, by: str) -> Compiler:
    try:
        words = tuple(shlex.split(named))
    except ValueError:
        words = ()
    paths = [shutil.which(word) for word in words if not word.startswith("-")]
    if not words or paths[:1] in ([], [None]):
        raise TestError("LP-T034", f"{by} names {named!r}, which was not found.", remedy=_INSTALL)
    macros = run([*words, "-x", "c++", "-dM", "-E", os.devnull])
    family = next((family for name, family in _MACROS if f"#define {name} " in macros.text), "")
    if macros.code or not family:
        raise TestError("LP-T034", f"{by} names {named!r}, which is neither g++ nor clang++.", remedy=_INSTALL)
    version = run([*words, "--version"]).text
    # The same compiler has several names, such as c++, g++ and /usr/bin/g++-12, and reports the one by which it was
    # called. But clang and clang++ are the same file.
    parts = [word if word.startswith("-") else str("++" in Path(word).name) for word in words]
    parts += [version.partition(" ")[2], macros.text]
    for path in filter(None, paths):
        real = Path(path).resolve()
        parts += [str(real), str(real.stat().st_size), str(real.stat().st_mtime_ns)]
    identity = hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
    return Compiler(words, family, version.splitlines()[0], identity)
