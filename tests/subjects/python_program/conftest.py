# SPDX-License-Identifier: Apache-2.0
"""Programs from their source, explored in this process."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from linpoint.explore.programs.campaign import explore_program
from linpoint.explore.programs.exploring import Settings
from linpoint.subjects.python_program.program import PythonProgram, load_program
from linpoint.verdicts.program import ProgramResult

Explore = Callable[..., ProgramResult]


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., PythonProgram]:
    """``program(source, "an argument", helper="...")`` is a program with modules beside it."""

    def make(source: str, *args: str, **modules: str) -> PythonProgram:
        for name, text in {"prog": source, **modules}.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        return load_program(str(tmp_path / "prog.py"), args)

    return make


@pytest.fixture
def explore(program: Callable[..., PythonProgram]) -> Explore:
    """The result for a program."""

    def run(source: str, *args: str, settings: Settings | None = None, **modules: str) -> ProgramResult:
        return explore_program(program(source, *args, **modules), settings or Settings(budget=60))

    return run
