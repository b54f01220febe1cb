# SPDX-License-Identifier: Apache-2.0
"""Help texts and completion: grouped, with defaults, as wide as the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from linpoint.options.commands.registry import options_classes
from linpoint.options.schema import Panel
from tests.cli.conftest import Command

WIDTHS = [("", 60), ("", 200), ("test", 60), ("test", 200), *((name, 80) for name in ("", *options_classes()))]


@pytest.mark.parametrize(("name", "columns"), WIDTHS)
def test_help_fits_the_terminal(run: Command, name: str, columns: int) -> None:
    done = run(*[name][: bool(name)], "--help", env={"COLUMNS": str(columns)})
    assert done.code == 0
    lines = [line for line in done.out.splitlines() if not line.startswith("  linpoint ")]  # to be copied
    longest_word = max(len(word) for line in lines for word in line.split())
    assert max(map(len, lines)) <= max(min(columns, 100), 20 + longest_word)


@pytest.mark.parametrize("name", options_classes())
def test_help_has_panels_and_defaults(run: Command, name: str) -> None:
    text = run(name, "--help").out
    options = [each for each in options_classes()[name].declared().values() if not each.positional]
    shown = [line.removesuffix(":") for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    panels = [panel.value for panel in Panel if any(each.panel is panel for each in options)]
    assert [each for each in shown if each in panels] == panels
    words = " ".join(text.split())
    for each in options:
        assert each.flag in words
        if each.default_text or (isinstance(each.default, str) and each.default):
            assert f"default {each.default}" in words or f"default: {each.default_text}" in words, each.flag


def test_completion_of_commands_options_and_values(run: Command) -> None:
    def complete(*words: str) -> list[str]:
        environment = {"COMP_WORDS": " ".join(["linpoint", *words]), "COMP_CWORD": str(len(words))}
        done = run(env={"_LINPOINT_COMPLETE": "bash_complete"} | environment)
        return [line.partition(",")[2] for line in done.out.splitlines()]

    assert complete("cr") == ["crash"]
    assert complete("crash", "--persis") == ["--persistency", "--persistent-heap"]
    assert complete("crash", "--persistency", "e") == ["eadr"]


def test_completion_is_shown_and_installed(run: Command, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "SHELL": "/bin/bash"}
    script = run("--show-completion", env=home).out
    assert "_LINPOINT_COMPLETE=bash_complete" in script
    assert run("--install-completion", env=home).code == 0
    written = tmp_path / ".local/share/bash-completion/completions/linpoint"
    assert written.read_text(encoding="utf-8").strip() == script.strip()
    assert "fpath" in run("--install-completion", "zsh", env=home).out
    wrong = run("--show-completion", "fihs", env=home)
    assert (wrong.code, "Did you mean fish?" in wrong.err) == (2, True)
