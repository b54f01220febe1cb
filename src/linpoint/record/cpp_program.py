# SPDX-License-Identifier: Apache-2.0
"""The program of a C++ test on real threads, as a process that we start, listen to, watch and end.

Guarantee: whatever the program does, it is no danger to us: it has a session of its own, a silence that lasts too long is
noticed, and when the block is left it is gone. What it writes to standard error is kept, up to a limit.
Cost: it makes a burst of rounds when it is asked to, and sleeps while they are checked: on few cores a checker that runs
at the same time takes a core from threads that are to disturb each other. Where there are more cores than threads, it is
one burst ahead.
"""

from __future__ import annotations

import mmap
import os
import platform
import re
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from linpoint.errors import TestError

_LOOK: Final = 0.1
_BLOCK: Final = 1 << 20
_LONGEST_WORD: Final = 200
_KEPT: Final = 1 << 16
"""Bytes at the beginning and at the end of what it writes to standard error that are kept."""
_PLACE: Final = struct.Struct("<QQQ40x")
_BURST: Final = b"."
"""Asks for a burst of rounds."""
_DESCRIBING: Final = 10.0
"""Seconds that a program may take to say what it has."""
_NO_ROOM: Final = b"unexpected memory mapping"
"""What the thread sanitizer says where addresses are too random for it."""
_REPORTING: Final = re.compile(rb"Sanitizer: |runtime error: ")
_OPTIONS: Final = {
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=66:report_signal_unsafe=0",
    "ASAN_OPTIONS": "exitcode=67:detect_leaks=0:abort_on_error=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1:exitcode=68",
}


@dataclass(frozen=True, slots=True)
class Round:
    """What the threads did on one object."""

    number: int
    lines: bytes
    operations: int
    pairs: int
    """Of operations that were open at the same time."""
    state: str = "round"
    """``round`` is over; in ``halted`` nothing moves at the moment, and it comes again; ``stuck`` never moves."""


@dataclass(frozen=True, slots=True)
class Doing:
    """Where a thread was when the program ended: in which call (its number), or outside of calls."""

    begun: int
    call: int | None
    round: int


class SilenceError(Exception):
    """The program has said nothing for too long."""


def describe(program: Path) -> Any:
    """What a program says of its tests; LP-T015 if it does not."""
    reading, writing = os.pipe()
    try:
        with _started([str(program), "describe", str(writing)], (writing,)) as process:
            os.close(writing)
            writing = -1
            assert process.stdin is not None
            process.stdin.close()
            told = b"".join(_blocks(reading, time.monotonic() + _DESCRIBING))
            process.kill()
    except SilenceError:
        told = b""
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    if not told.startswith(b'{"tests"'):
        raise TestError(
            "LP-T015",
            "the program does not say which tests it has.",
            remedy="Leave main() to <linpoint/test.hpp>, and do nothing before it that waits or ends the program.",
        )
    return msgspec.json.decode(told)


def _blocks(descriptor: int, deadline: float) -> Iterator[bytes]:
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while True:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise SilenceError
            block = os.read(descriptor, _BLOCK)
            if not block:
                return
            yield block


def waited_for_processor(pid: int) -> dict[str, float]:
    """For how many seconds each thread of a process could have run, and it was not its turn."""
    waited = {}
    for each in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with suppress(OSError, IndexError):
            waited[each.parent.name] = int(each.read_text(encoding="ascii").split()[1]) / 1e9
    return waited


def _started(command: list[str], descriptors: tuple[int, ...]) -> subprocess.Popen[bytes]:
    environment = os.environ | {name: _with_users(name, ours) for name, ours in _OPTIONS.items()}
    return subprocess.Popen(  # noqa: S603 - the user's own test
        command,
        stdin=subprocess.PIPE,
        stdout=sys.stderr.fileno() if _has_descriptor() else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=descriptors,
        env=environment,
        start_new_session=True,
    )


def _has_descriptor() -> bool:
    try:
        sys.stderr.fileno()
    except (OSError, ValueError):
        return False
    return True


def _with_users(name: str, ours: str) -> str:
    """Options of a sanitizer; ours are last, since we rely on them."""
    given = os.environ.get(name, "")
    return f"{given}:{ours}" if given else ours


