# SPDX-License-Identifier: Apache-2.0
"""Which flags go to the compiler, which to the linker, and which are rejected."""

from __future__ import annotations

import pytest

from linpoint.errors import UsageError
from linpoint.options.source_arguments import split_flags
from linpoint.targets.compiler_flags import DEFAULT, in_language_of, sorted_flags
from linpoint.text.code_names import is_cpp, is_source


def test_flags_are_divided_between_compiler_and_linker() -> None:
    flags = sorted_flags(["-O2", "-I", "inc", "-lfoo", "-L", "lib", "-Wl,-x", "-DX=1", "x.o", "-include", "a.hpp"])
    assert flags.compiling == (*DEFAULT, "-O2", "-I", "inc", "-DX=1", "-include", "a.hpp")
    assert flags.linking == ("-lfoo", "-L", "lib", "-Wl,-x", "x.o")
    assert sorted_flags([]).compiling == DEFAULT


@pytest.mark.parametrize("flag", ["-c", "-o", "-static", "-fsanitize=address", "-MMD", "-fopenmp", "-E", "--coverage"])
def test_unusable_flags_are_rejected_by_name(flag: str) -> None:
    with pytest.raises(UsageError, match=f"LP-U001: the compiler flag {flag} cannot be used: .*Remove it."):
        sorted_flags(["-O2", flag])


def test_sources_are_recognized_by_their_names() -> None:
    assert all(map(is_cpp, ("a.cpp", "d/a.cc", "a.cxx", "a.c++", "a.C")))
    assert not any(map(is_cpp, ("a.py", "a.c", "a.hpp", "cpp", "-O2")))
    assert all(map(is_source, ("a.cpp", "a.C", "a.c")))
    assert not any(map(is_source, ("a.py", "a.h", "c", "-O2")))
    assert split_flags(["b.cpp", "-O2", "c.c", "-I", "x.o"]) == (("b.cpp", "c.c"), ("-O2", "-I", "x.o"))


def test_each_language_has_its_flags() -> None:
    flags = ["-std=c++20", "-std=gnu11", "-std=c2x", "-O2", "-fno-rtti", "-fno-gnu-unique", "-DX=-std=c11"]
    assert in_language_of("a.c", flags) == ["-x", "c", "-std=gnu11", "-std=c2x", "-O2", "-DX=-std=c11"]
    assert in_language_of("a.cpp", flags) == ["-std=c++20", "-O2", "-fno-rtti", "-fno-gnu-unique", "-DX=-std=c11"]
