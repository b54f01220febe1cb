# SPDX-License-Identifier: Apache-2.0
"""A line on stderr for code that only pyproject.toml names."""

from __future__ import annotations

from tests.cli.conftest import GOOD, Command, Writer

CELL = """\
import linpoint
@linpoint.spec
class Cell:
    initial = 0
    def read(state): return state, state
    def write(state, x): return None, x
"""


def test_a_spec_of_the_project_is_announced(run: Command, write: Writer) -> None:
    write("cell.py", CELL)
    write("good.jsonl", GOOD)
    write("pyproject.toml", '[tool.linpoint.check]\nspec = "cell.py:Cell"\n')
    done = run("check", "good.jsonl")
    assert done.code == 0
    assert done.err == "note: pyproject.toml names the spec cell.py:Cell: loading it runs its code.\n"
    assert run("check", "good.jsonl", "--spec", "cell.py:Cell").err == ""
    assert run("check", "good.jsonl", "--spec", "register").err == ""


def test_a_built_in_spec_of_the_project_is_not_announced(run: Command, write: Writer) -> None:
    write("good.jsonl", GOOD)
    write("pyproject.toml", '[tool.linpoint]\nspec = "register"\ncompiler = "clang++"\n')
    assert run("check", "good.jsonl").err == ""


def test_a_compiler_of_the_project_is_announced(run: Command, write: Writer) -> None:
    write("a.cpp", "int main() {}\n")
    write("pyproject.toml", '[tool.linpoint]\ncompiler = "./none"\n')
    done = run("explore", "a.cpp", "--json")
    assert done.error["code"] == "LP-T034"
    assert done.err == "note: pyproject.toml names the compiler ./none, and linpoint runs it.\n"
