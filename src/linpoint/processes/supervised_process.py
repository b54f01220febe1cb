# SPDX-License-Identifier: Apache-2.0
"""The single way in which linpoint starts, reads, limits and ends processes.

Guarantee: whatever a process does (it dies, hangs, floods its reader, forks, ignores signals), there is a
``ProcessOutcome``. The process has a session of its own, and its process group is killed when the block is left, or by
``orphan_guard`` if this process is killed. Cost: 0.3 ms in addition to starting the process; a reader wakes up for
messages, and every 50 ms to check the limits.
"""

from __future__ import annotations

import os
import select
import selectors
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Final, Literal, Self, Unpack

from linpoint.processes.process_launch import LaunchedProcess, LaunchOptions, launch
from linpoint.processes.process_limits import (
    DEADLINE_PASSED,
    MEMORY_EXCEEDED,
    MESSAGE_TOO_LONG,
    OUTPUT_TOO_LONG,
    SILENT_TOO_LONG,
    ProcessLimits,
    ProcessOutcome,
)
from linpoint.processes.process_usage import SilenceClock, TreeMemory

INTERRUPTED: Final = "the run was interrupted"
END_GRACE_S: Final = 1.5
"""Seconds for a process to exit by itself after its last message, or after SIGINT."""
POLL_INTERVAL_S: Final = 0.05

_BLOCK_BYTES: Final = 1 << 20
_REAP_INTERVAL_S: Final = 0.002
_RSS_UNIT: Final = 1 if sys.platform == "darwin" else 1024
_TAIL_GRACE_S: Final = 1.0
"""Seconds for a process outside the group to close its standard error."""