class StressProgram:
    """A program at work. One thread listens to it."""

    def __init__(self, program: Path, request: str, *, workers: int, silence: float) -> None:
        self._program, self._request, self._silence = program, request, silence
        self._workers = workers
        self._ahead = 1 + (len(os.sched_getaffinity(0)) > workers)
        self._board = os.memfd_create("linpoint")
        os.ftruncate(self._board, workers * _PLACE.size)
        self._pending = b""
        self._at = 0
        self._said = _Said()
        self._process: subprocess.Popen[bytes] | None = None
        self._reading = -1
        self.clock = ""
        """What the program stamps operations with."""
        self.threads: dict[int, bool] = {}
        """The threads that hang in a round that is stuck, and whether each runs."""

    def __enter__(self) -> Self:
        self._start([])
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        os.close(self._board)

    def _start(self, before: list[str]) -> None:
        self._reading, writing = os.pipe()
        command = [*before, str(self._program), "run", str(writing), str(self._board)]
        try:
            process = self._process = _started(command, (writing, self._board))
        finally:
            os.close(writing)
        self._said = _Said()
        assert process.stdin is not None
        assert process.stderr is not None
        self._said.listen(process.stderr.fileno())
        with suppress(BrokenPipeError):
            process.stdin.write(self._request.encode() + b"\n" + _BURST * self._ahead)
            process.stdin.flush()

    def next(self, deadline: float | None) -> Round | None:
        """The next round; None if there are no more, or if the ``deadline`` comes first.

        Raises ``SilenceError`` when nothing came for too long.
        """
        while True:
            found = self._take()
            if found is not None:
                return found
            if not self._more(deadline):
                return None

    def _take(self) -> Round | None:
        """A round that is all here."""
        while (end := self._pending.find(b"\n", self._at, self._at + _LONGEST_WORD)) >= 0:
            word, *rest = self._pending[self._at : end].decode().split(" ")
            if word in ("round", "halted", "stuck"):
                number, size, operations, pairs = map(int, rest)
                if len(self._pending) < end + 1 + size:
                    return None
                lines = self._pending[end + 1 : end + 1 + size]
                self._at = end + 1 + size
                return Round(number, lines, operations, pairs, word)
            self._at = end + 1
            if word == "end":
                self._ask()
            elif word == "clock":
                self.clock = " ".join(rest)
            elif word == "thread":
                self.threads[int(rest[0])] = rest[1] == "runs"
            else:
                raise AssertionError(f"the program of the test says {word} {' '.join(rest)}")
        return None

    def _ask(self) -> None:
        """For another burst, now that one was heard."""
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(_BURST)
            self._process.stdin.flush()

    def _more(self, deadline: float | None) -> bool:
        """Wait for more; False at the end of what it says, and at the deadline."""
        assert self._process is not None
        since: tuple[float, dict[str, float]] | None = None
        with selectors.DefaultSelector() as selector:
            selector.register(self._reading, selectors.EVENT_READ)
            while True:
                now = time.monotonic()
                if deadline is not None and now >= deadline:
                    return False
                left = _LOOK if deadline is None else min(_LOOK, deadline - now)
                if selector.select(max(0.0, left)):
                    break
                waited = waited_for_processor(self._process.pid)
                since = since or (now, waited)
                # On a busy machine it may not have been its turn: that time does not count.
                starved = max((each - since[1].get(thread, 0.0) for thread, each in waited.items()), default=0.0)
                if time.monotonic() - since[0] - starved > self._silence:
                    raise SilenceError
        block = os.read(self._reading, _BLOCK)
        self._pending = self._pending[self._at :] + block
        self._at = 0
        if block or self.clock or not self._again():
            return bool(block)
        return self._more(deadline)

    def _again(self) -> bool:
        """Start it once more where a sanitizer could not work with addresses that are too random."""
        setarch = shutil.which("setarch")
        if setarch is None or _NO_ROOM not in self.end()[1]:
            return False
        self._start([setarch, platform.machine(), "-R"])
        return True

    def drain(self) -> Iterator[Round]:
        """What it still has said, after ``next`` has returned a round that is stuck."""
        limit = time.monotonic() + 2
        while (found := self.next(limit)) is not None:
            yield found

    def doing(self) -> list[Doing]:
        """What each thread does, or did when the program ended."""
        with mmap.mmap(self._board, self._workers * _PLACE.size, prot=mmap.PROT_READ) as board:
            places = _PLACE.iter_unpack(board[:])
            return [Doing(begun, call - 1 if call else None, round_) for begun, call, round_ in places]

    def memory(self) -> int:
        """Resident bytes of the program; 0 where the system does not tell."""
        try:
            assert self._process is not None
            pages = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1]
            return int(pages) * mmap.PAGESIZE
        except (OSError, IndexError, ValueError):
            return 0

    def reports(self) -> bool:
        """Whether a sanitizer has begun to say something."""
        return _REPORTING.search(self._said.text()) is not None

    def wait(self, seconds: float) -> None:
        """Give it time to end by itself."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def end(self) -> tuple[int | None, bytes]:
        """End it, if it has not ended; its code (None if it had to be ended) and what it wrote to standard error."""
        process = self._process
        if process is None:
            return None, self._said.text()
        self._process = None
        code = process.poll()
        with suppress(ProcessLookupError):  # whatever it has started goes with it
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self._said.close()
        os.close(self._reading)
        for stream in (process.stdin, process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return code, self._said.text()


class _Said:
    """What a process writes to standard error: its beginning and its end."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._thread: threading.Thread | None = None

    def listen(self, descriptor: int) -> None:
        self._thread = threading.Thread(target=self._read, args=(descriptor,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        if self._thread is not None:
            self._thread.join(1)

    def text(self) -> bytes:
        return bytes(self._head + self._tail)

    def _read(self, descriptor: int) -> None:
        with suppress(OSError):
            while block := os.read(descriptor, _KEPT):
                room = _KEPT - len(self._head)
                self._head += block[:room]
                self._tail += block[room:]
                del self._tail[:-_KEPT]
