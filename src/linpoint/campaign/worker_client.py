# SPDX-License-Identifier: Apache-2.0
"""Workers, as the command sees them: started, watched, told to stop, and their answers.

Guarantee: a worker that dies, hangs or takes too much memory never takes the command with it; what it said until then is
kept. Ctrl-C reaches the worker too, which answers with what it knows.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from linpoint.campaign.worker_protocol import ProgramRequest, RenderedResult, TestRequest
from linpoint.verdicts import Budget

_BEGIN: Final = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); from linpoint.campaign.worker_process import main; main()"
"""While a worker still imports, Ctrl-C ends it without a word."""
_GRACE: Final = 1.5
"""Seconds that a worker gets to come to an end by itself."""
_LOOK: Final = 0.1
_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a worker ended: with an answer, or as ``died`` says."""

    answer: RenderedResult | None
    died: str = ""
    reached: dict[str, Any] | None = None
    """How far it was: its last progress."""
    stopped: str = ""
    """Why it was told to stop, if it was."""
    interrupted: bool = False


NOT_BEGUN: Final = Outcome(None, "it was interrupted", stopped="it was interrupted")
"""Of a worker that is not started any more."""


def ask(
    request: TestRequest | ProgramRequest,
    budget: Budget,
    *,
    progress: Callable[[dict[str, Any]], None] = lambda _: None,
) -> Outcome:
    """Start a worker with a request and wait for its answer."""
    reading, writing = os.pipe()
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    command = [sys.executable, "-c", _BEGIN, str(writing)]
    with subprocess.Popen(  # noqa: S603 - our own module
        command, stdin=subprocess.PIPE, stdout=sys.stderr.fileno(), pass_fds=(writing,), env=environment
    ) as process:
        os.close(writing)
        assert process.stdin is not None
        process.stdin.write(msgspec.json.encode(request))
        process.stdin.close()
        try:
            return _Watch(process, reading, budget, progress).run()
        finally:
            os.close(reading)
            if process.poll() is None:
                process.kill()


class _Watch:
    def __init__(
        self,
        process: subprocess.Popen[bytes],
        reading: int,
        budget: Budget,
        progress: Callable[[dict[str, Any]], None],
    ) -> None:
        self._process = process
        self._reading = reading
        self._budget = budget
        self._progress = progress
        self._pending = b""
        self._answer: RenderedResult | None = None
        self._reached: dict[str, Any] | None = None
        self._stopped = ""
        self._kill_at: float | None = None
        self._interrupted = False

    def run(self) -> Outcome:
        with selectors.DefaultSelector() as selector:
            selector.register(self._reading, selectors.EVENT_READ)
            while True:
                try:
                    if self._turn(selector):
                        break
                except KeyboardInterrupt:
                    self._interrupted = True
                    self._tell_to_stop("it was interrupted")
        died = "" if self._answer is not None else self._how_it_died()
        return Outcome(self._answer, died, self._reached, self._stopped, self._interrupted)

    def _turn(self, selector: selectors.BaseSelector) -> bool:
        """Wait a moment for a message; true when there is nothing more to wait for."""
        for _ in selector.select(_LOOK):
            data = os.read(self._reading, 1 << 20)
            if not data:
                self._process.wait(timeout=_GRACE)
                return True
            self._read(data)
            if self._answer is not None:
                return True
        now = time.monotonic()
        left = self._budget.remaining()
        if left is not None and left <= 0 and not self._stopped:
            self._tell_to_stop("the time budget ran out")  # it keeps the budget by itself, unless it cannot
        if self._budget.max_memory is not None and _memory(self._process.pid) > self._budget.max_memory:
            self._tell_to_stop("the memory budget ran out")
        if self._kill_at is not None and now >= self._kill_at:
            self._process.kill()
            return True
        return False

    def _tell_to_stop(self, why: str) -> None:
        if not self._stopped:
            self._stopped = why
            self._kill_at = time.monotonic() + _GRACE
            self._process.send_signal(signal.SIGINT)

    def _read(self, data: bytes) -> None:
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            message = msgspec.json.decode(line)
            if "answer" in message:
                self._answer = msgspec.convert(message["answer"], RenderedResult)
            elif "progress" in message:
                self._reached = message["progress"]
                self._progress(message["progress"])

    def _how_it_died(self) -> str:
        if self._stopped and self._process.poll() is None:
            self._process.kill()
        try:
            code = self._process.wait(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if self._stopped:
            return self._stopped
        if code < 0:
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it exited with code {code}"


def _memory(process: int) -> int:
    """Resident bytes of a process; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0