class SupervisedProcess:
    """A process from start to end, for a ``with`` block. One thread reads it."""

    def __init__(
        self,
        launched: LaunchedProcess,
        limits: ProcessLimits,
        on_interrupt: Literal["kill", "forward"],
        grace_s: float,
    ) -> None:
        self._limits, self._on_interrupt, self._grace_s = limits, on_interrupt, grace_s
        self._process = launched.process
        self._reading, self._writing, self._tail = launched.reading, launched.writing, launched.tail
        self._memory = TreeMemory(self.pid)
        self._silence = SilenceClock(self.pid)
        self._resources = ExitStack()
        self._pending = bytearray()
        self._lines: deque[bytes] = deque()
        self._silent = self._finished = self._interrupted = False
        self._stopped = ""
        self._kill_at: float | None = None
        self._code: int | None = None
        self._killed = False
        self._peak_bytes = 0
        self._outcome: ProcessOutcome | None = None

    @classmethod
    def start(
        cls,
        argv: Sequence[str],
        *,
        limits: ProcessLimits | None = None,
        on_interrupt: Literal["kill", "forward"] = "kill",
        grace_s: float = 0.0,
        **options: Unpack[LaunchOptions],
    ) -> Self:
        """Start a process; raise OSError if that fails.

        A process that exceeds a limit is killed, or gets SIGINT and ``grace_s`` seconds to end. With
        ``on_interrupt="forward"``, the same happens at Ctrl-C.
        """
        with ExitStack() as resources:
            launched = launch(argv, resources, **options)
            process = cls(launched, limits or ProcessLimits(), on_interrupt, grace_s)
            resources.callback(process._kill)
            process._resources = resources.pop_all()
        return process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the process if it is running, and release its descriptors."""
        self._resources.close()

    @property
    def pid(self) -> int:
        """The process ID, which is also that of its group."""
        return self._process.pid

    @property
    def reading(self) -> int:
        """The descriptor from which messages are read."""
        return self._reading

    @property
    def kills_on_interrupt(self) -> bool:
        """Whether Ctrl-C kills the process instead of being forwarded to it."""
        return self._on_interrupt == "kill"

    @property
    def stopped(self) -> str:
        """The reason for stopping the process; empty if it was not stopped."""
        return self._stopped

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed while it ran."""
        return self._interrupted

    @property
    def over(self) -> bool:
        """Whether nothing more will be read from it."""
        return not self._lines and (self._silent or self._finished or self._killed)

    def messages(self, *, poll_interval_s: float = POLL_INTERVAL_S) -> Iterator[bytes]:
        """The lines of the process, until it ends or is stopped. After Ctrl-C the iteration can be started again."""
        for _, message in read_messages([self], poll_interval_s=poll_interval_s):
            if message is not None:
                yield message

    def read_block(self, timeout_s: float) -> bytes | None:
        """Read the next bytes regardless of lines; empty at the end, ``None`` if none arrived in time."""
        with _interruptible([self]):
            if self._killed:
                return b""
            if not _ready(self._reading, select.POLLIN, timeout_s):
                self._look(idle=True)
                return b"" if self.over else None
            block = os.read(self._reading, _BLOCK_BYTES)
            self._silent = not block
            self._silence.reset()
            return block
        return None

    def write(self, data: bytes) -> None:
        """Write to the input of the process.

        The limits also apply to a process that does not read. Data for a process that has ended is discarded.
        """
        rest = memoryview(data)
        with suppress(BrokenPipeError):
            while rest and not self._killed:
                try:
                    rest = rest[os.write(self._writing, rest) :]
                except BlockingIOError:
                    if not _ready(self._writing, select.POLLOUT, POLL_INTERVAL_S):
                        self._look(idle=True)

    def finish(self) -> None:
        """Stop reading, and let the process exit by itself."""
        self._finished = True
        self._lines.clear()

    def stop(self, reason: str, *, grace_s: float | None = None) -> None:
        """Kill the process; with ``grace_s``, send SIGINT first.

        The first reason counts. Earlier lines can still be read.
        """
        grace = self._grace_s if grace_s is None else grace_s
        if not self._stopped:
            self._stopped = reason
            self._kill_at = time.monotonic() + grace
            if grace > 0 and not self._reap():
                os.kill(self.pid, signal.SIGINT)
        if grace <= 0:
            self._killed = True
            self._kill()

    def interrupt(self) -> None:
        """Act as after Ctrl-C."""
        self._interrupted = True
        self.stop(INTERRUPTED, grace_s=None if self._on_interrupt == "forward" else 0.0)

    def memory_bytes(self) -> int:
        """The resident memory of the process and its descendants."""
        return 0 if self._reap() else self._memory.measure()

    def stderr(self) -> bytes:
        """The first and last bytes of standard error so far, if they are captured."""
        return b"" if self._tail is None else self._tail.content()

    def silence_seconds(self) -> float:
        """Seconds for which the reader has waited for the next message while the process was not starved."""
        return self._silence.seconds()

    def wait(self, timeout_s: float) -> bool:
        """Whether the process exits by itself within ``timeout_s`` seconds."""
        until = time.monotonic() + timeout_s
        while not self._reap():
            left = until - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(_REAP_INTERVAL_S, left))
        return True

    def outcome(self, *, grace_s: float = END_GRACE_S) -> ProcessOutcome:
        """End the process. Unless it was stopped, it has ``grace_s`` seconds to exit by itself."""
        if self._outcome is not None:
            return self._outcome
        if self._stopped and self._kill_at is not None:
            grace_s = self._kill_at - time.monotonic()
        by_itself = self.wait(grace_s) and not self._stopped
        self._kill()
        if self._tail is not None:
            self._tail.join(_TAIL_GRACE_S)
        code = self._code
        assert code is not None
        self._outcome = ProcessOutcome(
            exit_code=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            stopped=self._stopped,
            by_itself=by_itself,
            stderr=self.stderr(),
            peak_memory_bytes=max(self._peak_bytes, self._memory.peak_bytes),
            interrupted=self._interrupted,
        )
        return self._outcome

    def take(self, *, ready: bool) -> None:
        """Read available data and check the limits; for ``read_messages``."""
        if not self.over:
            if ready:
                self._read_lines()
            self._look(idle=not ready)

    def next_line(self) -> bytes | None:
        """The next complete line that has been read."""
        return self._lines.popleft() if self._lines else None

    def _read_lines(self) -> None:
        data = os.read(self._reading, _BLOCK_BYTES)
        self._silence.reset()
        if not data:
            self._silent = True
            return
        if b"\n" in data:
            *lines, rest = bytes(self._pending + data).split(b"\n")
            self._lines += lines
            self._pending = bytearray(rest)
        else:
            self._pending += data
        if len(self._pending) > self._limits.max_message_bytes:
            self.stop(MESSAGE_TOO_LONG)

    def _look(self, *, idle: bool) -> None:
        """Whether the process still runs within its limits; ``idle`` if there was nothing to read."""
        limits = self._limits
        if idle and self._code is not None:  # a descendant in another session may still hold the pipe
            self._silent = True
        elif self._reap():
            return
        elif self._stopped:
            if self._kill_at is not None and time.monotonic() >= self._kill_at:
                self.stop(self._stopped, grace_s=0.0)
        elif limits.deadline is not None and time.monotonic() >= limits.deadline:
            self.stop(DEADLINE_PASSED)
        elif limits.max_memory_bytes is not None and self._memory.measure() > limits.max_memory_bytes:
            self.stop(MEMORY_EXCEEDED)
        elif limits.max_output_bytes is not None and self._tail and self._tail.total_bytes > limits.max_output_bytes:
            self.stop(OUTPUT_TOO_LONG)
        elif idle and limits.silence_s is not None and self._silence.seconds() > limits.silence_s:
            self.stop(SILENT_TOO_LONG)

    def _reap(self, flags: int = os.WNOHANG) -> bool:
        """Whether the process has ended. If so, kill the rest of its group."""
        if self._code is not None:
            return True
        try:
            pid, status, usage = os.wait4(self.pid, flags)
        except ChildProcessError:  # the program that uses linpoint ignores SIGCHLD, or reaps every child
            self._code = self._process.returncode = 0
        else:
            if not pid:
                return False
            self._code = self._process.returncode = os.waitstatus_to_exitcode(status)
            self._peak_bytes = usage.ru_maxrss * _RSS_UNIT
        self._kill_group()
        return True

    def _kill(self) -> None:
        """Kill everything in the group."""
        if self._code is None:
            self._kill_group()
            self._reap(0)

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):  # PermissionError: on macOS, for a group of zombies
            os.killpg(self.pid, signal.SIGKILL)


