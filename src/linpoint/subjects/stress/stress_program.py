# SPDX-License-Identifier: Apache-2.0
"""The program of a C++ test on real threads, as a supervised process that runs rounds.

Guarantee: the program cannot harm linpoint: a silence that lasts too long is an error, and leaving the block kills the
process. Its standard error is kept, up to a limit.
Cost: the program runs a burst of rounds on request and sleeps while they are checked. With few cores, a concurrent
check would take a core from threads that should interfere with each other. With more cores than threads, the program
runs one burst ahead.
"""

from __future__ import annotations

import mmap
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from linpoint.errors import TestError
from linpoint.processes.process_launch import MESSAGES, WRITTEN
from linpoint.processes.process_limits import ProcessLimits
from linpoint.processes.supervised_process import SupervisedProcess

_POLL_INTERVAL_S: Final = 0.1
_MAX_HEADER_BYTES: Final = 200
"""The maximum length of the line before the operations of a round."""
_ACTIVITY: Final = struct.Struct("<QQQ40x")
_BURST: Final = b"."
"""The message that requests a burst of rounds."""
_DESCRIPTION_TIMEOUT_S: Final = 10.0
_DRAIN_TIMEOUT_S: Final = 2.0
_NO_ROOM: Final = b"unexpected memory mapping"
"""The thread sanitizer prints this if it does not support the randomised address layout."""
_REPORTING: Final = re.compile(rb"Sanitizer: |runtime error: ")
_OPTIONS: Final = {
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=66:report_signal_unsafe=0",
    "ASAN_OPTIONS": "exitcode=67:detect_leaks=0:abort_on_error=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1:exitcode=68",
}


@dataclass(frozen=True, slots=True)
class StressRound:
    """The operations of the threads on one object."""

    number: int
    lines: bytes
    operations: int
    pairs: int
    """The number of pairs of operations that overlapped."""
    state: str = "round"
    """``round``: it is complete; ``halted``: it makes no progress now and is sent again; ``stuck``: it hangs."""


@dataclass(frozen=True, slots=True)
class ThreadActivity:
    """The call (its number) that a thread executed when the program ended; None outside of calls."""

    begun: int
    call: int | None
    round: int


class SilenceError(Exception):
    """The program has been silent for too long."""


def describe_program(program: Path) -> Any:
    """The description of a program's tests; LP-T015 if it sends none."""
    limits = ProcessLimits(deadline=time.monotonic() + _DESCRIPTION_TIMEOUT_S)
    text = b""
    with _start([str(program), "describe", MESSAGES], limits=limits) as process:
        while (block := process.read_block(_POLL_INTERVAL_S)) != b"":
            text += block or b""
        if process.stopped or not text.startswith(b'{"tests"'):
            raise TestError(
                "LP-T015",
                "the program does not report its tests.",
                remedy="Use the main() of <linpoint/test.hpp>, and do not block or end the program before it.",
            )
    return msgspec.json.decode(text)


def _start(
    command: list[str],
    *,
    limits: ProcessLimits | None = None,
    stdin: int = subprocess.DEVNULL,
    descriptors: Sequence[int] = (),
) -> SupervisedProcess:
    return SupervisedProcess.start(
        command,
        limits=limits,
        stdin=stdin,
        stdout=sys.stderr.fileno() if _has_descriptor() else subprocess.DEVNULL,
        pass_fds=descriptors,
        env=os.environ | {name: _with_users(name, ours) for name, ours in _OPTIONS.items()},
    )


def _has_descriptor() -> bool:
    try:
        sys.stderr.fileno()
    except (OSError, ValueError):
        return False
    return True


def _with_users(name: str, ours: str) -> str:
    """The options of a sanitizer: the user's, then linpoint's, which take precedence."""
    given = os.environ.get(name, "")
    return f"{given}:{ours}" if given else ours


