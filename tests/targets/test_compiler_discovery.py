# SPDX-License-Identifier: Apache-2.0
"""Finding a compiler, and reporting when none exists."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from linpoint.errors import TestError
from linpoint.targets.compiler_discovery import find_compiler
from tests.targets.conftest import needs_compiler


@needs_compiler
def test_the_usual_compiler_is_found(cache: Path) -> None:
    found = find_compiler()
    assert (found.words, found.family) == (("g++",), "gcc")
    assert found.version.startswith("g++")
    assert find_compiler("g++") == found


@needs_compiler
def test_the_environment_may_name_the_compiler(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = find_compiler()
    monkeypatch.setenv("CXX", "env g++")
    found = find_compiler()
    assert (found.words, found.family) == (("env", "g++"), "gcc")
    assert found.identity != plain.identity
    assert find_compiler("g++") == plain


def test_a_missing_compiler_is_reported(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(cache))
    with pytest.raises(TestError, match=r"LP-T034: no C\+\+ compiler was found.*Install g\+\+"):
        find_compiler()
    with pytest.raises(TestError, match="LP-T034: --compiler names 'nothing', which was not found"):
        find_compiler("nothing")


def test_other_programs_are_rejected_as_compilers(cache: Path) -> None:
    with pytest.raises(TestError, match="LP-T034: --compiler names 'echo', which is neither"):
        find_compiler("echo")
    with pytest.raises(TestError, match="LP-T034"):
        find_compiler('"')


@needs_compiler
def test_names_of_one_compiler_have_one_identity():
    by_name, by_path = find_compiler("g++"), find_compiler(str(Path(shutil.which("g++") or "").resolve()))
    assert by_name.identity == by_path.identity
    assert find_compiler("g++ -m64").identity != by_name.identity
