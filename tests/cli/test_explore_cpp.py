# SPDX-License-Identifier: Apache-2.0
"""``linpoint explore PROGRAM.cpp`` as users and programs call it, with the real host."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from linpoint.verdicts import replay_token
from tests.cli.conftest import COMMAND, Command, environment, wait_for_child

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

STORE_BUFFERING = """
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>
std::atomic<int> x, y;
int r1, r2;
int main() {
    std::thread a([] { x.store(1, ORDER); FENCE; r1 = y.load(ORDER); });
    std::thread b([] { y.store(1, ORDER); FENCE; r2 = x.load(ORDER); });
    a.join();
    b.join();
    std::printf("%d %d\\n", r1, r2);
    assert(r1 == 1 || r2 == 1);
}
"""
RELAXED = ("-DORDER=std::memory_order_relaxed", "-DFENCE")
NEVER_ENDS = """
#include <atomic>
#include <thread>
#include <vector>
std::atomic<int> x;
int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) threads.emplace_back([] { for (int j = 0; j < 40; ++j) ++x; });
    for (auto& each : threads) each.join();
}
"""


IN_C = """
#include <assert.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flags[2], inside;
static void* enter(void* class) {
    long me = (long)class;
    atomic_store_explicit(&flags[me], 1, memory_order_release);
    _mm_clflush(&flags[me]);
    FENCE();
    if (!atomic_load_explicit(&flags[1 - me], memory_order_acquire)) assert(atomic_fetch_add(&inside, 1) == 0);
    return 0;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, enter, (void*)1);
    enter(0);
    pthread_join(other, 0);
}
"""


@pytest.fixture(scope="module", autouse=True)
def host() -> Path:
    """Build the host before any command is timed."""
    return find_host(find_compiler("g++"))


def test_a_program_in_c_is_explored(run: Command, tmp_path: Path) -> None:
    (tmp_path / "flags.c").write_text(IN_C)
    told = run("explore", "flags.c", "--memory-model", "tso", "--json", "--", "-DFENCE=_mm_mfence", "-std=c11")
    assert (told.code, told.json["verdict"], told.json["exhaustive"]) == (0, "holds", True)
    told = run("explore", "flags.c", "--memory-model", "tso", "--json", "--", "-DFENCE=_mm_sfence")
    assert (told.code, told.json["findings"][0]["kind"]) == (1, "assertion")
    told = run(*told.json["findings"][0]["replay"])
    assert told.code == 1
    assert "flags.c:11  FENCE();" in told.out


@pytest.mark.parametrize(
    "write", ["std::memcpy(to, from, 24)", "std::memset(to, 0, 24)", "std::copy(from, from + 20, to)"]
)
def test_a_race_in_code_that_compilers_inline_for_a_call_is_found(run: Command, tmp_path: Path, write: str) -> None:
    (tmp_path / "race.cpp").write_text(
        "#include <algorithm>\n#include <cstring>\n#include <thread>\nchar *to = new char[64], *from = new char[64];\n"
        f"int main() {{\n    std::thread other([] {{ {write}; }});\n    {write};\n    other.join();\n}}\n"
    )
    for level in ("-O1", "-O2"):
        told = run("explore", "race.cpp", "--json", "--", level)
        assert [each["kind"] for each in told.json["findings"]] == ["race"]


def test_a_violation_under_tso_is_reported_and_replays(run: Command, tmp_path: Path) -> None:
    (tmp_path / "sb.cpp").write_text(STORE_BUFFERING)
    assert run("explore", "sb.cpp", "--", *RELAXED).code == 0
    told = run("explore", "sb.cpp", "--memory-model", "tso", "--", *RELAXED)
    assert told.code == 1
    assert told.out.startswith("VIOLATION: sb.cpp: assertion `r1 == 1 || r2 == 1` fails at sb.cpp:14 in main.")
    assert "buffer: x=1" in told.out
    assert "x = 1 reaches memory" in told.out
    assert "Last output:\n  0 0\n" in told.out
    assert not told.err
    document = run("explore", "sb.cpp", "--memory-model", "tso", "--json", "--", *RELAXED).json
    (finding,) = document["findings"]
    assert (document["verdict"], document["exhaustive"], finding["kind"]) == ("violation", False, "assertion")
    assert finding["place"] == "sb.cpp:14"
    assert finding["explanation"]["counts"]["threads"] == 3
    again = run(*finding["replay"], "--json")
    assert again.code == 1
    assert [each["kind"] for each in again.json["findings"]] == ["assertion"]


def test_a_pass_covers_every_schedule(run: Command, tmp_path: Path) -> None:
    (tmp_path / "sb.cpp").write_text(STORE_BUFFERING)
    fence = "-DFENCE=std::atomic_thread_fence(std::memory_order_seq_cst)"
    told = run("explore", "sb.cpp", "--memory-model", "tso", "--json", "--", RELAXED[0], fence)
    assert told.code == 0
    document = told.json
    assert (document["verdict"], document["exhaustive"], document["findings"]) == ("holds", True, [])
    assert 1 <= document["statistics"]["schedules"] <= 10
    assert document["statistics"].keys() >= {"seconds", "peak_memory_bytes", "bounded_schedules"}


def test_a_fence_in_assembly_is_modelled_and_an_access_is_rejected(run: Command, tmp_path: Path) -> None:
    (tmp_path / "sb.cpp").write_text(STORE_BUFFERING)
    fence = '-DFENCE=asm volatile("mfence" ::: "memory")'
    assert run("explore", "sb.cpp", "--memory-model", "tso", "--", RELAXED[0], fence).code == 0
    access = '-DFENCE=asm volatile("lock; incl %0" : "+m"(r1) :: "memory")'
    told = run("explore", "sb.cpp", "--json", "--", RELAXED[0], access)
    assert (told.code, told.json["verdict"]) == (3, "unknown")
    assert "at sb.cpp:9" in told.json["why"]
    assert "use std::atomic" in told.json["why"]


def test_outcomes_are_collected(run: Command, tmp_path: Path) -> None:
    (tmp_path / "sb.cpp").write_text(STORE_BUFFERING)
    words = ("explore", "sb.cpp", "--outcomes", "--memory-model")
    assert set(run(*words, "sc", "--json", "--", *RELAXED).json["outcomes"]) == {"0 1\n", "1 0\n", "1 1\n"}
    four = run(*words, "tso", "--", *RELAXED, "-DNDEBUG")
    assert four.code == 0
    assert "4 outcomes of complete runs:" in four.out


def test_several_sources_with_arguments_and_an_exit_code(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        "int f(int); int main(int argc, char** argv) { return f(argc) + *argv[1] - 'x'; }\n"
    )
    (tmp_path / "b.cpp").write_text("int f(int n) { return n - 3; }\n")
    assert run("explore", "a.cpp", "b.cpp", "--args", "x 'y z'").code == 0
    told = run("explore", "a.cpp", "b.cpp", "--args", "x", "--json")
    assert (told.code, told.json["findings"][0]["kind"]) == (1, "crash")


def test_a_data_race_stops_is_reported_or_ignored(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        "#include <thread>\nint n, m;\nint main() {\n  std::thread t([] { ++n; ++m; });\n  ++n; ++m;\n  t.join();\n}\n"
    )
    (finding,) = run("explore", "a.cpp", "--json").json["findings"]
    assert finding["kind"] == "race"
    assert finding["message"].startswith("data race on n: a write by main at a.cpp:5 and a read by T1 at a.cpp:4 ")
    reported = run("explore", "a.cpp", "--races", "report", "--json")
    messages = [each["message"] for each in reported.json["findings"]]
    assert reported.code == 1
    assert any("on n" in each for each in messages)
    assert any("on m" in each for each in messages)
    assert run("explore", "a.cpp", "--races", "ignore").code == 0


def test_the_compiler_reports_compilation_errors(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int main() { return missing; }\n")
    told = run("explore", "a.cpp")
    assert (told.code, told.out) == (2, "")
    assert "a.cpp:1:21: error: " in told.err
    assert told.err.endswith(
        "error: LP-T033 a.cpp: g++ cannot compile it. See its messages; pass flags for g++ after --.\n"
    )
    error = run("explore", "a.cpp", "--json").error
    assert error["code"] == "LP-T033"
    (tmp_path / "b.cpp").write_text("void nowhere(int);\nint main() { nowhere(1); }\n")
    undefined = run("explore", "b.cpp", "--json").error
    assert (undefined["code"], undefined["message"]) == ("LP-T033", "nowhere(int) is undefined.")
    assert "a.cpp:1:21: error: " in error["message"]


def test_bad_input_has_codes(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int main() {}\n")
    (tmp_path / "a.py").write_text("\n")
    assert run("explore", "nowhere.cpp", "--json").error["code"] == "LP-T030"
    assert run("explore", "a.cpp", "--compiler", "nothing", "--json").error["code"] == "LP-T034"
    assert run("explore", "a.cpp", "--json", env={"PATH": str(tmp_path)}).error["code"] == "LP-T034"
    for words in (
        ("a.cpp", "--memory-model", "arm"),
        ("a.cpp", "--races", "never"),
        ("a.cpp", "--isolate", "vm"),
        ("a.cpp", "--args", "'"),
        ("a.cpp", "--backend", "ast"),
        ("a.py", "--reuse"),
        ("a.py", "--races", "ignore"),
    ):
        assert run("explore", *words, "--json").error["code"] == "LP-U001", words
    assert run("explore", "a.cpp", "--json", "--", "-fsanitize=address").error["code"] == "LP-U001"


def test_the_budget_holds(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(NEVER_ENDS)
    run("explore", "a.cpp", "--preemptions", "0")  # compile it in advance
    told = run("explore", "a.cpp", "--budget", "3s", "--json")
    assert (told.code, told.json["verdict"]) == (3, "unknown")
    assert told.json["why"].startswith("the budget ended ")
    assert told.json["statistics"]["schedules"] > 0
    short = run("explore", "a.cpp", "--budget", "350ms", "--json", "--", "-O2")
    assert (short.code, short.json["why"]) == (3, "the budget ended during compilation")


def test_ctrl_c_reports_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(NEVER_ENDS)
    words = [COMMAND, "explore", "a.cpp", "--json", "--budget", "60s"]
    with subprocess.Popen(words, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE) as process:
        wait_for_child(process, "/host ")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "the run was interrupted" in json.loads(out)["why"]


def test_other_output_formats_are_written(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("#include <cassert>\nint main() { int n = 1; assert(n == 2); }\n")
    told = run("explore", "a.cpp", "--summary", "--junit", "out.xml", "--report", "out.html", "--github")
    assert told.code == 1
    assert told.out.startswith("VIOLATION a.cpp: ")
    assert "::error file=a.cpp,line=2," in told.out
    (failure,) = ET.parse(tmp_path / "out.xml").getroot().iter("failure")
    assert failure.get("type") == "assertion"
    assert "assertion" in (tmp_path / "out.html").read_text()


def test_replay_reports_that_the_program_has_changed(run: Command, tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text("#include <cassert>\nint n = 1;\nint main() { assert(n == 2); }\n")
    (finding,) = run("explore", "a.cpp", "--json").json["findings"]
    source.write_text("#include <cassert>\nint n = 2;\nint main() { assert(n == 2); }\n")
    fixed = run(*finding["replay"], "--json")
    assert (fixed.code, fixed.json["verdict"], fixed.json["exhaustive"]) == (0, "holds", False)
    assert "the program has changed" in fixed.json["warnings"][0]


@pytest.mark.parametrize(
    "change",
    [{"memory_model": "arm"}, {"races": "none"}, {"isolate": "vm"}, {"files": []}, {"files": 1}, {"schedule": "x"}],
)
def test_invalid_tokens_are_rejected(run: Command, tmp_path: Path, change: dict[str, object]) -> None:
    content = {"kind": "explore-cpp", "files": ["a.cpp"], "schedule": [], "finding": "race"} | change
    assert run("replay", replay_token.encode(content), "--json").error["code"] == "LP-U004"
