# SPDX-License-Identifier: Apache-2.0
"""Reads the lines of a file or pipe while they are written.

A regular file never ends by itself, since more lines may follow. A pipe ends when its writer closes it, and so does
standard input of any kind. Guarantee: a line is returned once it is complete, or at the end; invalid bytes are a coded
error. Memory: one chunk and one partial line of at most ``MAX_LINE_BYTES``.
"""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from linpoint.errors import LinpointError
from linpoint.histories.formats.file_content import open_path
from linpoint.histories.formats.file_format import cannot_follow, format_error
from linpoint.text.shell_commands import STANDARD

MAX_LINE_BYTES: Final = 16 << 20
"""The maximum number of bytes of one line."""

_CHUNK_BYTES: Final = 1 << 18
_POLL_INTERVAL_S: Final = 0.05
"""Seconds between two reads of a file that has not grown."""
_GZIP_MAGIC: Final = b"\x1f\x8b"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class TailReader:
    """Reads the lines of a growing file. Not thread-safe."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._half = b""
        self._lines = 0
        self._read = 0
        self.ended = False
        """Whether no more data can follow."""
        try:
            with open_path(path):
                self._descriptor = 0 if path == STANDARD else os.open(path, os.O_RDONLY)
                mode = os.fstat(self._descriptor).st_mode
                if stat.S_ISDIR(mode):
                    raise IsADirectoryError
        except LinpointError as error:
            raise error.at(path) from None
        self._regular = stat.S_ISREG(mode)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.path != STANDARD:
            os.close(self._descriptor)

    def lines(self, seconds: float) -> Sequence[str]:
        """The next complete lines; none if none arrives within about ``seconds``, or at the end."""
        try:
            with open_path(self.path):
                chunk = self._chunk(seconds)
            return self._split(chunk) if chunk else ()
        except LinpointError as error:
            raise error.at(self.path) from None

    def rest(self) -> Sequence[str]:
        """The remaining data at the end: the last line, if it has no line end."""
        half, self._half = self._half, b""
        try:
            return [self._text(half)] if half else ()
        except LinpointError as error:
            raise error.at(self.path) from None

    def _chunk(self, seconds: float) -> bytes:
        if not self._regular and not select.select([self._descriptor], [], [], seconds)[0]:
            return b""
        chunk = os.read(self._descriptor, _CHUNK_BYTES)
        if not chunk:
            if not self._regular or self.path == STANDARD:
                self.ended = True
            else:
                self._check_length()
                time.sleep(min(seconds, _POLL_INTERVAL_S))
        if self._read < len(_BYTE_ORDER_MARK) <= self._read + len(chunk) or not self._read:
            chunk = self._begin(chunk)
        self._read += len(chunk)
        return chunk

    def _begin(self, chunk: bytes) -> bytes:
        if chunk.startswith(_GZIP_MAGIC):
            raise cannot_follow(
                "gzip-compressed data cannot be followed.",
                None,
                "Decompress it first: gunzip -c FILE | linpoint check - --follow ...",
            )
        return chunk.removeprefix(_BYTE_ORDER_MARK)

    def _check_length(self) -> None:
        if os.fstat(self._descriptor).st_size < os.lseek(self._descriptor, 0, os.SEEK_CUR):
            raise format_error(
                "LP-H001",
                "the file was truncated while it was followed.",
                None,
                "Let the recorder only append, to one file per run.",
            )

    def _split(self, chunk: bytes) -> Sequence[str]:
        end = chunk.rfind(b"\n")
        if end < 0:
            self._half += chunk
            if len(self._half) > MAX_LINE_BYTES:
                line = self._lines + 1
                raise format_error(
                    "LP-H011", f"a line is longer than {MAX_LINE_BYTES} bytes.", line, "End each line with a newline."
                )
            return ()
        data, self._half = self._half + chunk[:end], chunk[end + 1 :]
        lines = self._text(data).split("\n")
        self._lines += len(lines)
        return lines

    def _text(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise format_error(
                "LP-H017",
                f"byte 0x{data[error.start]:02x} is not UTF-8.",
                self._lines + data.count(b"\n", 0, error.start) + 1,
                "Write the log as UTF-8.",
            ) from None
