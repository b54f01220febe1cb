# SPDX-License-Identifier: Apache-2.0
"""``linpoint test FILE.cpp`` keeps its budget whatever takes the time, and states why it reached no verdict."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Command, environment, wait_for_child

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

REGISTER = """
#include <linpoint/test.hpp>
#include <atomic>
struct Register {
    std::atomic<int> value{0};
    void write(int v) { value.store(v); }
    int read() { READ return value.load(); }
};
LINPOINT_TEST(Register, write, read)
"""
ENDLESS = """
import linpoint
@linpoint.spec
class Endless:
    initial = 0
    def write(state, value): return None, value
    def read(state):
        while True: pass
"""
CROSSED = """
#include <linpoint/test.hpp>
#include <mutex>
struct Crossed {
    std::mutex a, b;
    void left() { const std::lock_guard one(a); const std::lock_guard two(b); }
    void right() { const std::lock_guard one(b); const std::lock_guard two(a); }
};
LINPOINT_TEST(Crossed, left, right)
"""
LARGE = """
#include <linpoint/test.hpp>
#include <atomic>
#include <cstddef>
#include <new>
#include <vector>
struct Large {
    std::atomic<int> value{0};
    void write(int v) { value.store(v + std::vector<int>(CELLS, 0).back()); }
    int read() { return value.load() + (new (std::nothrow) std::byte[std::size_t{1} << 50] == nullptr ? 0 : 1); }
};
LINPOINT_TEST(Large, write, read)
"""


@pytest.fixture(autouse=True)
def _sources(tmp_path: Path) -> None:
    (tmp_path / "register.cpp").write_text(REGISTER)
    (tmp_path / "endless.py").write_text(ENDLESS)
    (tmp_path / "crossed.cpp").write_text(CROSSED)
    (tmp_path / "large.cpp").write_text(LARGE)


def build(run: Command, *flags: str) -> None:
    """Build the register in advance, outside the budget of a test."""
    told = run("test", "register.cpp", "--spec", "register(initial=0)", "--scenario", "write(1)", "--", *flags)
    assert told.code == 0, told.err


def test_slow_judging_is_not_reported_as_an_endless_run(run: Command) -> None:
    # One large scenario: on a busy machine a search might only start small ones, all of which end.
    scenario = " | ".join(["write(1); read(); write(2); read()"] * 4)
    words = ("test", "register.cpp", "--spec", "register(initial=0)", "--scenario", scenario, "--json")
    build(run, "-DREAD=")
    told = run(*words, "--budget", "4s", "--", "-DREAD=")
    assert (told.code, told.json["why"].split(" before ")[0]) == (3, "the budget ended")


@pytest.mark.long
def test_the_budget_ends_an_endless_spec(run: Command) -> None:
    build(run, "-DREAD=")
    told = run("test", "register.cpp", "--spec", "endless.py:Endless", "--budget", "5s", "--json", "--", "-DREAD=")
    assert told.code == 3
    assert "inside of the spec" in told.json["why"]


@pytest.mark.long
def test_the_budget_ends_endless_atomic_operations(run: Command) -> None:
    build(run, "-DREAD=for (;;) {}")
    told = run("test", "register.cpp", "--method", "outcomes", "--budget", "5s", "--json", "--", "-DREAD=for (;;) {}")
    assert told.code == 3


def test_operations_that_wait_for_each_other_are_a_deadlock_without_a_spec(run: Command) -> None:
    told = run("test", "crossed.cpp", "--method", "outcomes", "--json")
    (finding,) = told.json["findings"]
    assert finding["kind"] == "deadlock"
    assert finding["message"] == (
        "deadlock: left(), right() never return, although atomic operations would let one of them proceed"
    )
    assert run(*finding["replay"]).code == 1


@pytest.mark.parametrize("judged", [("--spec", "register(initial=0)"), ("--method", "outcomes")])
def test_ctrl_c_ends_with_what_is_known(judged: tuple[str, ...], tmp_path: Path) -> None:
    words = [COMMAND, "test", "register.cpp", *judged, "--threads", "3", "--budget", "60s", "--json"]
    words += ["--", "-DREAD=for (int i = 0; i < 30; ++i) (void)value.load();"]
    with subprocess.Popen(
        words, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        wait_for_child(process, "/host ")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
    document = json.loads(out)
    assert document["verdict"] == "unknown"
    assert "interrupted" in document["why"]
    assert process.returncode in (3, 130)


@pytest.mark.parametrize(("cells", "most"), [("100000", "200K"), ("10000", "50K"), ("10", "1K")])
def test_a_failed_allocation_is_not_a_violation(run: Command, cells: str, most: str) -> None:
    """One block too large; several blocks, each of which fits; and no memory at all, before any run."""
    words = ["large.cpp", "--spec", "register(initial=0)", "--scenario", "write(1); write(2) | read()"]
    flags = ["--", f"-DCELLS={cells}"]
    told = run("test", *words, "--max-memory", most, "--json", *flags)
    assert (told.code, told.json["verdict"], told.json["findings"]) == (3, "unknown", []), told.out + told.err
    assert "--max-memory" in told.json["why"]
    assert run("test", *words, "--json", *flags).code == 0
