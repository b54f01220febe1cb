# SPDX-License-Identifier: Apache-2.0
"""Limits of a supervised process, and how such a process ended."""

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
    """A process that exceeds one of these is stopped; ``None`` is no limit."""

    deadline: float | None = None
    """On the monotonic clock."""
    max_memory_bytes: int | None = None
    """Resident memory of the process and all its descendants."""
    max_message_bytes: int = 512 * 2**20
    """Length of one line."""
    max_output_bytes: int | None = None
    """Length of the captured standard error."""
    silence_s: float | None = None
    """Seconds for which its reader waits for the next message. Time in which the process was starved of processors does not
    count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessOutcome:
    """How a process ended."""

    exit_code: int | None
    """``None`` if a signal ended it."""
    signal: int | None
    stopped: str
    """The reason why it was stopped, if it was."""
    by_itself: bool
    """It exited, or died of a signal that we did not send."""
    stderr: bytes
    """First and last bytes of its standard error, where that was captured."""
    peak_memory_bytes: int
    interrupted: bool
    """Ctrl-C was pressed while it ran."""

    @property
    def signal_name(self) -> str:
        """``SIGSEGV`` and the like; a real-time signal has only its number."""
        try:
            return signal.Signals(self.signal or 0).name
        except ValueError:
            return f"signal {self.signal}"
