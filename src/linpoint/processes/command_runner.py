# SPDX-License-Identifier: Apache-2.0
"""Runs compilers, linkers and other tools, in parallel and within a time limit.

Guarantee: no process that was started here survives, whether the time has run out or the user has pressed Ctrl-C.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from linpoint.processes.supervised_process import SupervisedProcess

NOT_FOUND: Final = 127
"""The exit code of a tool that cannot be started, as in a shell."""
_POLL_INTERVAL_S: Final = 0.01


class OutOfTimeError(Exception):
    """The time limit ended while tools were running."""


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """The exit code of a tool, and its output on both streams."""

    code: int
    """The exit code; negative for a signal."""
    output: bytes

    @property
    def text(self) -> str:
        """The output as text."""
        return self.output.decode("utf-8", "replace")


def run_commands(
    commands: Sequence[Sequence[str]],
    *,
    folder: Path | None = None,
    deadline: float | None = None,
    jobs: int | None = None,
) -> list[CommandOutput]:
    """Run commands, up to ``jobs`` in parallel, and return their outputs in order.

    ``deadline`` is on the monotonic clock.
    """
    most = jobs or os.cpu_count() or 1
    done: dict[int, CommandOutput] = {}
    running: dict[int, _RunningCommand] = {}
    waiting = list(enumerate(commands))
    try:
        while waiting or running:
            while waiting and len(running) < most:
                number, command = waiting.pop(0)
                try:
                    running[number] = _RunningCommand(command, folder)
                except OSError as error:
                    done[number] = CommandOutput(NOT_FOUND, f"{command[0]}: {error.strerror}\n".encode())
            for number, command_run in list(running.items()):
                output = command_run.output()
                if output is not None:
                    done[number] = output
                    running.pop(number).close()
            if deadline is not None and time.monotonic() > deadline:
                raise OutOfTimeError
            if running:
                time.sleep(_POLL_INTERVAL_S)
    finally:
        for command_run in running.values():
            command_run.close()
    return [done[number] for number in range(len(commands))]


def run(command: Sequence[str], *, folder: Path | None = None, deadline: float | None = None) -> CommandOutput:
    """Run one command."""
    return run_commands([command], folder=folder, deadline=deadline)[0]


class _RunningCommand:
    """A running tool, whose complete output goes to a file."""

    def __init__(self, command: Sequence[str], folder: Path | None) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = SupervisedProcess.start(command, stdout=self._file, stderr=subprocess.STDOUT, cwd=folder)
        except OSError:
            self._file.close()
            raise

    def output(self) -> CommandOutput | None:
        """The exit code and the output; None while the tool is running."""
        if not self._process.wait(0):
            return None
        outcome = self._process.outcome()
        self._file.seek(0)
        return CommandOutput(-outcome.signal if outcome.signal else outcome.exit_code or 0, self._file.read())

    def close(self) -> None:
        """Kill the tool if it is running, and close its file."""
        self._process.close()
        self._file.close()
