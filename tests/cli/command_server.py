# SPDX-License-Identifier: Apache-2.0
"""The command in processes that need not import it first.

A server imports what the command does, once, and forks for each call: what is run is a process of its own with its own
folder, environment and streams, as the script would be, and begins some tenths of a second earlier. It has no threads.
Tests of how the process begins, of its signals and of its streams start the script itself.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any


class Server:
    """Runs the command again and again; one call at a time."""

    def __init__(self, command: str, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd="/",
        )

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()

    def run(
        self, args: tuple[str, ...], *, folder: Path, environment: dict[str, str], output: Path, timeout: float
    ) -> tuple[int, bytes, bytes]:
        """The exit code (negative for a signal), and what it wrote to its streams; ``output`` is a folder for them."""
        out, err = output / "out", output / "err"
        request = {"args": args, "folder": str(folder), "environment": environment, "out": str(out), "err": str(err)}
        until = time.monotonic() + timeout
        self._say(request)
        pid = self._heard(None)
        try:
            code = self._heard(until)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            self._heard(None)
            raise subprocess.TimeoutExpired(["linpoint", *args], timeout) from None
        return code, out.read_bytes(), err.read_bytes()

    def _say(self, request: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def _heard(self, until: float | None) -> int:
        stream = self._process.stdout
        assert stream is not None
        left = None if until is None else max(0.0, until - time.monotonic())
        if not select.select([stream], [], [], left)[0]:
            raise TimeoutError
        number = b""
        while not number.endswith(b"\n"):  # unbuffered, lest select misses what was read already
            letter = os.read(stream.fileno(), 1)
            assert letter, "the server has ended"
            number += letter
        return int(number)


def _serve(command: str) -> None:
    sys.path[0] = str(Path(command).parent)  # as of the script
    import linpoint.cli.main  # noqa: F401 - what takes the time
    from _linpoint_command import main

    answers = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(nothing, 0)
    for line in requests:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.close(answers)
            requests.close()
            _be(command, request, main)
        os.write(answers, f"{child}\n".encode())
        _, status = os.waitpid(child, 0)
        os.write(answers, f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _be(command: str, request: dict[str, Any], main: Any) -> None:
    """Become the command; does not come back."""
    code: Any = 1
    try:
        for number, name in ((1, "out"), (2, "err")):
            file = os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(file, number)
            os.close(file)
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
    _serve(sys.argv[1])
