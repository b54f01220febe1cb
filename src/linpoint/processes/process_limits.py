# SPDX-License-Identifier: Apache-2.0
"""Limits of a supervised process, and the description of its end."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Final

DEADLINE_PASSED: Final = "the deadline passed"
MEMORY_EXCEEDED: Final = "the memory limit was exceeded"
MESSAGE_TOO_LONG: Final = "a message is too long"
OUTPUT_TOO_LONG: Final = "the output is too long"
SILENT_TOO_LONG: Final = "no message came for too long"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimits:
    """Limits at which a process is stopped; ``None`` means no limit."""

    deadline: float | None = None
    """A moment on the monotonic clock."""
    max_memory_bytes: int | None = None
    """Resident memory of the process and all its descendants."""
    max_message_bytes: int = 512 * 2**20
    """Maximum length of one line."""
    max_output_bytes: int | None = None
    """Maximum length of the captured standard error."""
    silence_s: float | None = None
    """Seconds for which the reader waits for the next message.

    Time in which the process did not get a processor does not count.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessOutcome:
    """The end of a process."""

    exit_code: int | None
    """``None`` if a signal ended it."""
    signal: int | None
    stopped: str
    """The reason for stopping the process; empty if it was not stopped."""
    by_itself: bool
    """Whether it exited, or died of a signal that linpoint did not send."""
    stderr: bytes
    """The first and last bytes of standard error, if they were captured."""
    peak_memory_bytes: int
    interrupted: bool
    """Whether Ctrl-C was pressed while it ran."""

    @property
    def signal_name(self) -> str:
        """The name of a signal, such as ``SIGSEGV``; a real-time signal has only a number."""
        try:
            return signal.Signals(self.signal or 0).name
        except ValueError:
            return f"signal {self.signal}"
