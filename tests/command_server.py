# SPDX-License-Identifier: Apache-2.0
"""The command in processes that need not import it first.

A server imports the modules of the command once and forks for each call. Each call is a process of its own with its own
directory, environment and streams, like the script, and begins some tenths of a second earlier. The server has no
threads. ``Server.run`` calls it from a test; ``Server.install`` makes a command ``linpoint`` for shells, which calls it
in turn (``command_client``). Tests of how the process begins, and of its signals, start the script itself.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.command_client import call

COMMAND = str(Path(sys.executable).with_name("linpoint"))
TIMEOUT = 240.0
"""Seconds after which a command is considered to hang, even on a busy machine."""
_CLIENT = Path(__file__).with_name("command_client.py")


def environment(home: Path) -> dict[str, str]:
    """A plain environment: no colours, no width, a home of its own."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TMPDIR")}
    # The host of C++ programs is built once, not for each home directory.
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    return kept | {"HOME": str(home), "XDG_CACHE_HOME": cache, "PYTHONDONTWRITEBYTECODE": "1"}


class Server:
    """Runs the command repeatedly."""

    def __init__(self, command: str, environment: dict[str, str]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="linpoint-server-"))
        self._address = str(self._folder / "socket")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self._address)
            listening.listen()
            self._process = subprocess.Popen(
                [sys.executable, __file__, command, str(listening.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[listening.fileno()],
                env=environment,
                cwd="/",
            )

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def run(
        self,
        args: tuple[str, ...],
        *,
        folder: Path,
        environment: dict[str, str],
        timeout: float = TIMEOUT,
        stdin: bytes | None = None,
    ) -> tuple[int, bytes, bytes]:
        """The exit code (negative for a signal), and the contents of both streams."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            reading, writing = os.pipe() if stdin is not None else (os.open(os.devnull, os.O_RDONLY), None)
            streams = [reading, out.fileno(), err.fileno()]
            with call(self._address, args, str(folder), environment, streams) as called:
                os.close(reading)
                if writing is not None:
                    _feed(writing, stdin or b"")
                called.settimeout(timeout)
                try:
                    code = int(called.makefile().readline())
                except TimeoutError:
                    raise subprocess.TimeoutExpired(["linpoint", *args], timeout) from None
            out.seek(0)
            err.seek(0)
            return code, out.read(), err.read()

    def install(self, folder: Path) -> Path:
        """Put the command ``linpoint`` into a directory, for the search path of a shell."""
        path = folder / "linpoint"
        path.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {_CLIENT} {self._address} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
        return path


def _feed(stream: int, data: bytes) -> None:
    """Write to a pipe that its reader may close early."""
    with suppress(BrokenPipeError), os.fdopen(stream, "wb") as file:
        file.write(data)


def _serve(command: str, listening: socket.socket) -> None:
    sys.path[0] = str(Path(command).parent)  # as the script has it
    import linpoint.cli.main  # noqa: F401 - the slow import
    from _linpoint_command import main

    while True:
        called, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            if os.fork() == 0:  # so that the server need not wait for it
                _answer(called, command, main)
            os._exit(0)
        called.close()
        os.wait()


def _answer(called: socket.socket, command: str, main: Callable[[], None]) -> None:
    """Run one call; its process is killed when the caller goes away. Does not return."""
    header, streams, _, _ = socket.recv_fds(called, 8, 3)
    request = json.loads(called.recv(int.from_bytes(header), socket.MSG_WAITALL))
    child = os.fork()
    if child == 0:
        called.close()
        _become(command, request, streams, main)
    for each in streams:
        os.close(each)
    ended = os.pidfd_open(child)
    if ended not in select.select([ended, called], [], [])[0]:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with suppress(OSError):
        called.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(command: str, request: dict[str, Any], streams: list[int], main: Callable[[], None]) -> None:
    """Become the command. Does not return."""
    code: Any = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv = [command, *request["args"]]
        main()
        code = 0
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - as Python itself would
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    _serve(sys.argv[1], socket.socket(fileno=int(sys.argv[2])))