def _ready(descriptor: int, event: int, timeout_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(max(0.0, timeout_s) * 1000))


@contextmanager
def _interruptible(processes: Sequence[SupervisedProcess]) -> Iterator[None]:
    """Make Ctrl-C in this block stop the processes.

    It also reaches the caller, unless it is forwarded to all of them.
    """
    try:
        yield
    except KeyboardInterrupt:
        for process in processes:
            process.interrupt()
        if any(process.kills_on_interrupt for process in processes):
            raise


def read_messages(
    processes: Sequence[SupervisedProcess], *, poll_interval_s: float = POLL_INTERVAL_S
) -> Iterator[tuple[int, bytes | None]]:
    """The lines of several processes as they arrive, each with the index of its process, until all are over.

    ``None`` means that all lines received so far have been read. It is yielded at least every ``poll_interval_s``
    seconds, and at the end.
    """
    with selectors.DefaultSelector() as selector:
        for index, process in enumerate(processes):
            selector.register(process.reading, selectors.EVENT_READ, index)
        while working := [key.data for key in selector.get_map().values()]:
            with _interruptible(processes):
                ready = [key.data for key, _ in selector.select(poll_interval_s)]
                for index in working:
                    processes[index].take(ready=index in ready)
            for index in working:
                process = processes[index]
                while (line := process.next_line()) is not None:
                    yield index, line
                if process.over:
                    selector.unregister(process.reading)
                yield index, None
