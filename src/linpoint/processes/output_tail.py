# SPDX-License-Identifier: Apache-2.0
"""Captures the first and the last bytes of a stream, so that excessive output uses neither memory nor disk."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import Final

_KEPT_BYTES: Final = 1 << 16


class OutputTail:
    """Reads a pipe on a thread of its own, so that the writer never blocks.

    It keeps 64 KiB of the beginning and 64 KiB of the end.
    """

    def __init__(self, descriptor: int) -> None:
        """Take ownership of the read end of a pipe."""
        self._head = bytearray()
        self._tail = bytearray()
        self.total_bytes = 0
        """The number of bytes written so far."""
        self._thread = threading.Thread(target=self._read, args=(descriptor,), daemon=True)
        self._thread.start()

    def content(self) -> bytes:
        """The bytes kept so far."""
        return bytes(self._head + self._tail)

    def join(self, seconds: float) -> None:
        """Wait until all writers have closed the pipe."""
        self._thread.join(seconds)

    def _read(self, descriptor: int) -> None:
        with suppress(OSError):
            while block := os.read(descriptor, _KEPT_BYTES):
                room = _KEPT_BYTES - len(self._head)
                self._head += block[:room]
                self._tail += block[room:]
                del self._tail[:-_KEPT_BYTES]
                self.total_bytes += len(block)
        os.close(descriptor)
