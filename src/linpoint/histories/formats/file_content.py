# SPDX-License-Identifier: Apache-2.0
"""Reads and writes the content of files: standard input and output, gzip, UTF-8.

Guarantee: invalid bytes are a coded error, and a small file cannot exhaust the memory: compressed data is read up to
``MAX_DECOMPRESSED_BYTES``. Cost: O(size).
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
import secrets
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from linpoint.errors import HistoryError, UsageError
from linpoint.histories.formats.file_format import format_error
from linpoint.histories.formats.reading_progress import current_progress
from linpoint.text.shell_commands import STANDARD

MAX_DECOMPRESSED_BYTES: Final = 2 << 30
"""The maximum decompressed size of a compressed file: some 20 million lines."""


_GZIP_MAGIC: Final = b"\x1f\x8b"
_CHUNK_BYTES: Final = 1 << 24
_BLOCK_BYTES: Final = 1 << 18  # stays in the processor's cache between reading and parsing

_LARGE_FILE_BYTES: Final = 1 << 23  # justifies a second thread

HEAD_BYTES: Final = 1 << 16
"""The number of bytes at the beginning of a file that may be needed to detect its format."""


class FileContent:
    """The content of a path, decompressed if it is gzip. Errors have the line as their place, if there is one.

    A plain file is read in blocks, each time it is requested. Content that can be read only once, or is compressed, is
    kept.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._data: bytes | None = None
        self._progress = current_progress()
        self.head = _beginning(path)
        """The beginning of the content."""
        if not self.head or self.head.startswith(_GZIP_MAGIC):
            data = _bytes(path)
            self._data = _decompressed(data) if data.startswith(_GZIP_MAGIC) else data
            self.head = self._data[:HEAD_BYTES]
        self._start = len(codecs.BOM_UTF8) if self.head.startswith(codecs.BOM_UTF8) else 0
        self.head = self.head[self._start :]

    @property
    def size(self) -> int:
        """The number of bytes after a byte order mark, unless the file is changing."""
        there = Path(self._path).stat().st_size if self._data is None else len(self._data)
        return there - self._start

    def parts(self) -> list[Iterator[memoryview]]:
        """The bytes in parts that end with a line, for parallel reading; a large file has two parts.

        A part consists of blocks. A block is valid until the next one is requested.
        """
        self._progress.begin(self.size)
        half = (
            self._line_after(self.size // 2) if self.size >= _LARGE_FILE_BYTES and (os.cpu_count() or 1) > 1 else None
        )
        if half is None:
            return [self.whole()]
        return [self._blocks(self._start, half), self._blocks(half, None)]

    def whole(self) -> Iterator[memoryview]:
        """The bytes in one part."""
        return self._blocks(self._start, None)

    def _line_after(self, start: int) -> int | None:
        """The position of the first line after ``start``, if it is near."""
        if self._data is not None:
            return self._data.find(b"\n", start) + 1 or None
        with Path(self._path).open("rb") as file:
            file.seek(start)
            newline = file.read(HEAD_BYTES).find(b"\n")
        return None if newline < 0 else start + newline + 1

    def _blocks(self, start: int, end: int | None) -> Iterator[memoryview]:
        if self._data is not None:
            view = memoryview(self._data)[start:end]
            for at in range(0, len(view), _BLOCK_BYTES):
                block = view[at : at + _BLOCK_BYTES]
                yield block
                self._progress.add(len(block))
            return
        buffer = memoryview(bytearray(_BLOCK_BYTES))
        left = sys.maxsize if end is None else end - start
        with Path(self._path).open("rb", buffering=0) as file:
            file.seek(start)
            while left > 0 and (length := file.readinto(buffer[: min(left, _BLOCK_BYTES)])):
                left -= length
                yield buffer[:length]
                self._progress.add(length)

    def file(self) -> str | BinaryIO:
        """The path of a plain file, or a file object in memory."""
        return self._path if self._data is None else io.BytesIO(self._data)

    def text(self) -> str:
        """The complete text, or LP-H017 (not UTF-8) or LP-H008 (empty)."""
        data = _bytes(self._path) if self._data is None else self._data
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise format_error(
                "LP-H017",
                f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8.",
                data.count(b"\n", 0, error.start) + 1,
                "Save the file as UTF-8, plain or gzip-compressed.",
            ) from None
        if not text or text.isspace():
            raise format_error("LP-H008", "the file is empty.", None, "Record at least one operation.")
        return text


def _beginning(path: str) -> bytes:
    """The beginning of a plain file; empty for others, since a pipe can be opened only once."""
    try:
        if path == STANDARD or not stat.S_ISREG(Path(path).stat().st_mode):
            return b""
        with Path(path).open("rb") as file:
            return file.read(HEAD_BYTES)
    except (OSError, ValueError):
        return b""


def write_content(path: str, content: str | bytes) -> None:
    """Write a file completely or not at all, gzip-compressed if its name ends with .gz.

    Raises LP-U005 if that fails.
    """
    write_pieces(path, [content])


def write_pieces(path: str, pieces: Iterable[str | bytes]) -> None:
    """Write content piece by piece, as ``write_content`` does. Output to standard output cannot be undone."""
    try:
        if path == STANDARD:
            for piece in pieces:
                if isinstance(piece, str):
                    sys.stdout.write(piece)
                else:
                    sys.stdout.buffer.write(piece)
            return
        data = (piece.encode() if isinstance(piece, str) else piece for piece in pieces)
        _put(Path(path).resolve(), data, compressed=path.endswith(".gz"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(
            "LP-U005", f"the file cannot be written: {reason}.", place=path, remedy="Choose another path."
        ) from None


def _write(path: Path, data: Iterable[bytes], *, compressed: bool) -> None:
    with contextlib.ExitStack() as stack:
        file: BinaryIO = stack.enter_context(path.open("wb"))
        if compressed:  # without a time, so that the same history gives the same file
            file = stack.enter_context(gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0))  # type: ignore[assignment]
        for piece in data:
            for at in range(0, len(piece), _CHUNK_BYTES):  # Python handles signals between the chunks
                file.write(piece[at : at + _CHUNK_BYTES])


def _put(path: Path, data: Iterable[bytes], *, compressed: bool) -> None:
    """Replace the content of ``path`` in one step. A full disk or Ctrl-C leaves the previous content."""
    there = path.exists()
    if there and (not path.is_file() or not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK)):
        _write(
            path, data, compressed=compressed
        )  # a device, a pipe, or a file whose directory is not writable; or writing failed
        return
    new = path.with_name(f".linpoint-{secrets.token_hex(8)}.part")
    try:
        _write(new, data, compressed=compressed)
        if there:
            new.chmod(stat.S_IMODE(path.stat().st_mode))
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _bytes(path: str) -> bytes:
    with open_path(path):
        return sys.stdin.buffer.read() if path == STANDARD else Path(path).read_bytes()


@contextlib.contextmanager
def open_path(path: str) -> Iterator[None]:
    """Convert errors of the system in the block, which reads a file, to LP-H001."""
    try:
        yield
    except FileNotFoundError:
        folder = Path(path).parent
        where = "in the current directory" if folder == Path() else f"in {folder}"
        if not folder.is_dir():
            where = f"because the directory {folder} does not exist"
        raise format_error("LP-H001", f"there is no such file {where}.", None, "Check the path.") from None
    except IsADirectoryError:
        raise format_error("LP-H001", "this is a directory, not a file.", None, "Name the files in it.") from None
    except PermissionError:
        raise format_error(
            "LP-H001", "permission denied.", None, "Change its permissions, or read it as another user."
        ) from None
    except (OSError, ValueError, AttributeError) as error:  # ValueError: a NUL in the path; AttributeError: no stdin
        raise format_error(
            "LP-H001", f"the file cannot be read: {error}.", None, "Check the path and the disk."
        ) from None


def _decompressed(data: bytes) -> bytes:
    chunks: list[bytes] = []
    total = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while chunk := file.read(_CHUNK_BYTES):
                total += len(chunk)
                if total > MAX_DECOMPRESSED_BYTES:
                    raise format_error(
                        "LP-H011",
                        f"the file holds more than {MAX_DECOMPRESSED_BYTES} bytes.",
                        None,
                        "Split it, for instance by key.",
                    )
                chunks.append(chunk)
    except HistoryError:
        raise
    except EOFError:
        raise format_error(
            "LP-H010",
            f"the gzip data is truncated at byte {len(data)}.",
            None,
            "Copy or record the file again.",
        ) from None
    except (OSError, zlib.error, ValueError) as error:
        raise format_error(
            "LP-H010",
            f"the gzip data is corrupt: {error}.",
            None,
            "Copy or record the file again.",
        ) from None
    return b"".join(chunks)
