# SPDX-License-Identifier: Apache-2.0
"""A mistake in an option suggests the nearest one on every surface, with LP-U001 (LP-U004 in tokens) and its place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click import Context

from linpoint.cli.command_builder import OptionsCommand
from linpoint.cli.main import COMMANDS, app
from linpoint.errors import UsageError
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.commands.test import TestOptions
from linpoint.options.environment import environment_layers
from linpoint.options.project_file import project_layers
from linpoint.options.token_fields import options_from_token

pytest_plugins = ["pytester"]


def refused(words: list[str]) -> UsageError:
    """The error that a command line is rejected with."""
    with pytest.raises(UsageError) as caught:
        _merge(words)
    return caught.value


def _merge(words: list[str]) -> None:
    command = OptionsCommand("test", COMMANDS["test"])
    with Context(command, info_name="linpoint test") as context:
        command.parse_args(context, words)
        command.merged_options(context)


def test_mistakes_on_the_command_line() -> None:
    error = refused(["a.cpp", "--memory-modle", "tso"])
    assert (error.code, error.message) == ("LP-U001", "unknown option --memory-modle.")
    assert error.remedy.startswith("Did you mean --memory-model? ")
    error = refused(["a.cpp", "--memory-model", "tos"])
    assert (error.code, error.remedy) == ("LP-U001", "Did you mean tso? Use sc, tso or pso.")
    with Context(app, info_name="linpoint") as context, pytest.raises(UsageError, match=r"Did you mean check\?"):
        app.resolve_command(context, ["chek"])


@pytest.mark.parametrize(
    ("comment", "near"),
    [("--memory-modle tso", "--memory-model"), ("--memory-model tos", "tso"), ("--sepc=stack", "--spec")],
)
def test_mistakes_in_a_comment(tmp_path: Path, comment: str, near: str) -> None:
    file = tmp_path / "test.cpp"
    file.write_text(f"\n\n// linpoint: {comment}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="LP-U001") as caught:
        TestOptions().for_file(str(file))
    assert caught.value.place == f"{file}:3"
    assert f"Did you mean {near}? " in caught.value.remedy


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('[tool.linpoint]\n\nbugdet = "1m"\n', 3, "Did you mean budget?"),
        ('[tool.other]\nx = 1\n[tool.linpoint.test]\nmemory-modle = "tso"\n', 4, "Did you mean memory-model?"),
        ('[tool.linpoint.test]\nmemory-model = "tos"\n', 2, "Did you mean tso?"),
        ("[tool.linpoint.tset]\nseed = 1\n", 1, "Did you mean test?"),
        ("[tool.linpoint]\ntool = 1\n[tool]\nlinpoint.budget = 1\n", None, "is not TOML"),
        ('[tool]\nlinpoint.bugdet = "1m"\n', 2, "Did you mean budget?"),
        ("[tool.linpoint]\nseed = true\n", 2, "is not a whole number"),
        ("[tool.linpoint]\ncompiler-flags = 3\n", 2, "is not a list of texts"),
        ("[tool.linpoint.refine]\nmemory-model = 'arm'\n", None, ""),
    ],
)
def test_mistakes_in_the_project_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, place: int | None, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    if not words:  # values of other commands are checked by those commands
        assert project_layers(TestOptions, "test") == []
        return
    with pytest.raises(UsageError, match="LP-U001") as caught:
        project_layers(TestOptions, "test")
    assert words in str(caught.value)
    assert caught.value.place == ("pyproject.toml" if place is None else f"pyproject.toml:{place}")


def test_a_project_file_without_a_linpoint_table_is_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[this is not TOML\n", encoding="utf-8")
    assert project_layers(TestOptions, "test") == []


def test_a_deleted_directory_has_no_project_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert project_layers(TestOptions, "test") == []
    monkeypatch.chdir(tmp_path)


def test_mistakes_in_the_environment() -> None:
    with pytest.raises(UsageError, match="LP-U001") as caught:
        environment_layers(TestOptions, {"LINPOINT_MEMORY_MODEL": "tos"})
    assert "LINPOINT_MEMORY_MODEL 'tos'" in str(caught.value)
    assert "Did you mean tso?" in caught.value.remedy
    with pytest.raises(UsageError, match="LP-U001") as caught:
        environment_layers(TestOptions, {"LINPOINT_BUGDET": "1m"})
    assert (caught.value.place, caught.value.remedy) == ("LINPOINT_BUGDET", "Did you mean LINPOINT_BUDGET?")
    assert environment_layers(TestOptions, {"LINPOINT_HEAP": "free", "LINPOINT_CACHE_DIR": "x", "OTHER": "y"}) == []


def test_mistakes_in_pytest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")
    done = pytester.runpytest_subprocess("--linpoint-bugdet", "1m")
    assert done.ret is pytest.ExitCode.USAGE_ERROR
    assert "LP-U001: unknown option --linpoint-bugdet. Did you mean --linpoint-budget?" in done.stderr.str()


def test_mistakes_in_a_token() -> None:
    with pytest.raises(UsageError, match="LP-U004") as caught:
        options_from_token(TestOptions, {"memory_model": "tos"})
    assert "Did you mean tso?" in str(caught.value)
    with pytest.raises(UsageError, match="LP-U004"):
        options_from_token(CrashOptions, {"flags": "-O2"})


@pytest.mark.parametrize("words", [["--help"], ["check", "--help"], ["crash", "-h"], ["--version"], ["chek"]])
def test_help_imports_neither_commands_nor_heavy_packages(words: list[str]) -> None:
    code = f"""
import sys
sys.argv = ["linpoint", *{words!r}]
from linpoint.cli.main import main
try:
    main()
except SystemExit:
    pass
heavy = ("rich", "pydantic", "typer", "jinja2")
sys.stderr.write("IMPORTED" + repr([name for name in sys.modules if name.split(".")[0] in heavy
    or name.startswith("linpoint.cli.commands.")]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.endswith("IMPORTED[]"), done.stderr
