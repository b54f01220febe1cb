# SPDX-License-Identifier: Apache-2.0
"""Which arguments a token may use without permission; ``tests/cli/test_forged_tokens.py`` has the attacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from linpoint.errors import UsageError
from linpoint.options.commands.explore import ShellWords
from linpoint.options.commands.refine import Constants, Processes
from linpoint.options.commands.registry import options_classes
from linpoint.options.option_types import (
    Choice,
    Choices,
    MemorySize,
    OnOff,
    OptionType,
    SpecName,
    WholeNumber,
    Words,
)
from linpoint.options.project_words import COMMANDS_OF_TOKENS, project_words
from linpoint.options.schema import Surface
from linpoint.verdicts.replay_token import LAYOUTS
from linpoint.verdicts.token_trust import ForeignWord, allow_arguments, foreign_words, refuse_foreign_words

HARMLESS = (
    *(
        "-O",
        "-O2",
        "-Os",
        "-Ofast",
        "-g",
        "-g3",
        "-ggdb",
        "-gdwarf-5",
        "-std=c++20",
        "-std=gnu++2b",
        "-std=iso9899:1999",
    ),
    *("-Wall", "-Wextra", "-Wno-unused", "-Werror=return-type", "-Wno-error", "-w", "-pedantic", "-pthread"),
    *("-fno-exceptions", "-fpermissive", "-fno-inline", "-fPIC", "-fno-builtin-memcpy", "-ftemplate-depth=2000"),
    *("-fno-tree-vectorize", "-fno-store-merging", "-fvisibility=hidden", "-stdlib=libc++"),
    *("-march=native", "-mtune=x86-64-v3", "-mcx16", "-mavx512f", "-msse4.2", "-mno-avx", "-mclwb"),
    *("-DNDEBUG", "-DONE=1", "-DSIZE=1'000u", "-DX=0x7f", "-DX=-1", "-DREAD=", "-DQUEUE=MyQueue", "-D_GNU_SOURCE"),
    *("-DORDER=std::memory_order_relaxed", "-DORDER=std::memory_order::seq_cst", "-DT=std::uint64_t", "-DOK=true"),
    *(
        "-UNDEBUG",
        "-Ulinux",
        "-Iinclude",
        "-I.",
        "-Imissing",
        "-Iinclude/../include",
        "-isysteminclude",
        "-iquoteinclude",
    ),
    *("-lpthread", "-lpmemobj", "-lstdc++", "-ltbb", "own.cpp", "include/../own.c"),
)
COMPILERS = ("g++", "gcc", "c++", "cc", "clang", "clang++", "g++-12", "clang++-19", "x86_64-linux-gnu-g++-13")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with code in it."""
    (tmp_path / "package" / "inner").mkdir(parents=True)
    (tmp_path / "include").mkdir()
    for name in (
        "own.py",
        "package/__init__.py",
        "package/cells.py",
        "package/inner/__init__.py",
        "package/inner/deep.py",
    ):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_a_token_may_pass_harmless_flags() -> None:
    assert foreign_words({"kind": "explore-cpp", "files": ["own.cpp"], "flags": list(HARMLESS)}) == []
    two_words = ["-I", "include", "-isystem", "include", "-D", "X=1", "-U", "X"]
    assert foreign_words({"kind": "explore-cpp", "files": ["own.cpp"], "flags": two_words}) == []


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_token_may_name_known_compilers(compiler: str) -> None:
    assert foreign_words({"kind": "crash", "file": "own.cpp", "compiler": compiler}) == []


@pytest.mark.parametrize(
    "name", ["own.py", "./own.py", "package/cells.py", "package.cells", "package.inner", "package.inner.deep", "own"]
)
def test_a_token_may_name_python_code_in_the_current_directory(here: Path, name: str) -> None:
    for kind in ("test", "stress", "refine"):
        assert foreign_words({"kind": kind, "file": name}) == []
    assert foreign_words({"kind": "check", "spec": f"{name}:Cell"}) == []
    assert foreign_words({"kind": "check", "spec": f"{here / 'own.py'}:Cell"}) == []
    assert foreign_words({"kind": "explore", "file": str(here / "own.py")}) == []


def test_an_installed_package_precedes_a_directory_without_a_package(here: Path) -> None:
    (here / "email").mkdir()
    (here / "email" / "cells.py").write_text("")
    assert [each.word for each in foreign_words({"kind": "check", "spec": "email.cells:Cell"})] == ["email.cells"]


def test_permission_covers_only_the_exact_argument(here: Path) -> None:
    content = {
        "kind": "explore-cpp",
        "files": ["../a.cpp"],
        "flags": ["-Wl,-z,now", "-I", "..", "-I../.."],
        "compiler": "sh",
    }
    arguments = ["--allow=../a.cpp", "--allow=sh", "--allow=-Wl,-z,now", "--allow=..", "--allow=../.."]
    assert allow_arguments(content) == arguments
    words = [each.removeprefix("--allow=") for each in arguments]
    assert foreign_words(content, words) == []
    for word in words:
        rest = [each for each in words if each != word]
        assert [each.word for each in foreign_words(content, rest)] == [word]
    assert foreign_words(content, [str(here.parent), "-Wl", "sh -c", "/"]) == foreign_words(content)


def test_the_error_names_every_argument_and_the_reason() -> None:
    refuse_foreign_words([], "")
    with pytest.raises(UsageError, match=r"LP-U010.* a is far; 'b c' is near\. Leave it\."):
        refuse_foreign_words([ForeignWord("a", "is far"), ForeignWord("b c", "is near")], "Leave it.")


def test_a_project_may_use_its_own_arguments(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "pyproject.toml").write_text(
        '[tool.linpoint]\ncompiler = "ccache g++"\n[tool.linpoint.test]\ncompiler-flags = ["-Wl,-z,now"]\n'
        '[tool.linpoint.check]\nspec = "../cells.py:Cell"\n'
    )
    (here / "own.cpp").write_text("// linpoint: --spec stack -- -fplugin=own.so\n")
    assert project_words("test-cpp", "own.cpp") == {"ccache g++", "-Wl,-z,now", "-fplugin=own.so"}
    assert project_words("test-cpp") == {"ccache g++", "-Wl,-z,now"}
    assert project_words("check") == {"../cells.py"}
    monkeypatch.setenv("LINPOINT_COMPILER", "./cc")
    assert project_words("explore-cpp") == {"./cc"}
    (here / "pyproject.toml").write_text("[tool.linpoint]\nnone = 1\n")
    assert project_words("check") == project_words("unknown") == frozenset()


def test_every_kind_of_token_has_a_command() -> None:
    assert set(COMMANDS_OF_TOKENS) == {*LAYOUTS, "check"}


SAFE: dict[type[OptionType], str] = {
    Choice: "one of our names",
    Choices: "names of ours",
    OnOff: "on or off",
    WholeNumber: "a number",
    MemorySize: "a number",
    Processes: "numbers",
    Constants: "values of a model, which is compiled and not run",
    ShellWords: "arguments of the user's own program",
    SpecName: "looked at by token_trust",
    Words: "compiler flags, looked at by token_trust",
}


def test_every_token_option_is_safe_or_checked() -> None:
    found: dict[str, Any] = {
        f"{command}.{option.name}": type(option.type)
        for command, options_class in options_classes().items()
        for option in options_class.declared().values()
        if Surface.TOKEN in option.surfaces and type(option.type) not in SAFE
    }
    assert {name.partition(".")[2] for name in found} == {
        "compiler",
        "atomic_methods",
    }  # a pattern of function names
