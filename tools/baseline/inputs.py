# SPDX-License-Identifier: Apache-2.0
"""The files that commands read: copied out of a tree, so that two installations see the same bytes at the same paths.

Paths matter: replay tokens and build caches contain them. The directory is therefore fixed, and locked while in use.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SOURCES: Final = {
    "examples": ("examples",),
    "data": ("tests/data",),
    "python": ("tests/subjects/python_object/zoo",),
    "cpp": ("tests/subjects/cpp_object/zoo",),
    "programs": ("tests/hosts/programs",),
    "crash": ("tests/crash/zoo",),
    "stress": ("tests/subjects/stress/cpp",),
    "scripts": (str(Path(__file__).parent / "programs"),),
}
"""Name in the directory of a run: candidate places in a tree; the first that exists counts, so add a moved one."""


def source_of(tree: Path, name: str) -> Path:
    """The input directory ``name`` in a tree."""
    for each in SOURCES[name]:
        if (tree / each).is_dir():
            return tree / each
    raise FileNotFoundError(f"{tree} has none of {SOURCES[name]}")


@contextmanager
def prepared_inputs(tree: Path, directory: Path) -> Iterator[Path]:
    """The directory in which commands run, with all inputs in it; it is removed and created anew."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{directory}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(directory, ignore_errors=True)
        for name in SOURCES:
            shutil.copytree(
                source_of(tree, name), directory / name, ignore=shutil.ignore_patterns("__pycache__", ".*", "build")
            )
        yield directory
