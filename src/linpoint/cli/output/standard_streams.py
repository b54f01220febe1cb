# SPDX-License-Identifier: Apache-2.0
"""Standard output and standard error as the command uses them.

Guarantee: writing never raises. A reader that leaves (``linpoint specs | head -1``) is nobody's fault and changes no
exit code; a full disk is remembered and told at the end; a letter that the encoding lacks is written as an escape.
Errors are caught at the lowest layer because the libraries above have their own ideas of them: click and rich end with
exit code 1 when a pipe breaks, which would say "violation".
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO


class UnbufferedStream(io.RawIOBase):
    """The bytes of one stream on their way out; what can no longer be written is dropped."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._closed_for_good = False
        self.before_writing: Callable[[], object] | None = None
        """Called once, before the first byte."""
        self.error: OSError | None = None
        """What went wrong, unless it was only the reader who left."""

    def writable(self) -> bool:
        """It is for nothing else."""
        return True

    def fileno(self) -> int:
        """The descriptor that is written to."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether a person watches."""
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        """Write some of ``data``, or pretend to once that has failed."""
        if self.before_writing is not None:
            call, self.before_writing = self.before_writing, None
            call()
        if not self._closed_for_good:
            try:
                return os.write(self._descriptor, data)
            except OSError as error:
                self._closed_for_good = True
                if not isinstance(error, BrokenPipeError):
                    self.error = error
        return memoryview(data).nbytes

    def move(self, elsewhere: int) -> None:
        """Give the descriptor away to ``elsewhere`` and go on writing to where it led so far."""
        kept = os.dup(self._descriptor)
        os.dup2(elsewhere, self._descriptor)
        self._descriptor = kept


_ours: tuple[UnbufferedStream, TextIO] | None = None


def open_streams() -> None:
    """Put the guarded streams in place of Python's."""
    global _ours  # noqa: PLW0603 - there is one standard output
    sys.stderr, _ = _guarded(sys.stderr)
    sys.stdout, outlet = _guarded(sys.stdout)
    _ours = None if outlet is None else (outlet, sys.stdout)


def out() -> TextIO:
    """Where our own output goes, whoever ``sys.stdout`` belongs to by now."""
    return sys.stdout if _ours is None else _ours[1]


def descriptors() -> tuple[int, int]:
    """Where our output and errors go, for code that writes without Python."""
    return (1 if _ours is None else _ours[0].fileno()), 2


def before_writing(call: Callable[[], object]) -> None:
    """Call this before the first byte of our own output."""
    if _ours is not None:
        _ours[0].before_writing = call


def keep_stdout() -> None:
    """Before a user's code runs: from now on whatever is not printed by us goes to stderr.

    That holds to the end of the process, also for child processes: a thread that a spec left behind may print in the
    middle of our JSON document otherwise.
    """
    if _ours is None or sys.stdout is not _ours[1]:
        return
    outlet, stream = _ours
    stream.flush()
    outlet.move(sys.stderr.fileno())
    sys.stdout = sys.stderr


def as_utf8() -> None:
    """Standard output is to hold a history, which is UTF-8 as in a file; escapes would change its values."""
    stream = out()
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="strict")


def close_streams() -> OSError | None:
    """Write what is left. The error that kept some output from being written, if there was one."""
    out().flush()
    sys.stderr.flush()
    return None if _ours is None else _ours[0].error


def _guarded(stream: TextIO | None) -> tuple[TextIO, UnbufferedStream | None]:
    if stream is None:  # closed by the shell: `>&-`
        return open(os.devnull, "w", encoding="utf-8"), None  # noqa: PTH123 - open to the end of the process
    try:
        outlet = UnbufferedStream(stream.fileno())
    except (OSError, ValueError):  # in memory, as in tests
        return stream, None
    stream.flush()
    guarded = io.TextIOWrapper(
        io.BufferedWriter(outlet),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=getattr(stream, "line_buffering", False),
    )
    return guarded, outlet
