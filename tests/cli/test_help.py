# SPDX-License-Identifier: Apache-2.0
"""Help texts and completion: headings, defaults, examples, the width of the terminal, and usage after a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from linpoint.histories.formats import FORMATS
from linpoint.options.choices import FORMAT_NAMES, WRITABLE_FORMAT_NAMES
from linpoint.options.commands.registry import options_classes
from linpoint.options.schema import HEADINGS
from tests.cli.conftest import Command

WIDTHS = [("", 60), ("", 200), ("test", 60), ("test", 200), *((name, 80) for name in ("", *options_classes()))]


@pytest.mark.parametrize(("name", "columns"), WIDTHS)
def test_help_fits_the_terminal(run: Command, name: str, columns: int) -> None:
    done = run(*[name][: bool(name)], "--help", env={"COLUMNS": str(columns)})
    assert done.code == 0
    lines = [line for line in done.out.splitlines() if not line.startswith("  linpoint ")]  # commands to copy
    longest_word = max(len(word) for line in lines for word in line.split())
    assert max(map(len, lines)) <= max(min(columns, 100), 20 + longest_word)


@pytest.mark.parametrize("name", options_classes())
def test_help_has_headings_and_defaults(run: Command, name: str) -> None:
    text = run(name, "--help").out
    options = [each for each in options_classes()[name].declared().values() if not each.positional]
    shown = [line.removesuffix(":") for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    wanted = [
        heading
        for heading, panels in HEADINGS.items()
        if heading == "Output" or any(each.panel in panels for each in options)
    ]
    assert [each for each in shown if each in HEADINGS] == wanted
    words = " ".join(text.split())
    for each in options:
        assert each.flag in words
        assert each.help_text in words
        if each.type.takes_value and not each.required:
            assert each.help_text.endswith(f" {each.default}).") or "(default: " in each.help_text, each.flag
        if each.default_text:
            assert each.help_text.endswith(f" (default: {each.default_text})."), each.flag
        assert not each.required or each.help_text.endswith("; required.")


@pytest.mark.parametrize("name", options_classes())
def test_help_has_exit_codes_and_an_example_for_each_task(run: Command, name: str) -> None:
    text = run(name, "--help").out
    assert "\nExit code: " in text
    lines = text.partition("\nExample")[2].partition("\n\n")[0].splitlines()[1:]
    examples = [line for line in lines if line.startswith("  linpoint ")]
    assert any(line.startswith(f"  linpoint {name}") for line in examples)
    if len(examples) > 1:
        assert [line.startswith("  # ") for line in lines] == [True, False] * len(examples)


def test_the_help_of_the_program_explains_how_to_begin(run: Command) -> None:
    text = run("--help").out
    assert text == run("-h").out == run().out
    assert [line.split()[1] for line in text.splitlines() if line.startswith("  linpoint ")] == [
        "demo",
        "check",
        "test",
    ]
    commands = text.partition("\nCommands:\n")[2].partition("\n\n")[0].splitlines()
    assert sorted(line.split()[0] for line in commands) == sorted(options_classes())
    codes = text.partition("\nExit codes:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in codes] == ["0", "1", "2", "3"]


def test_the_formats_in_the_help_exist() -> None:
    assert tuple(FORMATS) == FORMAT_NAMES
    assert tuple(name for name, each in FORMATS.items() if each.write is not None) == WRITABLE_FORMAT_NAMES


CHECK = "Usage: linpoint check --spec SPEC [OPTIONS] FILE..."


@pytest.mark.parametrize(
    ("words", "fact", "usage"),
    [
        ("chek", 'unknown command "chek". Did you mean check?', "Usage: linpoint [OPTIONS] COMMAND [ARGUMENTS]"),
        ("--foo", "unknown option --foo.", "Usage: linpoint [OPTIONS] COMMAND [ARGUMENTS]"),
        ("check", "the argument FILE... is missing.", CHECK),
        ("check a --sepc queue", "unknown option --sepc. Did you mean --spec?", CHECK),
        ("check a", "the option --spec is missing. Add it, or set it in pyproject.toml.", CHECK),
        ("check a --spec", "the option --spec requires a value.", CHECK),
        ("check a --spec queue --json=1", "the option --json takes no value.", CHECK),
        ("convert a", "the argument OUT is missing.", "Usage: linpoint convert [OPTIONS] IN OUT"),
        ("replay a b", "too many arguments: b.", "Usage: linpoint replay [OPTIONS] TOKEN"),
        (
            "test",
            "the argument FILE[:TEST]... is missing.",
            "Usage: linpoint test [OPTIONS] FILE[:TEST]... [-- FLAG...]",
        ),
    ],
)
def test_a_mistake_is_followed_by_the_usage(run: Command, words: str, fact: str, usage: str) -> None:
    done = run(*words.split())
    path = usage.removeprefix("Usage: ").partition(" [")[0].partition(" --")[0]
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: LP-U001: {fact} See `{path} --help`.\n{usage}\n"


def test_commands_options_and_values_are_completed(run: Command) -> None:
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
