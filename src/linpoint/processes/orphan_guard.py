# SPDX-License-Identifier: Apache-2.0
"""Kills supervised processes and their descendants if this process dies without cleaning up (``kill -9``).

Guarantee: on Linux, every process that inherited the marker of this process in its environment is killed, including one
in a session of its own and one that was started a moment before. On other systems, and without ``/bin/sh``, no process
is. Cost: one small shell while at least one supervised process is alive (2 ms to start and end).

The shell blocks on a pipe whose write end only this process holds: end of file means that this process died. A
parent-death signal would not suffice: it reaches only direct children, depends on the thread that started them, and
must be set between fork and exec.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

_VARIABLE: Final = "LINPOINT_SUPERVISOR"
_SCRIPT: Final = f"""
read -r _
for _ in 1 2 3 4 5 6 7 8 9 10; do
  for each in $(grep -lzs "^{_VARIABLE}=$1$" /proc/[0-9]*/environ); do
    pid=${{each#/proc/}}
    kill -9 "${{pid%/environ}}"
  done
  sleep 0.1
done
"""
"""The script of the guard.

A newly forked process has no environment of its own yet, so the script scans several times.
"""


@dataclass(slots=True)
class _Guard:
    shell: subprocess.Popen[bytes]
    alive: int


class _Guards:
    """The guard of this process, which all its supervised processes share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.guard: _Guard | None = None
        self.marker = secrets.token_hex(8)

    def abandon(self) -> None:
        """Release the guard in a forked child, since the guard watches the parent."""
        guard, self.lock, self.users, self.guard = self.guard, threading.Lock(), 0, None
        self.marker = secrets.token_hex(8)
        if guard is not None:
            guard.shell.returncode = 0  # not a child of this process
            os.close(guard.alive)


_guards: Final = _Guards()
os.register_at_fork(after_in_child=_guards.abandon)


@contextmanager
def shared_guard() -> Iterator[None]:
    """Keep one guard for all processes that are started in this block. Otherwise each of them starts its own."""
    with _guards.lock:
        _guards.users += 1
    try:
        yield
    finally:
        with _guards.lock:
            if _guards.users:  # false after a fork
                _guards.users -= 1
            if not _guards.users and _guards.guard is not None:
                _end(_guards.guard)
                _guards.guard = None


@contextmanager
def guarded_environment() -> Iterator[dict[str, str]]:
    """The environment variables that a process must inherit in order not to outlive this one.

    The guard ends with the last block.
    """
    with shared_guard():
        with _guards.lock:
            if _guards.guard is None:
                _guards.guard = _start(_guards.marker)
            guard = _guards.guard
        yield {} if guard is None else {_VARIABLE: _guards.marker}


def _start(marker: str) -> _Guard | None:
    if sys.platform != "linux":
        return None
    reading, alive = os.pipe()
    try:
        shell = subprocess.Popen(  # noqa: S603 - a constant script
            ["/bin/sh", "-c", _SCRIPT, "linpoint", marker],
            stdin=reading,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.defpath},
            start_new_session=True,
        )
    except OSError:
        os.close(alive)
        return None
    finally:
        os.close(reading)
    return _Guard(shell, alive)


def _end(guard: _Guard) -> None:
    guard.shell.kill()
    guard.shell.wait()
    os.close(guard.alive)
