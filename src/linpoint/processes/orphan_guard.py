# SPDX-License-Identifier: Apache-2.0
"""Kills supervised processes and their descendants when this process dies without a chance to do so (``kill -9``).

Guarantee: on Linux, every process that inherited the marker of this process in its environment is killed, also one in a
session of its own and one that was started a moment before. Elsewhere, and where there is no ``/bin/sh``, none is.
Cost: one small shell while at least one supervised process is alive (2 ms to start and end).

The shell blocks on a pipe whose writing end only this process holds: end of file says that it died. A
parent-death signal would not do: it reaches direct children only, follows the thread that started them, and has to be set
between fork and exec.
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
"""A process that was just forked has no environment of its own yet, hence several scans."""


@dataclass(slots=True)
class _Guard:
    shell: subprocess.Popen[bytes]
    alive: int


class _Guards:
    """The guard of this process, shared by all its supervised processes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.guard: _Guard | None = None
        self.marker = secrets.token_hex(8)

    def abandon(self) -> None:
        """In a forked child: the guard watches the parent."""
        guard, self.lock, self.users, self.guard = self.guard, threading.Lock(), 0, None
        self.marker = secrets.token_hex(8)
        if guard is not None:
            guard.shell.returncode = 0  # it is no child of ours
            os.close(guard.alive)


_guards: Final = _Guards()
os.register_at_fork(after_in_child=_guards.abandon)


@contextmanager
def shared_guard() -> Iterator[None]:
    """One guard serves all processes that are started in this block; without it each of a series starts its own."""
    with _guards.lock:
        _guards.users += 1
    try:
        yield
    finally:
        with _guards.lock:
            if _guards.users:  # not after a fork
                _guards.users -= 1
            if not _guards.users and _guards.guard is not None:
                _end(_guards.guard)
                _guards.guard = None


@contextmanager
def guarded_environment() -> Iterator[dict[str, str]]:
    """Variables that a process must inherit so that it does not outlive this one. The guard ends with the last block."""
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
