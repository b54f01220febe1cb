# SPDX-License-Identifier: Apache-2.0
"""Options in a comment of a C++ file, through the command; and sources after ``--``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from tests.cli.conftest import Command

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

SOURCE = """\
// linpoint: --spec register --memory-model tso --threads 2 --operations 1 -- -Iinclude
// linpoint: -- order.cpp
#include <linpoint/test.hpp>
#include <atomic>
#include "order.hpp"

struct Register {
  std::atomic<int> value{0};
  void write(int to) { value.store(to, order()); }
  int read() { return value.load(); }
};
LINPOINT_TEST(Register, write, read)
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A test in a directory of its own, together with the files it needs."""
    find_host(find_compiler())
    folder = tmp_path / "native"
    (folder / "include").mkdir(parents=True)
    (folder / "register_linpoint.cpp").write_text(SOURCE, encoding="utf-8")
    (folder / "include" / "order.hpp").write_text("#include <atomic>\nstd::memory_order order();\n", encoding="utf-8")
    order = '#include "order.hpp"\nstd::memory_order order() { return std::memory_order_relaxed; }\n'
    (folder / "order.cpp").write_text(order, encoding="utf-8")
    return "native/register_linpoint.cpp"


def test_the_command_line_overrides_comments(run: Command, file: str) -> None:
    spec = ("--spec", "register(initial=0)")
    alone = json.loads(run("test", file, *spec, "--json").out)
    assert (alone["verdict"], alone["bounds"]["threads"], alone["bounds"]["operations"]) == ("violation", 2, 1)
    assert alone["models"] == {"tso": "violation", "sc": "linearizable"}
    assert run(*alone["findings"][0]["replay"]).code == 1
    other = json.loads(run("test", file, *spec, "--memory-model", "sc", "--operations", "2", "--json").out)
    assert (other["verdict"], other["bounds"]) == ("linearizable", {"threads": 2, "operations": 2})


def test_options_precede_the_dashes_in_a_command_to_copy(run: Command, file: str) -> None:
    done = run("test", file, "--spec", "register(initial=0)", "--", "-DMORE")
    line = next(line for line in done.out.splitlines() if line.startswith("HTML report: "))
    assert line.endswith("--report report.html -- -DMORE")


def test_a_wrong_comment_is_an_error_of_its_file(run: Command, file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_text(SOURCE.replace("--spec register", "--frob"), encoding="utf-8")
    done = run("test", file)
    assert done.code == 2
    assert f"LP-U001 {file}:1: " in done.err
    assert "unrecognized arguments: --frob" in done.err


def test_a_source_after_the_dashes_is_not_a_test(run: Command, file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_text(SOURCE.replace("// linpoint: -- order.cpp\n", ""), encoding="utf-8")
    assert run("test", file, "--summary").code == 2
    done = run(
        "test", file, "--spec", "register(initial=0)", "--memory-model", "sc", "--summary", "--", "native/order.cpp"
    )
    assert (done.code, done.out.count("\n")) == (0, 1), done.out + done.err


def test_stress_uses_spec_and_flags_of_the_comment(run: Command, file: str) -> None:
    """The register of the spec starts unwritten, but the object has 0: stress finds that immediately."""
    done = run("test", file, "--stress", "--budget", "30s", "--json")
    assert done.code == 1, done.out + done.err
    assert json.loads(done.out)["statistics"]["operations"] > 0
