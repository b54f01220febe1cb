# SPDX-License-Identifier: Apache-2.0
"""Starts a process in a session of its own, with pipes for messages, input and standard error as its arguments ask for.

Guarantee: if it cannot be started, no descriptor is left open.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, TypedDict, Unpack

from linpoint.processes.orphan_guard import guarded_environment
from linpoint.processes.output_tail import OutputTail


class _Placeholder(str):
    """An argument that is known by its identity: a user's argument may have the same text."""

    __slots__ = ()


MESSAGES: Final = _Placeholder("{messages}")
"""An argument that stands for the descriptor to which the process writes messages."""
INPUT: Final = _Placeholder("{input}")
"""An argument that stands for the descriptor from which the process reads what is written to it."""
TAIL: Final = -100
"""Capture the beginning and the end of standard error."""
WRITTEN: Final = -101
"""What is written to the process is its standard input."""

Stream = int | IO[bytes] | None


class LaunchOptions(TypedDict, total=False):
    """The surroundings of a process."""

    stdin: bytes | int
    """Its whole standard input, or ``WRITTEN``; by default, nothing."""
    stdout: Stream
    """By default, it is thrown away."""
    stderr: Stream
    """By default, ``TAIL``."""
    pass_fds: Sequence[int]
    env: Mapping[str, str]
    cwd: Path | None


@dataclass(frozen=True, slots=True)
class LaunchedProcess:
    """A process, and our ends of its pipes; -1 for a pipe that it does not have."""

    process: subprocess.Popen[bytes]
    reading: int
    writing: int
    tail: OutputTail | None


def launch(argv: Sequence[str], resources: ExitStack, **options: Unpack[LaunchOptions]) -> LaunchedProcess:
    """Start a process; raises OSError if that is not possible. Descriptors belong to ``resources``."""
    marker = resources.enter_context(guarded_environment())
    words, passed = list(argv), tuple(options.get("pass_fds", ()))
    with ExitStack() as theirs, ExitStack() as unstarted:
        reading = writing = tail = -1
        messages, takes_input = _index(words, MESSAGES), _index(words, INPUT)
        if messages is not None:
            reading, end = os.pipe()
            resources.callback(os.close, reading)
            theirs.callback(os.close, end)
            words[messages] = str(end)
            passed += (end,)
        stdin: Stream = subprocess.DEVNULL
        given = options.get("stdin")
        if takes_input is not None or given == WRITTEN:
            end, writing = os.pipe()
            resources.callback(os.close, writing)
            theirs.callback(os.close, end)
            os.set_blocking(writing, False)
            if takes_input is None:
                stdin = end
            else:
                words[takes_input] = str(end)
                passed += (end,)
        if isinstance(given, bytes):
            stdin = theirs.enter_context(tempfile.TemporaryFile())
            stdin.write(given)
            stdin.seek(0)
        stderr = options.get("stderr", TAIL)
        if stderr == TAIL:
            tail, stderr = os.pipe()
            unstarted.callback(os.close, tail)
            theirs.callback(os.close, stderr)
        process = subprocess.Popen(  # noqa: S603 - our own host, or the user's own program
            words,
            stdin=stdin,
            stdout=options.get("stdout", subprocess.DEVNULL),
            stderr=stderr,
            pass_fds=passed,
            env=dict(options.get("env", os.environ)) | marker,
            cwd=options.get("cwd"),
            start_new_session=True,
        )
        unstarted.pop_all()
    return LaunchedProcess(process, reading, writing, OutputTail(tail) if tail >= 0 else None)


def _index(words: Sequence[str], placeholder: _Placeholder) -> int | None:
    return next((at for at, word in enumerate(words) if word is placeholder), None)
