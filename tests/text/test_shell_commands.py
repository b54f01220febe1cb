# SPDX-License-Identifier: Apache-2.0
"""Commands for users to paste: a shell parses them back, and a file name is never taken for an option."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from linpoint.text.printable import printable
from linpoint.text.shell_commands import check_argv, shell_command

WORDS = [
    "plain",
    "",
    "two words",
    "it's",
    "$HOME `x` !",
    "~",
    "a\nb",
    "\x1b[31m",
    "back\\slash\t'",
    "bad\udcff",
    "\u202e",
    "é",
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_parses_commands_into_the_original_arguments() -> None:
    line = shell_command(WORDS)
    assert printable(line, lines=False) == line
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    shown = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True, env=environment
    ).stdout
    assert shown.decode(errors="surrogateescape").split("\0")[:-1] == WORDS


@pytest.mark.parametrize(
    ("file", "word"),
    [("a.jsonl", "a.jsonl"), ("-dash.jsonl", "./-dash.jsonl"), ("--json", "./--json"), ("-", "-"), ("x/-y", "x/-y")],
)
def test_file_names_are_never_taken_for_options(file: str, word: str) -> None:
    assert check_argv(file, ["--spec", "-x"]) == ("check", word, "--spec", "-x")
