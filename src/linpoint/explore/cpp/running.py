# SPDX-License-Identifier: Apache-2.0
"""The host at work: started for one search, listened to, and stopped when it has to be.

Guarantee: whatever the host or the program in it does (it dies, hangs, takes all memory, says nonsense), there is an
``Outcome``; Ctrl-C is raised when the host is gone. The host is a group of processes of its own, and none of them is
left behind.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import msgspec

from linpoint.explore.cpp.said import Reached, Result, result_of

RACES: Final = ("stop", "report", "ignore")
"""What may be done at a data race: it is the finding, it is told beside, or plain accesses count as relaxed atomics."""
ISOLATIONS: Final = ("none", "fork")
_GRACE: Final = 1.5
"""Seconds that the host gets to come to an end by itself when its time is up."""
_LOOK: Final = 0.05
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_MOST_PENDING: Final = 512 * 2**20
"""Letters of one line: more is no answer."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a program is run, whatever the search."""

    memory_model: str = "sc"
    races: str = "stop"
    reuse: bool = False
    spurious: bool = False
    isolate: str = "none"
    args: tuple[str, ...] = ()
    max_memory: int | None = None

    def words(self) -> list[str]:
        """As options of the host."""
        words = ["--memory-model", self.memory_model, "--races", self.races, "--isolate", self.isolate]
        words += ["--reuse"] * self.reuse + ["--spurious"] * self.spurious
        # Half of it is for what the program allocates; the rest is the host's own.
        words += [] if self.max_memory is None else ["--max-memory", str(max(1, self.max_memory // 2))]
        return words


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a search ended: with a result, or as ``died`` says."""

    result: Result | None
    reached: Reached
    """How far it was when it was last heard of."""
    died: str = ""
    by_itself: bool = False
    """It died without being told to."""
    peak_memory_bytes: int = 0


Listener = Callable[[Reached], None]


@dataclass(frozen=True, slots=True)
class Host:
    """A host and a target, to be run with one search after another."""

    path: Path
    target: Path
    manner: Manner
    listen: Listener = lambda _: None

    def run(
        self,
        search: str,
        *,
        seconds: float,
        patience: float = 0.0,
        seed: int = 0,
        trace: bool = False,
        outcomes: bool = False,
    ) -> Outcome:
        """Let the host run one search, for so many seconds.

        A run that takes longer may come to its end for ``patience`` seconds: the host itself says it of one that
        seems to have none.
        """
        words = [str(self.path), str(self.target), *self.manner.words(), "--search", search]
        words += ["--seed", str(seed), "--seconds", f"{seconds:.3f}"]
        words += ["--trace"] * trace + ["--outcomes"] * outcomes
        reading, writing = os.pipe()
        with tempfile.TemporaryFile() as errors:
            try:
                command = [*words, "--results", str(writing), "--", *self.manner.args]
                process = _start(command, errors, writing)
            except OSError as error:
                os.close(reading)
                return Outcome(None, Reached(), f"the host cannot be started: {error.strerror}")
            finally:
                os.close(writing)
            watch = _Watch(process, reading, max(seconds, patience), self.manner.max_memory, self.listen)
            try:
                return watch.run(errors)
            finally:
                os.close(reading)
                watch.end()


def _start(command: Sequence[str], errors: IO[bytes], writing: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own host
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        pass_fds=(writing,),
        start_new_session=True,  # Ctrl-C is for us: the host is stopped when what it said was read
    )


class _Watch:
    """Waits for one host."""

    def __init__(
        self, process: subprocess.Popen[bytes], reading: int, seconds: float, max_memory: int | None, listen: Listener
    ) -> None:
        self._process = process
        self._reading = reading
        self._kill_at = time.monotonic() + seconds + _GRACE
        self._max_memory = max_memory
        self._listen = listen
        self._pending = bytearray()
        self._result: Result | None = None
        self._reached = Reached()
        self._stopped = ""
        self._peak = 0

    def run(self, errors: IO[bytes]) -> Outcome:
        with selectors.DefaultSelector() as selector:
            selector.register(self._reading, selectors.EVENT_READ)
            while not self._stopped and self._turn(selector):
                pass
        told = self._result is not None
        code = self.end(patient=told or not self._stopped)
        if self._result is not None:
            return Outcome(self._result, self._reached, peak_memory_bytes=self._peak)
        if self._stopped:
            return Outcome(None, self._reached, self._stopped, peak_memory_bytes=self._peak)
        errors.seek(0)
        how, by_itself = _how_it_died(code, errors.read(2000).decode("utf-8", "replace"))
        return Outcome(None, self._reached, how, by_itself, self._peak)

    def end(self, *, patient: bool = False) -> int:
        """See the host to its end; its exit code, negative for a signal."""
        if self._process.returncode is not None:
            return self._process.returncode
        until = time.monotonic() + (_GRACE if patient else 0.0)
        while (ended := os.wait4(self._process.pid, os.WNOHANG))[0] == 0 and time.monotonic() < until:
            time.sleep(0.002)
        with suppress(ProcessLookupError):  # its workers, too
            os.killpg(self._process.pid, signal.SIGKILL)
        if ended[0] == 0:
            ended = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(ended[1])
        self._peak = max(self._peak, ended[2].ru_maxrss * 1024)
        return self._process.returncode

    def _turn(self, selector: selectors.BaseSelector) -> bool:
        """Wait a moment for a line; false when there is nothing more to wait for."""
        for _ in selector.select(_LOOK):
            data = os.read(self._reading, 1 << 20)
            if not data:
                return False
            self._read(data)
            if self._result is not None or self._stopped:
                return False
        if time.monotonic() >= self._kill_at:
            self._stopped = "a run of the program does not come back"
        elif self._max_memory is not None and _memory(self._process.pid) > self._max_memory:
            self._stopped = "the memory budget ran out"
        return True

    def _read(self, data: bytes) -> None:
        self._pending += data
        if b"\n" not in data:
            if len(self._pending) > _MOST_PENDING:
                self._stopped = "the host says more than can be read"
            return
        *lines, rest = bytes(self._pending).split(b"\n")
        self._pending = bytearray(rest)
        for line in lines:
            try:
                self._hear(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, AttributeError, TypeError) as error:
                self._stopped = f"the host says what cannot be read, which is a bug to report: {error}"
                break

    def _hear(self, line: bytes) -> None:
        message = msgspec.json.decode(line)
        if "result" in message:
            self._result = result_of(message["result"])
        elif "progress" in message:
            self._reached = msgspec.convert(message["progress"], Reached, strict=False)
            self._listen(self._reached)


def _how_it_died(code: int, said: str) -> tuple[str, bool]:
    """In words, and whether that was the program's doing."""
    if code == -signal.SIGKILL:
        return "its process was ended by SIGKILL, as when the machine has no memory left", False
    if code < 0:
        return f"its process was ended by {signal.Signals(-code).name}", True
    if said.strip():
        return f"the host refuses, which is a bug to report: {said.strip().splitlines()[-1]}", False
    return f"its process exited with code {code} in the middle of a run", True


def _memory(process: int) -> int:
    """Resident bytes of a process and its children; 0 where the system does not tell."""
    pages = 0
    for each in (str(process), *_children(process)):
        with suppress(OSError, IndexError, ValueError):
            pages += int(Path(f"/proc/{each}/statm").read_text(encoding="ascii").split()[1])
    return pages * _PAGE


def _children(process: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    return []
