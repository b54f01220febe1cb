# SPDX-License-Identifier: Apache-2.0
"""Starts a process in a session of its own, with the pipes that its arguments request.

The pipes are for messages, input and standard error. Guarantee: if the process cannot be started, no descriptor stays
open.
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
    """A placeholder in a list of arguments.

    It is recognised by identity, since a user's argument may have the same text.
    """

    __slots__ = ()


MESSAGES: Final = _Placeholder("{messages}")
"""Stands for the descriptor to which the process writes messages."""
INPUT: Final = _Placeholder("{input}")
"""Stands for the descriptor from which the process reads its input."""
TAIL: Final = -100
"""Capture the beginning and the end of standard error."""
WRITTEN: Final = -101
"""Connect standard input to the data that is written to the process."""

Stream = int | IO[bytes] | None


class LaunchOptions(TypedDict, total=False):
    """Options for starting a process."""

    stdin: bytes | int
    """All of standard input, or ``WRITTEN``; by default empty."""
    stdout: Stream
    """By default, standard output is discarded."""
    stderr: Stream
    """By default, ``TAIL``."""
    pass_fds: Sequence[int]
    env: Mapping[str, str]
    cwd: Path | None


@dataclass(frozen=True, slots=True)
class LaunchedProcess:
    """A process and the ends of its pipes in this process; -1 for a pipe that does not exist."""

    process: subprocess.Popen[bytes]
    reading: int
    writing: int
    tail: OutputTail | None


def launch(argv: Sequence[str], resources: ExitStack, **options: Unpack[LaunchOptions]) -> LaunchedProcess:
    """Start a process; raise OSError if that fails. ``resources`` owns the descriptors."""
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
        process = subprocess.Popen(  # noqa: S603 - linpoint's own host, or the user's own program
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
