# SPDX-License-Identifier: Apache-2.0
"""Where what was built is kept: the user's cache directory, by content, so that nothing is built twice.

Guarantee: a folder that is there is whole, and never changes; builders at the same time do not see each other's work
before it is done. What was not used for weeks is removed.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

_MAX_AGE_S: Final = 14 * 24 * 3600.0
_DIGEST_CHARS: Final = 32


@cache
def cache_folder() -> Path:
    """The folder for what is kept; a temporary one of this process where the user's cannot be written."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(named) if Path(named).is_absolute() else Path(os.path.expanduser("~/.cache"))  # noqa: PTH111 - may fail
    folder = base / "linpoint"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    own = Path(tempfile.mkdtemp(prefix="linpoint-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own


def digest(parts: Iterable[str | bytes]) -> str:
    """A name for content."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        found.update(f"{len(data)}:".encode())
        found.update(data)
    return found.hexdigest()[:_DIGEST_CHARS]


def file_digest(path: str | Path) -> str:
    """A name for the content of a file; empty if it cannot be read."""
    try:
        return digest([Path(path).read_bytes()])
    except OSError:
        return ""


@contextmanager
def building(kind: str) -> Iterator[Path]:
    """A new folder to build in, on the same disk as what is kept; gone after the block unless it was kept."""
    shelf = cache_folder() / kind
    shelf.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".building-", dir=shelf))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def store(folder: Path, kind: str, name: str) -> Path:
    """Keep a folder that is whole; where another builder was faster, its own is taken."""
    kept = cache_folder() / kind / name
    with suppress(OSError):  # it is there already
        folder.rename(kept)
    _forget_old(kept.parent)
    return kept


def lookup(kind: str, name: str) -> Path | None:
    """The folder that was kept by this name, if it is there."""
    found = cache_folder() / kind / name
    if not found.is_dir():
        return None
    with suppress(OSError):
        os.utime(found)
    return found


@contextmanager
def build_lock(kind: str, name: str) -> Iterator[None]:
    """Nobody else is in a block of the same name: for work that is too long to be done twice at a time."""
    shelf = cache_folder() / kind
    shelf.mkdir(exist_ok=True)
    with (shelf / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _forget_old(shelf: Path) -> None:
    """Remove what nobody has used for long."""
    before = time.time() - _MAX_AGE_S
    for each in shelf.iterdir():
        with suppress(OSError):
            if each.stat().st_mtime < before:
                shutil.rmtree(each) if each.is_dir() else each.unlink()
