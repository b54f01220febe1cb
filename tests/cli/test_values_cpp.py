# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of C++ operations, of all types: the spec receives the original values, and results return
unchanged.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

ECHO = r"""
#include <linpoint/test.hpp>
#include <array>
struct Echo {
    float single(float v) { return v; }
    double real(double v) { return v; }
    std::array<int, 2> both(std::array<int, 2> v) { return v; }
    std::uint64_t large(std::uint64_t v) { return v; }
    std::string text(const std::string& v) const { return v; }
    std::vector<std::vector<int>> nested(std::vector<std::vector<int>>&& v) noexcept { return v; }
    std::optional<std::pair<int, std::string>> perhaps(std::optional<std::pair<int, std::string>> v) { return v; }
};
LINPOINT_TEST(Echo, single, real, both, large, text, nested, perhaps)
LINPOINT_VALUES(Echo, "single", "[0.1, 16777216, -3.4e38, 1e-45]")
LINPOINT_VALUES(Echo, "real", "[0.1, 1e300]")
LINPOINT_VALUES(Echo, "large", "[18446744073709551615]")
LINPOINT_VALUES(Echo, "text", "[\"a\\\"b\\\\\", \"|;(\\n\\u0000\\u00e9\"]")
"""
SPEC = """
import linpoint
def echo(state, value):
    return value, state
Echo = linpoint.spec(type("Echo", (), {"initial": 0} | dict.fromkeys(
    ("single", "real", "both", "large", "text", "nested", "perhaps"), echo)))
"""


@pytest.fixture(autouse=True)
def _sources(tmp_path: Path) -> None:
    (tmp_path / "echo.cpp").write_text(ECHO)
    (tmp_path / "echo.py").write_text(SPEC)


def test_values_survive_a_round_trip(run: Command) -> None:
    told = run("test", "echo.cpp", "--spec", "echo.py:Echo", "--threads", "1", "--operations", "1", "--json")
    assert told.json["verdict"] == "linearizable", told.json


@pytest.mark.parametrize("call", ["both([1])", "both([1, 2, 3])", "large(-1)", "perhaps([1])", "nested([1])"])
def test_values_of_the_wrong_type_or_range_are_rejected(call: str, run: Command) -> None:
    error = run("test", "echo.cpp", "--spec", "echo.py:Echo", "--scenario", call, "--json").error
    assert error["code"] == "LP-T008"
