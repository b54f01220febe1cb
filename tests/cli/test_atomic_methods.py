# SPDX-License-Identifier: Apache-2.0
"""``linpoint explore PROGRAM.cpp --atomic-methods PATTERN``: functions that run without preemption."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from linpoint.hosts.address_symbols import functions
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from tests.cli.conftest import Command
from tests.hosts.controlled_programs import COMPILERS, built

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

COUNTER = """
#include <atomic>
#include <cassert>
#include <thread>
namespace app {
struct Counter {
    std::atomic<int> value{0};
    void set(int to) { value.store(to, std::memory_order_relaxed); }
    int get() const { return value.load(std::memory_order_relaxed); }
    void add(int by) {
        int seen = get();
        if (by > 1) add(by - 1), seen = get();
        set(seen + 1);
        if (by < 0) throw by;
    }
};
}
int main() {
    app::Counter counter;
    std::thread a([&] { counter.add(2); });
    std::thread b([&] { try { counter.add(-1); } catch (int) { counter.set(counter.get() + 10); } });
    a.join();
    b.join();
    assert(counter.get() == 13);
}
"""


@pytest.fixture(autouse=True)
def hosts() -> None:
    """Build the host in advance, which may take longer than the time limit of a command."""
    for compiler in filter(shutil.which, COMPILERS):
        find_host(find_compiler(compiler))


def explore(run: Command, folder: Path, *words: str) -> tuple[int, dict[str, object]]:
    (folder / "counter.cpp").write_text(COUNTER)
    done = run("explore", str(folder / "counter.cpp"), "--json", *words)
    return done.code, json.loads(done.out)


@pytest.mark.parametrize(("model", "compiler"), [("sc", "g++"), ("tso", "clang++")])
def test_an_atomic_method_ends_by_return_or_throw(run: Command, tmp_path: Path, compiler: str, model: str) -> None:
    """Recursion is covered too. The exception handler is not part of the method and can still be preempted."""
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    words = ("--compiler", compiler, "--memory-model", model)
    assert explore(run, tmp_path, *words)[0] == 1
    assert explore(run, tmp_path, *words, "--atomic-methods", "Counter::add")[0] == 1
    code, _ = explore(run, tmp_path, *words, "--atomic-methods", "main::*operator()", "--", "-O2")
    assert code == 0


def test_replay_keeps_methods_atomic(run: Command, tmp_path: Path) -> None:
    _, told = explore(run, tmp_path, "--atomic-methods", "Counter::add")
    done = run("replay", str(_token(told)))
    assert done.code == 1
    assert "counter.get() == 13" in done.out


def _token(told: object) -> object:
    if isinstance(told, dict):
        return next((found for value in told.values() if (found := _token(value))), None)
    if isinstance(told, list):
        return next((found for value in told if (found := _token(value))), None)
    return told if isinstance(told, str) and told.startswith("lp1-") else None


def test_an_unknown_name_is_rejected(run: Command, tmp_path: Path) -> None:
    (tmp_path / "counter.cpp").write_text(COUNTER)
    done = run("explore", str(tmp_path / "counter.cpp"), "--atomic-methods", "Stack::*")
    assert done.code == 2
    assert "LP-U001: --atomic-methods 'Stack::*' matches no function of the program." in done.err
    assert "app::Counter::add" in done.err
    done = run("explore", str(tmp_path / "counter.py"), "--atomic-methods", "add")
    assert done.code == 2
    assert "--atomic-methods" in done.err


def test_functions_are_matched_by_name() -> None:
    library = built("features/atomic_blocks.cpp", "-fno-inline").library
    names = [each.name for each in functions(library)]
    assert {"main", "count"} <= set(names)
    assert not any(name.endswith(")") and not name.endswith("operator()") for name in names)
    assert all(each.begin < each.end for each in functions(library))
