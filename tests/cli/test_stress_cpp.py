# SPDX-License-Identifier: Apache-2.0
"""``linpoint test FILE.cpp --stress`` as users and programs call it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from linpoint.verdicts import replay_token
from tests.cli.conftest import COMMAND, Command, environment, wait_for_child

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

REGISTERS = """
#include <linpoint/test.hpp>
#include <array>
#include <atomic>
#include <csignal>
struct Good {
  std::atomic<int> value{0};
  void write(int v) { value.store(v); }
  std::optional<int> read() { const int v = value.load(); return v == 0 ? std::nullopt : std::optional<int>(v); }
};
LINPOINT_TEST(Good, write, read)
struct Stale : Good {  // a reader may see the value before the last
  std::atomic<int> before{0};
  void write(int v) { before.store(value.load()); value.store(v); }
  std::optional<int> read() { const int v = before.load(); return v == 0 ? std::nullopt : std::optional<int>(v); }
};
LINPOINT_TEST(Stale, write, read)
struct Crashes : Good {
  void write(int v) { if (v == 7) std::raise(SIGSEGV); Good::write(v); }
};
LINPOINT_TEST(Crashes, write, read)
"""


@pytest.fixture(scope="module")
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One directory for all tests, so that the file is compiled once."""
    return tmp_path_factory.mktemp("stress")


@pytest.fixture
def registers(tmp_path: Path) -> str:
    (tmp_path / "registers.cpp").write_text(REGISTERS)
    return "registers.cpp"


def test_all_tests_of_a_file_are_run(run: Command, registers: str) -> None:
    done = run("test", registers, "--spec", "register", "--stress", "--budget", "20s", "--json", "--junit", "j.xml")
    assert done.code == 1
    document = done.json
    assert document["verdict"] == "violation"
    good, stale, crashes = document["tests"]
    assert [each["test"] for each in (good, stale, crashes)] == ["Good", "Stale", "Crashes"]
    assert good["verdict"] == "linearizable"
    assert good["exhaustive"] is False
    assert good["statistics"]["operations"] == 400 * good["statistics"]["runs"] > 0
    assert good["statistics"]["operations_per_second"] > 0
    assert good["statistics"]["threads"] == 4
    assert [each["findings"][0]["kind"] for each in (stale, crashes)] == ["linearizability", "crash"]
    assert "SIGSEGV" in crashes["findings"][0]["message"]


def test_a_violation_replays_without_the_file(run: Command, registers: str, tmp_path: Path) -> None:
    done = run("test", f"{registers}:Stale", "--spec", "register", "--stress", "--json")
    finding = done.json["findings"][0]
    assert finding["explanation"]["text"].startswith("VIOLATION (linearizability): run ")
    (tmp_path / registers).unlink()
    again = run(*finding["replay"], "--json")
    assert again.code == 1
    assert again.json["findings"][0]["kind"] == "linearizability"
    assert again.json["findings"][0]["replay"] == finding["replay"]
    assert run(*finding["replay"]).out.startswith("VIOLATION: ")


def test_a_crash_is_replayed_by_the_same_command(run: Command, registers: str, tmp_path: Path) -> None:
    done = run("test", f"{registers}:Crashes", "--spec", "register", "--stress", "--threads", "2", "--junit", "j.xml")
    assert done.code == 1
    assert "Running at that time: process " in done.out
    words = ["test", "registers.cpp:Crashes", "--stress", "--spec", "register", "--threads", "2"]
    assert f"\nReplay: linpoint {' '.join(words)}\n" in done.out
    assert run(*words).code == 1
    failure = ET.parse(tmp_path / "j.xml").getroot().find(".//failure")
    assert failure is not None
    assert failure.get("type") == "crash"


def test_a_scenario_and_flags_are_used(run: Command, registers: str) -> None:
    scenario = ("--scenario", "write(1); write(2) | read(); read()", "--before", "write(5)", "--after", "read()")
    done = run(
        "test", f"{registers}:Good", "-s", "register", "--stress", "--budget", "8s", "--json", *scenario, "--", "-O1"
    )
    assert (done.code, done.json["verdict"]) in ((0, "linearizable"), (3, "unknown"))  # compiling takes time
    assert done.json["statistics"]["operations"] == 6 * done.json["statistics"]["runs"]


def test_ctrl_c_reports_the_coverage(registers: str, tmp_path: Path) -> None:
    words = ["test", f"{registers}:Good", "--spec", "register", "--stress", "--budget", "1h", "--json"]
    with subprocess.Popen(
        [COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    ) as process:
        wait_for_child(process, "/program ")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert b"Traceback" not in err
    assert process.returncode in (0, 2, 3, 130), err
    if process.returncode == 0:
        assert b"the run was interrupted" in out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), "LP-U001", "requires a spec"),
        (("--spec", "register", "--sanitizer", "clean"), "LP-U001", "sanitizer"),
        (("--spec", "register", "--threads", "0"), "LP-U001", "threads"),
        (("--spec", "register", "--seed", "-1"), "LP-U001", "seed"),
        (("--spec", "register", "--memory-model", "tso"), "LP-U001", "--memory-model"),
        (("--spec", "register", "--", "-fsanitize=thread"), "LP-U001", "--sanitizer"),
        (("--spec", "register", "--", "-c"), "LP-U001", "-c"),
        (("--spec", "stack"), "LP-S002", "write"),
        (("--spec", "register", "--scenario", "write(1) | sing()"), "LP-T007", "sing"),
        (("--spec", "register", "--scenario", 'write("a")'), "LP-T008", "integer"),
        (("--spec", "nothing"), "LP-S001", "nothing"),
    ],
)
def test_invalid_options_are_rejected(
    run: Command, registers: str, words: tuple[str, ...], code: str, message: str
) -> None:
    before, after = (words, ()) if "--" not in words else (words[:2], words[2:])
    error = run("test", f"{registers}:Good", "--stress", "--json", *before, *after).error
    assert error["code"] == code
    assert message in error["message"]


def test_files_that_are_not_tests_are_rejected(run: Command, tmp_path: Path) -> None:
    error = run("test", "nothing.cpp", "--spec", "register", "--stress", "--json").error
    assert error["code"] == "LP-T030"
    (tmp_path / "main.cpp").write_text("int main() {}\n")
    error = run("test", "main.cpp", "--spec", "register", "--stress", "--json").error
    assert (error["code"], error["place"]) == ("LP-T015", "main.cpp")
    (tmp_path / "wrong.cpp").write_text("int main( {}\n")
    error = run("test", "wrong.cpp", "--spec", "register", "--stress", "--json").error
    assert error["code"] == "LP-T033"
    assert "wrong.cpp:1" in error["message"]
    assert run("test", "a_test.py", "--stress", "--sanitizer", "thread", "--json").error["code"] == "LP-U001"


def test_a_token_without_a_spec_is_rejected(run: Command) -> None:
    content = {"kind": "stress-cpp", "file": "a.cpp", "test": "A", "finding": "linearizability", "operations": []}
    assert run("replay", replay_token.encode(content), "--json").error["code"] == "LP-U004"
    assert run("replay", replay_token.encode(content | {"operations": 3}), "--json").error["code"] == "LP-U004"
