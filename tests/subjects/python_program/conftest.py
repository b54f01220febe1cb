# SPDX-License-Identifier: Apache-2.0
"""Programs made from source, explored in this process."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from linpoint.campaign.driver import run_campaign
from linpoint.subjects.python_program.program import PythonProgram, load_program
from linpoint.subjects.python_program.subject import PythonProgramSubject
from linpoint.verdicts.result import Result

Explore = Callable[..., Result]


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., PythonProgram]:
    """``program(source, "an argument", helper="...")`` is a program together with its modules."""

    def make(source: str, *args: str, **modules: str) -> PythonProgram:
        for name, text in {"prog": source, **modules}.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        return load_program(str(tmp_path / "prog.py"), args)

    return make


@pytest.fixture
def explore(program: Callable[..., PythonProgram]) -> Explore:
    """The result of exploring a program."""

    def run(
        source: str,
        *args: str,
        budget: float = 60,
        preemptions: int | None = None,
        backend: str = "auto",
        **modules: str,
    ) -> Result:
        loaded = program(source, *args, **modules)
        return run_campaign(PythonProgramSubject(loaded, preemptions=preemptions, backend=backend), budget)

    return run
