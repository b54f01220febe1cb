# SPDX-License-Identifier: Apache-2.0
"""Accesses of two threads that are ordered, and accesses that are not: one twin of each program has a race.

The twins share a source; ``-DRACY`` makes the one with a race.
"""

from __future__ import annotations

import pytest

from tests.hosts.controlled_programs import PROGRAMS, ExplorationOutcome, built, explore

COMPILERS = ("g++", pytest.param("clang++", marks=pytest.mark.long))
NAMES = sorted(path.stem for path in (PROGRAMS / "orders").glob("*.cpp"))


def explored(name: str, compiler: str, *flags: str, model: str = "sc") -> ExplorationOutcome:
    return explore(built(f"orders/{name}.cpp", *flags, compiler=compiler), memory_model=model)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", NAMES)
def test_ordered_accesses_are_not_a_race(name: str, compiler: str) -> None:
    for model in ("sc", "tso", "pso"):
        told = explored(name, compiler, model=model)
        assert told.holds, (model, told)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", NAMES)
def test_unordered_accesses_are_a_race(name: str, compiler: str) -> None:
    for model in ("sc", "tso", "pso"):
        assert explored(name, compiler, "-DRACY", model=model).kind == "race", model
