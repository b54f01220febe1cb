# SPDX-License-Identifier: Apache-2.0
"""The host is built once per compiler, from sources that the builder finds, and failures are reported."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import re
from pathlib import Path

import pytest

from linpoint.errors import TestError
from linpoint.targets import host_builder as hosts
from linpoint.targets.build_error import BuildError
from linpoint.targets.compiler_discovery import Compiler, find_compiler
from linpoint.targets.host_builder import find_host, native_sources, sdk
from tests.targets.conftest import needs_compiler


@pytest.fixture
def native(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sources of a minimal host, in a package of their own."""
    package = tmp_path / "package"
    folder = package / "native"
    for part in ("host", "src/explore", "include/linpoint/explore"):
        (folder / part).mkdir(parents=True)
    (folder / "host" / "main.cpp").write_text('#include "linpoint/explore/a.hpp"\nint main() { return answer(); }\n')
    (folder / "host" / ".clang-tidy").write_text("Checks: all\n")
    (folder / "src" / "explore" / "a.cpp").write_text("int answer() { return 7; }\n")
    (folder / "include" / "linpoint" / "explore" / "a.hpp").write_text("int answer();\n")
    monkeypatch.setattr(hosts, "_PACKAGE", package)
    return folder


def test_the_sources_are_found() -> None:
    assert (native_sources() / "host" / "main.cpp").is_file()
    assert (native_sources() / "src" / "explore" / "dpor.cpp").is_file()
    assert sdk().parts[-2:] == ("sdk", "include")


CHECKOUT = Path(__file__).parents[2] / "native"
_SHIPPED = re.compile(r"install\((?:DIRECTORY|FILES) ([^)]+) DESTINATION linpoint/native(?:/([^)]*))?\)")
_INCLUDED = re.compile(r'^#include "(.+)"', re.MULTILINE)


def shipped() -> set[Path]:
    """The native sources of a wheel, at the same paths."""
    files: set[Path] = set()
    for names, folder in _SHIPPED.findall((CHECKOUT / "host" / "CMakeLists.txt").read_text()):
        for name in names.replace("${native}/", "").split():
            assert Path(folder) / Path(name).name == Path(name)
            files |= {CHECKOUT / name, *(CHECKOUT / name).rglob("*")}
    return {path for path in files if path.is_file()}


def test_a_wheel_contains_all_sources_of_the_host() -> None:
    files = shipped()
    assert {path.parent.name for path in files} >= {"host", "explore", "memory_models", "linpoint"}
    for path in sorted(files):
        around = [path.parent, *(CHECKOUT / part for part in ("", "include", "src", "sdk/include"))]
        for name in _INCLUDED.findall(path.read_text(encoding="utf-8")):
            found = next((folder / name for folder in around if (folder / name).is_file()), None)
            assert found is not None, (path, name)
            assert found.resolve() in files, f"{path} needs {name}, which is not shipped"


@needs_compiler
def test_the_host_is_built_once(native: Path) -> None:
    compiler, told = find_compiler("g++"), []
    built = find_host(compiler, report_progress=told.append)
    assert os.waitstatus_to_exitcode(os.system(str(built))) == 7
    assert find_host(compiler, report_progress=told.append) == built
    assert told == ["building the host with g++, once"]
    other = dataclasses.replace(compiler, identity="another")
    assert find_host(other) != built
    (native / "include" / "linpoint" / "explore" / "a.hpp").write_text("int answer(); // changed\n")
    assert find_host(compiler) not in (built, find_host(other))


def _find(compiler: Compiler, answers: multiprocessing.Queue[str]) -> None:
    told: list[str] = []
    find_host(compiler, report_progress=told.append)
    answers.put("built" if told else "found")


@needs_compiler
def test_concurrent_builders_do_not_disturb_each_other(native: Path) -> None:
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.Queue[str] = context.Queue()
    builders = [context.Process(target=_find, args=(find_compiler("g++"), answers)) for _ in range(3)]
    for each in builders:
        each.start()
    assert sorted(answers.get(timeout=60) for _ in builders) == ["built", "found", "found"]
    for each in builders:
        each.join()


@needs_compiler
def test_a_failed_build_is_reported_with_the_compiler_messages(native: Path) -> None:
    (native / "host" / "main.cpp").write_text("#error too old\n")
    with pytest.raises(BuildError, match=r"LP-T035: g\+\+ .* cannot build the host.*with C\+\+20 support") as error:
        find_host(find_compiler("g++"))
    assert b"too old" in error.value.output
    assert "too old" in (error.value.as_dict()["message"] or "")


def test_other_architectures_are_rejected_by_name(native: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = Compiler(("g++",), "gcc", "g++ 12", "x")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    with pytest.raises(TestError, match=r"LP-T035: .*on x86-64 Linux, not on linux with aarch64"):
        find_host(compiler)


def test_missing_sources_are_reported(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "_PACKAGE", tmp_path / "a" / "b" / "c")
    with pytest.raises(TestError, match=r"LP-T035 .*the sources of the host are missing"):
        native_sources()
