# SPDX-License-Identifier: Apache-2.0
"""The real command in a process of its own, in an empty directory; ``command_server`` describes how that begins."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import linpoint
from tests.command_server import COMMAND, TIMEOUT, Server, environment


@dataclass(frozen=True)
class Run:
    """The result of one run of the command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout, which must contain nothing else."""
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error of a run with ``--json``."""
        assert self.code == 2
        document = self.json
        assert set(document) == {"error"}
        assert set(document["error"]) == {"code", "place", "message", "remedy"}
        assert document["error"]["message"]
        assert document["error"]["remedy"]
        return document["error"]  # type: ignore[no-any-return]


Command = Callable[..., Run]


@pytest.fixture(scope="session")
def _directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cli") / "work"


@pytest.fixture
def tmp_path(_directory: Path) -> Path:
    """An empty directory. Its path is the same for all tests of a process: equal sources are compiled once."""
    if _directory.exists():
        _directory.chmod(0o700)
        shutil.rmtree(_directory)
    _directory.mkdir()
    return _directory


@pytest.fixture
def run(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, server: Server) -> Command:
    """``run("check", "f.jsonl", ...)`` runs the command in ``tmp_path``; one with its own ``env`` is started
    separately.
    """
    home = tmp_path_factory.mktemp("home")

    def command(*args: str, stdin: str | bytes | None = None, env: dict[str, str] | None = None) -> Run:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        if env is None:
            code, out, err = server.run(args, folder=tmp_path, environment=environment(home), stdin=data)
        else:
            done = subprocess.run(
                [COMMAND, *args],
                input=data,
                stdin=subprocess.DEVNULL if data is None else None,
                capture_output=True,
                cwd=tmp_path,
                env=environment(home) | (env or {}),
                timeout=TIMEOUT,
                check=False,
            )
            code, out, err = done.returncode, done.stdout, done.stderr
        result = Run(code, out.decode(), err.decode())
        assert "Traceback" not in result.err, result.err
        return result

    return command


@pytest.fixture
def start(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.Popen[bytes]]:
    """``start("check", ..., stderr=...)`` starts the command and returns; the end of the test kills it."""
    home = tmp_path_factory.mktemp("home")
    started: list[subprocess.Popen[bytes]] = []

    def command(*args: str, **options: Any) -> subprocess.Popen[bytes]:
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        env = environment(home) | options.pop("env", {})
        process = subprocess.Popen([COMMAND, *args], cwd=tmp_path, env=env, **(streams | options))
        started.append(process)
        return process

    yield command  # type: ignore[misc]
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def wait_for_child(process: subprocess.Popen[Any], words: str) -> None:
    """Wait until a descendant with ``words`` in its command line is running."""
    deadline = time.monotonic() + TIMEOUT
    while not any(words in _command_line(each) for each in _descendants(process.pid)):
        assert process.poll() is None, "it ended before"
        assert time.monotonic() < deadline, f"no {words}"
        time.sleep(0.05)
    time.sleep(1.0)


def _descendants(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, children.read_text().split()):
                yield child
                yield from _descendants(child)


def _command_line(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return ""


Writer = Callable[[str, Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """``write("f.jsonl", drawing)`` saves a drawing, lines or plain text as a file in the current directory."""

    def writer(name: str, content: str | bytes | Sequence[dict[str, Any]]) -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif not isinstance(content, str):
            path.write_text("".join(json.dumps(line) + "\n" for line in content))
        elif "|--" in content:
            linpoint.save(linpoint.history(content), path)
        else:
            path.write_text(content)
        return path

    return writer


GOOD = """
    A: |--write(1)--|   |--read()->2--|
    B:      |--write(2)--|
"""
BAD = """
    A: |--write(1)--|                    |--read()->1--|
    B:                |--write(2)--|
"""


def hard(count: int = 30) -> list[dict[str, Any]]:
    """Concurrent enqueues and dequeues of three values, one dequeued once too often: no search finishes."""
    values = [n % 3 for n in range(count)]
    enqueues = [
        {"process": n, "op": "enqueue", "args": [v], "result": None, "call": n, "return": 1000 + n}
        for n, v in enumerate(values)
    ]
    dequeues = [
        {"process": 1000 + n, "op": "dequeue", "args": [], "result": v, "call": 500 + n, "return": 1500 + n}
        for n, v in enumerate([*values[:-1], 0])
    ]
    return enqueues + dequeues