class StressProgram:
    """A running program. Only one thread may read its messages."""

    def __init__(self, program: Path, request: str, *, workers: int, silence: float) -> None:
        self._program, self._request, self._silence_s = program, request, silence
        self._workers = workers
        self._ahead = 1 + (len(os.sched_getaffinity(0)) > workers)
        self._board = os.memfd_create("linpoint")
        os.ftruncate(self._board, workers * _ACTIVITY.size)
        self._pending = b""
        self._at = 0
        try:
            self._process = self._run([])
        except OSError:
            os.close(self._board)
            raise
        self.clock = ""
        """The clock that gives the times of operations."""
        self.threads: dict[int, bool] = {}
        """The hung threads of a stuck round, and whether each is running."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()
        os.close(self._board)

    def _run(self, before: list[str]) -> SupervisedProcess:
        command = [*before, str(self._program), "run", MESSAGES, str(self._board)]
        process = _start(command, stdin=WRITTEN, descriptors=(self._board,))
        process.write(self._request.encode() + b"\n" + _BURST * self._ahead)
        return process

    def next(self, deadline: float | None) -> StressRound | None:
        """The next round; None after the last one or at the ``deadline``.

        Raises ``SilenceError`` if the program was silent for too long.
        """
        while True:
            found = self._take()
            if found is not None:
                return found
            if not self._more(deadline):
                return None

    def _take(self) -> StressRound | None:
        """A round that has arrived completely, or None."""
        while (end := self._pending.find(b"\n", self._at, self._at + _MAX_HEADER_BYTES)) >= 0:
            word, *rest = self._pending[self._at : end].decode().split(" ")
            if word in ("round", "halted", "stuck"):
                number, size, operations, pairs = map(int, rest)
                if len(self._pending) < end + 1 + size:
                    return None
                lines = self._pending[end + 1 : end + 1 + size]
                self._at = end + 1 + size
                return StressRound(number, lines, operations, pairs, word)
            self._at = end + 1
            if word == "end":
                self._process.write(_BURST)
            elif word == "clock":
                self.clock = " ".join(rest)
            elif word == "thread":
                self.threads[int(rest[0])] = rest[1] == "runs"
            else:
                raise AssertionError(f"the program of the test says {word} {' '.join(rest)}")
        return None

    def _more(self, deadline: float | None) -> bool:
        """Wait for more messages; False after the last one and at the deadline."""
        block = None
        while block is None:
            left = _POLL_INTERVAL_S if deadline is None else min(_POLL_INTERVAL_S, deadline - time.monotonic())
            if left <= 0:
                return False
            block = self._process.read_block(left)
            if block is None and self._process.silence_seconds() > self._silence_s:
                raise SilenceError
        self._pending = self._pending[self._at :] + block
        self._at = 0
        if block or self.clock or not self._again():
            return bool(block)
        return self._more(deadline)

    def _again(self) -> bool:
        """Restart the program without address randomisation, if the sanitizer did not support it."""
        setarch = shutil.which("setarch")
        if setarch is None or _NO_ROOM not in self._process.outcome().stderr:
            return False
        self._process.close()
        self._process = self._run([setarch, platform.machine(), "-R"])
        return True

    def drain(self) -> Iterator[StressRound]:
        """The rounds that the program still sends after ``next`` has returned a stuck one."""
        limit = time.monotonic() + _DRAIN_TIMEOUT_S
        while (found := self.next(limit)) is not None:
            yield found

    def activities(self) -> list[ThreadActivity]:
        """The activity of each thread, now or when the program ended."""
        with mmap.mmap(self._board, self._workers * _ACTIVITY.size, prot=mmap.PROT_READ) as board:
            each = _ACTIVITY.iter_unpack(board[:])
            return [ThreadActivity(begun, call - 1 if call else None, round_) for begun, call, round_ in each]

    def memory(self) -> int:
        """The resident memory of the program in bytes."""
        return self._process.memory_bytes()

    def reports(self) -> bool:
        """Whether a sanitizer has started a report."""
        return _REPORTING.search(self._process.stderr()) is not None

    def wait(self, seconds: float) -> None:
        """Wait for the program to end by itself."""
        self._process.wait(seconds)

    def end(self) -> tuple[int | None, bytes]:
        """Stop the program if necessary; returns its exit code (None if it was stopped) and its standard error."""
        outcome = self._process.outcome(grace_s=0.0)
        code = outcome.exit_code if outcome.signal is None else -outcome.signal
        return code if outcome.by_itself else None, outcome.stderr
