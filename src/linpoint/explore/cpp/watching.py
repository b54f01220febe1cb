# SPDX-License-Identifier: Apache-2.0
"""Hosts at work: listened to until they have said their result, and stopped when they have to be.

Guarantee: whatever a host or the program in it does (it dies, hangs, takes all memory, says nonsense), there is an
``Outcome``. A host is a group of processes of its own, and none of them is left behind.
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

from linpoint.hosts.search_messages import SearchProgress, SearchResult, result_of

GRACE: Final = 1.5
"""Seconds that the host gets to come to an end by itself when its time is up."""
_LOOK: Final = 0.05
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_MOST_PENDING: Final = 512 * 2**20
"""Letters of one line: more is no answer."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a search ended: with a result, or as ``died`` says."""

    result: SearchResult | None
    reached: SearchProgress
    """How far it was when it was last heard of."""
    died: str = ""
    by_itself: bool = False
    """It died without being told to."""
    peak_memory_bytes: int = 0
    interrupted: bool = False
    """By Ctrl-C."""


class Watch:
    """One host, from its start to its end."""

    def __init__(
        self,
        command: Sequence[str],
        arguments: Sequence[str],
        files: Sequence[int],
        seconds: float,
        max_memory: int | None,
    ) -> None:
        """Start it with open files of ours; after so many seconds it is killed. Raises OSError if that is not possible."""
        self.reading, writing = os.pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed at the end
        try:
            words = [*command, "--results", str(writing), "--", *arguments]
            self._process = _start(words, self._errors, (writing, *files))
        except OSError:
            self._close()
            raise
        finally:
            os.close(writing)
        self._kill_at = time.monotonic() + seconds
        self._max_memory = max_memory
        self._pending = bytearray()
        self._result: SearchResult | None = None
        self._stopped = ""
        self._silent = False
        self._peak = 0
        self.reached = SearchProgress()

    @property
    def over(self) -> bool:
        """There is nothing more to wait for."""
        return self._silent or self._result is not None or bool(self._stopped)

    @property
    def unfinished(self) -> bool:
        """It is over, and not because there was nothing left to do."""
        return self.over and (self._result is None or self._result.ended != "exhausted")

    @property
    def _ends_by_itself(self) -> bool:
        return self._result is not None or not self._stopped

    def read(self) -> bool:
        """Take in what it says, which there is; true if that was about how far it is."""
        before = self.reached
        data = os.read(self.reading, 1 << 20)
        self._silent = not data
        self._pending += data
        if b"\n" not in data:
            if len(self._pending) > _MOST_PENDING:
                self._stopped = "the host says more than can be read"
            return False
        *lines, rest = bytes(self._pending).split(b"\n")
        self._pending = bytearray(rest)
        for line in lines:
            try:
                self._hear(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, AttributeError, TypeError) as error:
                self._stopped = f"the host says what cannot be read, which is a bug to report: {error}"
                break
        return self.reached is not before

    def look(self) -> None:
        """Whether it keeps to its limits."""
        if time.monotonic() >= self._kill_at:
            self._stopped = "a run of the program does not come back"
        elif self._max_memory is not None and _memory(self._process.pid) > self._max_memory:
            self._stopped = "the memory budget ran out"

    def outcome(self) -> Outcome:
        """When it is over: what came of it."""
        code = self._end(patient=self._ends_by_itself)
        if self._result is not None:
            return Outcome(self._result, self.reached, peak_memory_bytes=self._peak)
        if self._stopped:
            return Outcome(None, self.reached, self._stopped, peak_memory_bytes=self._peak)
        self._errors.seek(0)
        how, by_itself = _how_it_died(code, self._errors.read(2000).decode("utf-8", "replace"))
        return Outcome(None, self.reached, how, by_itself, self._peak)

    def end(self) -> None:
        """Leave nothing of it behind."""
        self._end()
        self._close()

    def _end(self, *, patient: bool = False) -> int:
        """See the host to its end; its exit code, negative for a signal."""
        if self._process.returncode is not None:
            return self._process.returncode
        until = time.monotonic() + (GRACE if patient else 0.0)
        while (ended := os.wait4(self._process.pid, os.WNOHANG))[0] == 0 and time.monotonic() < until:
            time.sleep(0.002)
        with suppress(ProcessLookupError):  # and what it has started
            os.killpg(self._process.pid, signal.SIGKILL)
        if ended[0] == 0:
            ended = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(ended[1])
        self._peak = max(self._peak, ended[2].ru_maxrss * 1024)
        return self._process.returncode

    def _close(self) -> None:
        self._errors.close()
        os.close(self.reading)

    def _hear(self, line: bytes) -> None:
        message = msgspec.json.decode(line)
        if "result" in message:
            self._result = result_of(message["result"])
        elif "progress" in message:
            self.reached = msgspec.convert(message["progress"], SearchProgress, strict=False)


def watch_all(watches: Sequence[Watch], on_progress: Callable[[], None], on_end: Callable[[], None]) -> None:
    """Wait until all are over. ``on_end`` is called when one has not found out all there was."""
    with selectors.DefaultSelector() as selector:
        for watch in watches:
            selector.register(watch.reading, selectors.EVENT_READ, watch)
        while working := list(selector.get_map().values()):
            for key, _ in selector.select(_LOOK):
                if key.data.read():
                    on_progress()
            for key in working:
                if not key.data.over:
                    key.data.look()
                if key.data.over:
                    selector.unregister(key.fileobj)
                if key.data.unfinished:
                    on_end()


def _start(command: Sequence[str], errors: IO[bytes], files: Sequence[int]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own host
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        pass_fds=tuple(files),
        start_new_session=True,  # Ctrl-C is for us: the host is stopped when what it said was read
    )


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
