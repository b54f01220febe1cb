# SPDX-License-Identifier: Apache-2.0
"""Compilers, linkers and other tools, run in parallel and within the time there is.

Guarantee: no process that was started here is left behind, whether the time is up or the user has had enough.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

NOT_FOUND: Final = 127
"""The code of a tool that cannot be started, as shells have it."""
_LOOK: Final = 0.01


class OutOfTimeError(Exception):
    """The time ended while tools were still at work."""


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """How a tool ended, and what it said on either stream."""

    code: int
    output: bytes

    @property
    def text(self) -> str:
        """What it said."""
        return self.output.decode("utf-8", "replace")


def run_commands(
    commands: Sequence[Sequence[str]],
    *,
    folder: Path | None = None,
    deadline: float | None = None,
    jobs: int | None = None,
) -> list[CommandOutput]:
    """Run commands, some at a time; what became of each. ``deadline`` is on the monotonic clock."""
    most = jobs or os.cpu_count() or 1
    done: dict[int, CommandOutput] = {}
    running: dict[int, tuple[subprocess.Popen[bytes], IO[bytes]]] = {}
    waiting = list(enumerate(commands))
    try:
        while waiting or running:
            while waiting and len(running) < most:
                number, command = waiting.pop(0)
                try:
                    running[number] = _start(command, folder)
                except OSError as error:
                    done[number] = CommandOutput(NOT_FOUND, f"{command[0]}: {error.strerror}\n".encode())
            for number, (process, output) in list(running.items()):
                if process.poll() is not None:
                    output.seek(0)
                    done[number] = CommandOutput(process.returncode, output.read())
                    output.close()
                    del running[number]
            if deadline is not None and time.monotonic() > deadline:
                raise OutOfTimeError
            if running:
                time.sleep(_LOOK)
    finally:
        for process, output in running.values():
            with suppress(ProcessLookupError):  # a compiler is several processes
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            output.close()
    return [done[number] for number in range(len(commands))]


def run(command: Sequence[str], *, folder: Path | None = None, deadline: float | None = None) -> CommandOutput:
    """Run one command."""
    return run_commands([command], folder=folder, deadline=deadline)[0]


def _start(command: Sequence[str], folder: Path | None) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    output = tempfile.TemporaryFile()  # noqa: SIM115 - closed by who waits for the process
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own compiler
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            start_new_session=True,
        )
    except OSError:
        output.close()
        raise
    return process, output
