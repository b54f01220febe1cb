# SPDX-License-Identifier: Apache-2.0
"""Features of the language, its library and POSIX: each program holds, in every schedule and under every model."""

from __future__ import annotations

import pytest

from linpoint.targets.compiler_discovery import find_compiler
from tests.hosts.controlled_programs import PROGRAMS, built, explore

FEATURES = sorted(path.stem for path in (PROGRAMS / "features").glob("*.cpp"))


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
@pytest.mark.parametrize("name", FEATURES)
def test_programs_with_the_feature_hold(name: str, model: str) -> None:
    told = explore(built(f"features/{name}.cpp"), memory_model=model)
    assert told.holds, told
    assert told.schedules > 1
    assert not told.qualified


@pytest.mark.parametrize("name", ["exceptions", "local_statics"])
def test_every_run_in_a_process_is_the_same(name: str) -> None:
    """The unwinder initialises itself once per process, which is not a step of the program."""
    told = explore(built(f"features/{name}.cpp"), search="bounded:1")
    alone = explore(built(f"features/{name}.cpp"), search="bounded:1", isolate="fork")
    assert told.finding is None, told
    assert (told.schedules, told.steps) == (alone.schedules, alone.steps)


@pytest.mark.parametrize(("name", "models"), [("semaphore", ("sc", "tso")), ("wait_after_release", ("tso",))])
def test_bugs_of_a_standard_library_are_found(name: str, models: tuple[str, ...]) -> None:
    """Known bugs of the library of g++ 12; others may have them too."""
    if not find_compiler("g++").version.split()[-1].startswith("12."):
        pytest.skip("it is another library")
    for model in ("sc", "tso"):
        told = explore(built(f"library/{name}.cpp"), memory_model=model)
        assert told.kind == ("deadlock" if model in models else None), told
