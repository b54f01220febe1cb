# SPDX-License-Identifier: Apache-2.0
"""What orders accesses of two threads, and what does not: of each program one twin has no race, the other has.

The twins are of one source; ``-DRACY`` makes the one with a race.
"""

from __future__ import annotations

import pytest

from tests.hosts.controlled_programs import PROGRAMS, Told, built, explore

COMPILERS = ("g++", pytest.param("clang++", marks=pytest.mark.long))
NAMES = sorted(path.stem for path in (PROGRAMS / "orders").glob("*.cpp"))


def explored(name: str, compiler: str, *flags: str, model: str = "sc") -> Told:
    return explore(built(f"orders/{name}.cpp", *flags, compiler=compiler), memory_model=model)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_ordered_is_no_race(name: str, compiler: str) -> None:
    for model in ("sc", "tso", "pso"):
        told = explored(name, compiler, model=model)
        assert told.holds, (model, told)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_ordered_is_a_race(name: str, compiler: str) -> None:
    for model in ("sc", "tso", "pso"):
        assert explored(name, compiler, "-DRACY", model=model).kind == "race", model
