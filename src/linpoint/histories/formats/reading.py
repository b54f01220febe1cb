# SPDX-License-Identifier: Apache-2.0
"""From a path to text and back: files, standard input and output, gzip, UTF-8.

Guarantee: whatever is wrong with the bytes is a coded error, and a small file cannot fill the memory: what is
compressed is read up to ``MAX_BYTES``. Cost: O(size).
"""

from __future__ import annotations

import contextlib
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from linpoint.errors import HistoryError, UsageError
from linpoint.histories.formats.format import bad

MAX_BYTES: Final = 2 << 30
"""Most bytes that a compressed file may hold: some 20 million lines."""

STANDARD: Final = "-"
"""The path that means standard input or output."""

_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 24


def read_text(path: str) -> str:
    """The text of a file, decompressed where it is gzip. The place in errors is the line, if there is one."""
    data = _bytes(path)
    if data.startswith(_GZIP):
        data = _decompressed(data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise bad(
            "LP-H017",
            f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8.",
            data.count(b"\n", 0, error.start) + 1,
            "Save the file as UTF-8, plain or gzip-compressed.",
        ) from None
    if not text or text.isspace():
        raise bad("LP-H008", "the file is empty.", None, "Record at least one operation.")
    return text


def write_text(path: str, text: str) -> None:
    """Write a file, gzip-compressed if its name says so. Raises LP-U005 where that is not possible."""
    try:
        data = text.encode()
        if path == STANDARD:
            sys.stdout.write(text)
            return
        if path.endswith(".gz"):
            data = gzip.compress(data, mtime=0)  # the same history gives the same file
        Path(path).write_bytes(data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(
            "LP-U005", f"the file cannot be written: {reason}.", place=path, remedy="Choose another path."
        ) from None


def _bytes(path: str) -> bytes:
    with readable(path):
        return sys.stdin.buffer.read() if path == STANDARD else Path(path).read_bytes()


@contextlib.contextmanager
def readable(path: str) -> Iterator[None]:
    """Around reading a file: whatever the system objects to is LP-H001."""
    try:
        yield
    except FileNotFoundError:
        folder = Path(path).parent
        where = "in the current folder" if folder == Path() else f"in {folder}"
        if not folder.is_dir():
            where = f"because there is no folder {folder}"
        raise bad("LP-H001", f"there is no such file {where}.", None, "Check the path.") from None
    except IsADirectoryError:
        raise bad("LP-H001", "this is a folder, not a file.", None, "Name the files in it.") from None
    except PermissionError:
        raise bad(
            "LP-H001", "you may not read this file.", None, "Change its permissions, or read it as another user."
        ) from None
    except (OSError, ValueError, AttributeError) as error:  # ValueError: a NUL in the path; AttributeError: no stdin
        raise bad("LP-H001", f"the file cannot be read: {error}.", None, "Check the path and the disk.") from None


def _decompressed(data: bytes) -> bytes:
    chunks: list[bytes] = []
    total = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while chunk := file.read(_CHUNK):
                total += len(chunk)
                if total > MAX_BYTES:
                    raise bad(
                        "LP-H011",
                        f"the file holds more than {MAX_BYTES} bytes.",
                        None,
                        "Split it, for instance by key.",
                    )
                chunks.append(chunk)
    except HistoryError:
        raise
    except EOFError:
        raise bad(
            "LP-H010",
            f"the gzip data ends too early, at byte {len(data)}.",
            None,
            "Copy or record the file again.",
        ) from None
    except (OSError, zlib.error, ValueError) as error:
        raise bad(
            "LP-H010",
            f"the gzip data is corrupt: {error}.",
            None,
            "Copy or record the file again.",
        ) from None
    return b"".join(chunks)
