# SPDX-License-Identifier: Apache-2.0
"""Output for terminals and pipes: no part of a history is taken for markup, and no file is written."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import BAD, COMMAND, GOOD, Command, Writer, environment

Starter = Callable[..., subprocess.Popen[bytes]]

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def on_terminal(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[int, str]]:
    """Run the command with all streams on a terminal; return its exit code and the screen."""
    home = tmp_path_factory.mktemp("home")

    def command(*args: str) -> tuple[int, str]:
        main, end = pty.openpty()
        env = environment(home) | {"TERM": "xterm-256color", "COLUMNS": "120"}
        process = subprocess.Popen([COMMAND, *args], stdin=end, stdout=end, stderr=end, cwd=tmp_path, env=env)
        os.close(end)
        shown = b""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            ready, _, _ = select.select([main], [], [], 0.2)
            try:
                data = os.read(main, 65536) if ready else b""
            except OSError:  # the other end is closed
                break
            shown += data
        os.close(main)
        code = process.wait(timeout=120)
        text = shown.decode().replace("\r\n", "\n")
        assert "Traceback" not in text, text
        return code, text

    return command


def test_verdicts_have_colours_on_a_terminal(on_terminal: Callable[..., tuple[int, str]], write: Writer) -> None:
    write("good.jsonl", GOOD)
    write("bad.jsonl", BAD)
    code, text = on_terminal("check", "bad.jsonl", "--spec", "register")
    assert code == 1
    assert re.search(r"\x1b\[[\d;]*31m.*VIOLATION", text)
    assert "VIOLATION: read() by process A returned 1" in ESCAPE.sub("", text)
    code, text = on_terminal("check", "good.jsonl", "--spec", "register")
    assert code == 0
    assert re.search(r"\x1b\[[\d;]*32m.*LINEARIZABLE", text)


def test_a_terminal_shows_a_table_of_files(on_terminal: Callable[..., tuple[int, str]], write: Writer) -> None:
    write("good.jsonl", GOOD)
    write("bad.jsonl", BAD)
    code, text = on_terminal("check", "good.jsonl", "bad.jsonl", "nosuch.jsonl", "--spec", "register")
    assert code == 2
    plain = ESCAPE.sub("", text)
    for word in ("good.jsonl", "linearizable", "bad.jsonl", "violation", "nosuch.jsonl", "error", "LP-H001"):
        assert word in plain
    assert text != plain


def test_json_on_a_terminal_has_no_colours(on_terminal: Callable[..., tuple[int, str]], write: Writer) -> None:
    write("good.jsonl", GOOD)
    code, text = on_terminal("check", "good.jsonl", "--spec", "register", "--json")
    assert code == 0
    last = [line for line in text.splitlines() if line][-1]
    assert '"verdict":"linearizable"' in last
    document = last[last.index('{"verdict"') :]
    assert "\x1b[3" not in document
    assert "\x1b[1" not in document


def test_a_terminal_shows_specs_and_demo(on_terminal: Callable[..., tuple[int, str]]) -> None:
    code, text = on_terminal("specs")
    assert code == 0
    assert "priority-queue" in text
    code, text = on_terminal("demo")
    assert code == 0
    assert "LINEARIZABLE" in text


def test_a_pipe_gets_no_escape_codes(run: Command, write: Writer) -> None:
    write("bad.jsonl", BAD)
    for arguments in (
        ["check", "bad.jsonl", "nosuch.jsonl", "--spec", "register"],
        ["specs"],
        ["demo"],
        ["check", "-h"],
    ):
        done = run(*arguments)
        assert "\x1b" not in done.out + done.err


NASTY = [
    {
        "process": "\x1b[35;5mp[red]",
        "op": "read",
        "result": "\x1b[35;5m[red]v[/red] \x9b35m \x7f \r \u202e [link=x]",
        "call": 1,
        "return": 2,
        "key": "\x1b]0;title\x07[bold]k",
    }
]


def test_text_of_a_history_is_neither_markup_nor_an_escape_code(
    run: Command, on_terminal: Callable[..., tuple[int, str]], write: Writer
) -> None:
    write("[red].jsonl", NASTY)
    piped = run("check", "[red].jsonl", "--spec", "register").out
    _, shown = on_terminal("check", "[red].jsonl", "--spec", "register")
    for text in (piped, shown):
        assert "[red]v[/red]" in text
        assert "[link=x]" in text
        assert "p[red]" in text
        assert "[bold]k" in text
        assert "check '[red].jsonl'" in text or "check [red].jsonl" in text
        assert "\x1b[35;5m" not in text
        assert "\x1b]0;" not in text
        assert not set(text) & set("\x07\x9b\x7f\u202e")
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", piped)


def test_text_of_an_error_is_not_an_escape_code(run: Command, write: Writer) -> None:
    write("nasty.jsonl", [{"process": 0, "op": "\x1b[35;5mread[red]", "result": 1, "call": 1, "return": 2}])
    done = run("check", "nasty.jsonl", "--spec", "register")
    assert done.code == 2
    assert "read[red]" in done.err
    assert "\x1b" not in done.err


def test_a_spec_error_on_a_terminal_is_shown_literally(
    on_terminal: Callable[..., tuple[int, str]], write: Writer
) -> None:
    write("bad.jsonl", BAD)
    code, text = on_terminal("check", "bad.jsonl", "--spec", "[bold]x[/bold]")
    assert code == 2
    assert "[bold]x[/bold]" in text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["specs"], 0),
        (["demo"], 0),
        (["check", "good.jsonl", "--spec", "register"], 0),
        (["check", "good.jsonl", "--spec", "register", "--json"], 0),
    ],
    ids=["specs", "demo", "check", "check --json"],
)
def test_a_closed_pipe_is_not_a_violation(start: Starter, write: Writer, arguments: list[str], code: int) -> None:
    """As in ``linpoint specs | head -1``: no traceback, and not the exit code of a violation."""
    write("good.jsonl", GOOD)
    process = start(*arguments)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read().decode()
    assert "Traceback" not in err
    assert "BrokenPipeError" not in err
    assert process.wait(timeout=120) in (code, 141, -13)


def test_head_closes_the_pipe_after_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {COMMAND} specs | head -1"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert done.stdout.startswith("spec")
    assert done.stderr == ""
    assert done.returncode != 1


def test_a_full_disk_is_not_a_violation(start: Starter, write: Writer) -> None:
    write("good.jsonl", GOOD)
    with open("/dev/full", "wb") as full:
        process = start("check", "good.jsonl", "--spec", "register", stdout=full)
        _, err = process.communicate(timeout=120)
    assert b"Traceback" not in err
    assert process.returncode != 1


def test_an_ascii_terminal_gets_the_verdict(run: Command, write: Writer) -> None:
    write("unicode.jsonl", [{"process": 0, "op": "read", "result": "é日", "call": 1, "return": 2}])
    done = run("check", "unicode.jsonl", "--spec", "register", env={"PYTHONIOENCODING": "ascii"})
    assert done.code == 1
    assert done.out.startswith("VIOLATION")


def _listing(*folders: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for folder in folders
        for path in [folder, *folder.rglob("*")]
    }


def test_no_files_are_written(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, write: Writer) -> None:
    home, scratch = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("scratch")
    write("good.jsonl", GOOD)
    write("bad.jsonl", BAD)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(scratch)}
    before = _listing(tmp_path, home, scratch)
    for arguments in (
        ["check", "good.jsonl", "bad.jsonl", "--spec", "register"],
        ["check", "bad.jsonl", "--spec", "register", "--json"],
        ["demo"],
        ["specs", "--json"],
        ["check", "nosuch.jsonl", "--spec", "register"],
        ["convert", "good.jsonl", "-"],
    ):
        subprocess.run([COMMAND, *arguments], cwd=tmp_path, env=env, capture_output=True, timeout=120, check=False)
    assert _listing(tmp_path, home, scratch) == before


def test_following_shows_its_progress(on_terminal: Callable[..., tuple[int, str]], write: Writer) -> None:
    write("good.jsonl", GOOD)
    code, text = on_terminal("check", "good.jsonl", "--spec", "register", "--follow", "--until-idle", "1s")
    assert code == 0
    assert re.search(
        r"following good\.jsonl: \d+ operations \(.*/s\), \d+ open, at most \d+ operations and states in memory",
        ESCAPE.sub("", text),
    )
