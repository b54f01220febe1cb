# SPDX-License-Identifier: Apache-2.0
"""``linpoint crash`` as users and programs call it, with the real host."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Final

import pytest

from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from linpoint.verdicts import replay_token
from tests.cli.conftest import Command

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

REGISTER = """
#include <linpoint/crash.hpp>
#include <immintrin.h>
#include <cstdlib>
struct RegisterTest {
    int* value;
    static RegisterTest* create(linpoint::Pool& pool) {
        pool.set_root(pool.allocate(sizeof(int)));
        return recover(pool);
    }
    static RegisterTest* recover(linpoint::Pool& pool) { return new RegisterTest{static_cast<int*>(pool.root())}; }
    void write(int to) {
        BEFORE
        *value = to;
        AFTER
    }
    int read() { return *value; }
};
LINPOINT_CRASH_TEST(RegisterTest, write, read)
"""
LINE = 14
"""The line of the store."""
PLACES: Final = {"CCACHE_DISABLE": "1"}
"""Entries of a compiler cache may name the directory in which they were made."""
SPEC = ("--spec", "register(initial=0)")
ALONE = ("--tests", "dl1,dl2,c2,recovery")
"""A read concurrent with a write sees a value that is not durable yet."""
FLUSHED = ("-DBEFORE=", "-DAFTER=_mm_clflush(value);_mm_sfence();")
UNFLUSHED = ("-DBEFORE=", "-DAFTER=")


@pytest.fixture(scope="module", autouse=True)
def _host() -> None:
    find_host(find_compiler(None))


@pytest.fixture
def register(tmp_path: Path) -> Path:
    file = tmp_path / "register_test.cpp"
    file.write_text(REGISTER)
    return file


def test_a_durable_register_holds(register: Path, run: Command) -> None:
    done = run("crash", "register_test.cpp", *SPEC, *ALONE, "--operations", "30", "--json", "--", *FLUSHED)
    assert done.code == 0, done.err
    document = done.json
    assert document["verdict"] == "holds"
    assert document["test"] == "RegisterTest"
    assert document["exhaustive"] is False
    assert document["findings"] == []
    statistics = document["statistics"]
    assert statistics["operations"] == 30
    assert statistics["crash_tests"] == sum(statistics["crash_tests_by_kind"].values()) > 30
    assert {"seconds", "peak_memory_bytes", "schedules"} <= statistics.keys()


def test_an_exhaustive_pass_is_reported_as_exhaustive(register: Path, run: Command) -> None:
    words = ("--scenario", "write(1); write(2)", "--exhaustive")
    done = run("crash", "register_test.cpp", *SPEC, *words, "--json", "--", *FLUSHED)
    assert done.code == 0, done.err
    assert done.json["exhaustive"] is True


def test_a_lost_write_is_blamed_on_its_line_and_replays(register: Path, run: Command) -> None:
    done = run("crash", "register_test.cpp", *SPEC, "--operations", "30", "--json", "--", *UNFLUSHED, env=PLACES)
    assert done.code == 1, done.err
    (finding,) = done.json["findings"]
    assert finding["kind"] == "durability"
    assert "C2" in finding["class"]
    assert finding["place"] == f"register_test.cpp:{LINE}"
    assert finding["violates"] == ["strict", "durable"]
    assert finding["explanation"]["proven"] is True
    assert f"flush `*value` (register_test.cpp:{LINE}) and fence" in finding["explanation"]["remedy"]
    calls = [each["call"] for each in finding["explanation"]["operations"] if each["when"] != "after"]
    assert calls == ["write(1)"]
    again = run(*finding["replay"], "--json")
    assert again.code == 1, again.err
    assert [each["kind"] for each in again.json["findings"]] == ["durability"]
    register.write_text(REGISTER.replace("AFTER", "_mm_clflush(value);_mm_sfence();"))
    fixed = run(*finding["replay"], "--json")
    assert fixed.code == 0, fixed.err


def test_a_paused_operation_is_not_the_first_of_its_thread(run: Command, tmp_path: Path) -> None:
    # A new thread would write more than in the trace, where it had run an operation before.
    registering = """
    #include <linpoint/crash.hpp>
    void enter(linpoint::Pool& pool) {
        static thread_local int* mine = nullptr;
        if (mine != nullptr) return;
        mine = static_cast<int*>(pool.allocate(64));
        for (int at = 0; at < 16; ++at) mine[at] = at + 1;
    }"""
    text = REGISTER.replace("#include <linpoint/crash.hpp>", registering)
    text = text.replace("pool.set_root", "enter(*(the_pool = &pool)); pool.set_root")
    text = text.replace("int* value;", "int* value; static inline linpoint::Pool* the_pool = nullptr;")
    (tmp_path / "registering_test.cpp").write_text(text)
    words = ("--scenario", "write(1) | read()", "--tests", "dl3", "--json")
    flags = ("-DBEFORE=enter(*the_pool);", FLUSHED[1])
    done = run("crash", "registering_test.cpp", *SPEC, *words, "--", *flags)
    assert done.code == 1, done.out
    (finding,) = done.json["findings"]
    assert finding["class"] == ["DL3"]


def test_every_output_format_is_written(register: Path, run: Command, tmp_path: Path) -> None:
    words = ("--operations", "10", "--report", "page.html", "--junit", "out.xml", "--github", "--summary")
    done = run("crash", "register_test.cpp:RegisterTest", *SPEC, *words, "--", *UNFLUSHED, env=PLACES)
    assert done.code == 1, done.err
    assert done.out.startswith("VIOLATION register_test.cpp:RegisterTest: ")
    assert "crash tests" in done.out
    assert f"::error file=register_test.cpp,line={LINE}," in done.out
    case = ET.parse(tmp_path / "out.xml").getroot().find("testsuite/testcase")
    assert case is not None
    assert case.get("name") == "RegisterTest"
    assert case.find("failure") is not None
    assert "Cache lines at the crash" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_text_explains_the_finding(register: Path, run: Command) -> None:
    done = run("crash", "register_test.cpp", *SPEC, "--scenario", "write(7)", "--", *UNFLUSHED)
    assert done.code == 1
    assert done.out.startswith("VIOLATION: RegisterTest: after a crash following write(1), read() returned 0")
    assert "Fix (verified): flush `*value`" in done.out
    assert "Replay: linpoint replay lp1-" in done.out


def test_a_failure_without_a_crash_is_a_finding_of_its_kind(register: Path, run: Command) -> None:
    flags = ("-DBEFORE=if (to == 3) std::abort();", "-DAFTER=")
    words = ("--scenario", "write(1); write(3); read()", "--json")
    done = run("crash", "register_test.cpp", *SPEC, *words, "--", *flags)
    assert done.code == 1, done.err
    (finding,) = done.json["findings"]
    assert finding["kind"] == "crash"
    assert finding["message"].startswith("without any crash, write(3) crashes")
    assert [each["call"] for each in finding["explanation"]["operations"]] == ["write(3)"]
    again = run(*finding["replay"], "--json")
    assert [each["kind"] for each in again.json["findings"]] == ["crash"]
    wrong = run("crash", "register_test.cpp", *SPEC, "--operations", "9", "--json", "--", "-DBEFORE=++to;", "-DAFTER=")
    assert [each["kind"] for each in wrong.json["findings"]] == ["linearizability"]


def test_comments_of_the_file_are_options(register: Path, run: Command) -> None:
    flags = " ".join(f'"{flag}"' for flag in FLUSHED)
    comment = f'// linpoint: --spec "register(initial=0)" --operations 12 {" ".join(ALONE)} -- {flags}\n'
    register.write_text(comment + REGISTER)
    done = run("crash", "register_test.cpp", "--json")
    assert done.code == 0, done.err
    assert done.json["statistics"]["operations"] == 12


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--tests", "dl4"), "LP-C003"),
        (("--workload", "nowhere.txt"), "LP-C002"),
        (("--probes", "peek()"), "LP-C004"),
        (("--persistency", "none"), "LP-U001"),
        (("--condition", "eventual"), "LP-U003"),
        (("--scenario", "write(1)", "--operations", "4"), "LP-U001"),
        (("--before", "write(1)"), "LP-U001"),
        (("--scenario", "write(1); peek()"), "LP-T007"),
    ],
)
def test_bad_input_is_rejected(register: Path, run: Command, words: tuple[str, ...], code: str) -> None:
    done = run("crash", "register_test.cpp", *SPEC, *words, "--json", "--", *FLUSHED)
    assert done.code == 2
    assert done.error["code"] == code


def test_files_without_a_persistent_object_are_rejected(run: Command, tmp_path: Path) -> None:
    (tmp_path / "counter_test.cpp").write_text(
        "#include <linpoint/test.hpp>\n"
        "struct CounterTest { void increment() {} int read() { return 0; } };\n"
        "LINPOINT_TEST(CounterTest, increment, read)\n"
    )
    done = run("crash", "counter_test.cpp", "--spec", "counter", "--json")
    assert done.code == 2
    assert done.error["code"] == "LP-C001"
    assert run("crash", "counter_test.py", "--spec", "counter", "--json").error["code"] == "LP-U001"
    assert run("crash", "nowhere.cpp", "--spec", "counter", "--json").error["code"] == "LP-T015"


def test_a_test_needs_a_spec(register: Path, run: Command) -> None:
    done = run("crash", "register_test.cpp", "--json", "--", *FLUSHED)
    assert done.code == 2
    assert "requires a spec" in done.error["message"]


@pytest.mark.parametrize(
    "content",
    [
        {"kind": "crash"},
        {"kind": "crash", "file": "a.cpp", "test": "A", "finding": "durability", "spec": "map", "workload": []},
        {
            "kind": "crash",
            "file": "a.cpp",
            "test": "A",
            "finding": "durability",
            "spec": "map",
            "workload": [["get", [1]]],
            "persistency": "x",
        },
    ],
)
def test_a_token_without_a_finding_is_rejected(run: Command, content: dict[str, object]) -> None:
    done = run("replay", replay_token.encode(content), "--json")
    assert done.code == 2
    assert done.error["code"] == "LP-U004"
