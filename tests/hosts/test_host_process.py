# SPDX-License-Identifier: Apache-2.0
"""A host always has an outcome, whatever it does, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from linpoint.errors import TestError
from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.host_message import PROTOCOL
from linpoint.hosts.program_host import ProgramHost, SearchOutcome
from linpoint.hosts.search_messages import SearchProgress
from tests.hosts.stand_in_host import asked, stand_in


def run(folder: Path, *, manner: HostConfig | None = None, seconds: float = 5.0, **answer: Any) -> SearchOutcome:
    host = ProgramHost(stand_in(folder, dpor=answer), folder / "target.so", manner or HostConfig())
    return host.run("dpor", seconds=seconds)


def test_a_result_is_read(tmp_path: Path) -> None:
    outcome = run(tmp_path, ended="exhausted", exhaustive=True, schedules=7, finding=None, diverged_at=None, unknown=1)
    assert outcome.result is not None
    assert (outcome.result.ended, outcome.result.schedules, outcome.result.completed) == ("exhausted", 7, -1)
    assert outcome.peak_memory_bytes > 0


def test_options_are_passed_on(tmp_path: Path) -> None:
    manner = HostConfig("tso", "ignore", True, True, "fork", ("--n", "3"), 2**36)
    run(tmp_path, manner=manner, ended="budget")
    (words,) = asked(tmp_path)
    assert words[0] == str(tmp_path / "target.so")
    assert words[words.index("--") + 1 :] == ["--n", "3"]
    for pair in ("--memory-model tso", "--races ignore", "--isolate fork"):
        assert pair in " ".join(words)
    assert {"--reuse", "--spurious", "--max-memory"} <= set(words)
    assert not {"--trace", "--outcomes"} & set(words)


def test_progress_is_received(tmp_path: Path) -> None:
    heard: list[SearchProgress] = []
    host = ProgramHost(stand_in(tmp_path, dpor={"ended": "budget"}), tmp_path / "target.so", HostConfig(), heard.append)
    host.run("dpor", seconds=5)
    assert [each.schedules for each in heard] == [3]


@pytest.mark.parametrize(
    ("code", "died", "by_itself"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "its process was terminated by SIGSEGV", True),
        ("os.kill(os.getpid(), signal.SIGKILL)", "its process was terminated by SIGKILL, possibly", False),
        ("os._exit(0)", "its process exited with code 0 during a run", True),
        ("sys.exit('--search: what is that')", "the host failed, please report this bug: --search: what", False),
        ("os.write(fd, b'nonsense\\n')", "the host sent an invalid message", False),
        ("say(result=dict(ended='budget', completed=None))", "the host sent an invalid message", False),
        ('os.write(fd, b\'[1]\\n{"result":{"ended":[]}}\\n\')', "the host sent an invalid message", False),
    ],
)
def test_a_host_that_dies_is_reported(tmp_path: Path, code: str, died: str, by_itself: bool) -> None:
    outcome = run(tmp_path, do=code, ended="budget")
    assert outcome.result is None
    assert outcome.died.startswith(died)
    assert outcome.by_itself == by_itself
    assert outcome.reached.schedules == 3


def test_a_host_that_hangs_is_ended(tmp_path: Path) -> None:
    outcome = run(tmp_path, seconds=0.1, do="time.sleep(10_000)", ended="budget")
    assert outcome.died == "a run of the program does not return"


def test_a_host_that_does_not_exit_after_its_result_is_ended(tmp_path: Path) -> None:
    outcome = run(tmp_path, do="say(result=answer); time.sleep(100)", ended="exhausted", schedules=1)
    assert outcome.result is not None


def test_memory_is_limited(tmp_path: Path) -> None:
    code = "kept = b'1' * 200_000_000; time.sleep(100)"
    outcome = run(tmp_path, manner=HostConfig(max_memory=100 * 2**20), do=code, ended="budget")
    assert outcome.died == "the memory budget ran out"


def test_a_missing_host_is_reported(tmp_path: Path) -> None:
    outcome = ProgramHost(tmp_path / "nowhere", tmp_path / "target.so", HostConfig()).run("dpor", seconds=1)
    assert outcome.died == "the host cannot be started: No such file or directory"


def test_ctrl_c_ends_the_host(tmp_path: Path) -> None:
    host = ProgramHost(
        stand_in(tmp_path, dpor={"do": "time.sleep(100)", "ended": "budget"}), tmp_path / "t", HostConfig()
    )
    press = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    press.start()
    outcome = host.run("dpor", seconds=50)
    press.join()
    assert outcome.interrupted
    assert outcome.reached.schedules == 3
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize(
    ("first", "version"),
    [
        ('{"hello": {"protocol": 2}}', "protocol 2"),
        ('{"progress": {}}', "no protocol version"),
        ('{"greetings": 1}', "no protocol version"),
    ],
)
def test_a_host_of_another_version_is_rejected(tmp_path: Path, first: str, version: str) -> None:
    path = stand_in(tmp_path, dpor={"ended": "budget"})
    ours = f"say(hello=dict(protocol={PROTOCOL}))"
    script = path.read_text(encoding="utf-8").replace(ours, f"os.write(fd, {first.encode()!r} + b'\\n')")
    path.write_text(script, encoding="utf-8")
    with pytest.raises(TestError, match=f"LP-T035: the host uses {version}, but this linpoint requires protocol 1"):
        ProgramHost(path, tmp_path / "target.so", HostConfig()).run("dpor", seconds=5)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
