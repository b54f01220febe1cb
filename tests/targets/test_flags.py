# SPDX-License-Identifier: Apache-2.0
"""Which flags go to the compiler, which to the linker, and which are refused."""

from __future__ import annotations

import pytest

from linpoint.errors import UsageError
from linpoint.targets.flags import DEFAULT, is_cpp, sorted_flags


def test_flags_are_sorted() -> None:
    flags = sorted_flags(["-O2", "-I", "inc", "-lfoo", "-L", "lib", "-Wl,-x", "-DX=1", "x.o", "-include", "a.hpp"])
    assert flags.compiling == (*DEFAULT, "-O2", "-I", "inc", "-DX=1", "-include", "a.hpp")
    assert flags.linking == ("-lfoo", "-L", "lib", "-Wl,-x", "x.o")
    assert sorted_flags([]).compiling == DEFAULT


@pytest.mark.parametrize("flag", ["-c", "-o", "-static", "-fsanitize=address", "-MMD", "-fopenmp", "-E", "--coverage"])
def test_what_cannot_be_is_refused_by_name(flag: str) -> None:
    with pytest.raises(UsageError, match=f"LP-U001: the compiler flag {flag} cannot be used: .*Leave it out."):
        sorted_flags(["-O2", flag])


def test_sources_are_known_by_their_names() -> None:
    assert all(map(is_cpp, ("a.cpp", "d/a.cc", "a.cxx", "a.c++", "a.C")))
    assert not any(map(is_cpp, ("a.py", "a.c", "a.hpp", "cpp", "-O2")))
