# SPDX-License-Identifier: Apache-2.0
"""What programs use of the language, its library and POSIX: each holds, in every schedule and under every model."""

from __future__ import annotations

import pytest

from tests.explore.cpp.hosting import PROGRAMS, built, explore

FEATURES = sorted(path.stem for path in (PROGRAMS / "features").glob("*.cpp"))


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
@pytest.mark.parametrize("name", FEATURES)
def test_it_holds(name: str, model: str) -> None:
    told = explore(built(f"features/{name}.cpp"), memory_model=model)
    assert told.holds, told
    assert told.schedules > 1
    assert not told.qualified
