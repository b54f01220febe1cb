# SPDX-License-Identifier: Apache-2.0
"""The cache of builds: directories in the user's cache directory, named by content, so that nothing is built twice.

Guarantee: an existing directory is complete and never changes; concurrent builders do not see each other's unfinished
work. Builds that have not been used for weeks are removed.
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
def cache_directory() -> Path:
    """The cache directory; a temporary one of this process if the user's cannot be written."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(named) if Path(named).is_absolute() else Path(os.path.expanduser("~/.cache"))  # noqa: PTH111 - may fail
    directory = base / "linpoint"
    with suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True)
        if os.access(directory, os.W_OK | os.X_OK):
            return directory
    own = Path(tempfile.mkdtemp(prefix="linpoint-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own


def digest(parts: Iterable[str | bytes]) -> str:
    """A name for some content."""
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
    """A new directory for building, on the same disk as the cache; removed after the block unless it was stored."""
    shelf = cache_directory() / kind
    shelf.mkdir(exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix=".building-", dir=shelf))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def store(directory: Path, kind: str, name: str) -> Path:
    """Move a complete directory into the cache; if another builder was faster, its directory is used."""
    kept = cache_directory() / kind / name
    with suppress(OSError):  # it exists already
        directory.rename(kept)
    _forget_old(kept.parent)
    return kept


def lookup(kind: str, name: str) -> Path | None:
    """The cached directory of this name, if it exists."""
    found = cache_directory() / kind / name
    if not found.is_dir():
        return None
    with suppress(OSError):
        os.utime(found)
    return found


@contextmanager
def build_lock(kind: str, name: str) -> Iterator[None]:
    """Exclude other builders of the same name within the block: for work too long to be done twice concurrently."""
    shelf = cache_directory() / kind
    shelf.mkdir(exist_ok=True)
    with (shelf / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _forget_old(shelf: Path) -> None:
    """Remove builds that have not been used for long."""
    before = time.time() - _MAX_AGE_S
    for each in shelf.iterdir():
        with suppress(OSError):
            if each.stat().st_mtime < before:
                shutil.rmtree(each) if each.is_dir() else each.unlink()
