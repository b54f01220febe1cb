# SPDX-License-Identifier: Apache-2.0
"""``linpoint test FILE.cpp`` as users and programs call it, with the real host."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from linpoint.verdicts import replay_token
from tests.cli.conftest import Command, Run
from tests.command_server import Server, environment

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

HOSTILE = Path(__file__).parents[1] / "subjects" / "cpp_object" / "hostile.cpp"

TABLE = """
#include <linpoint/test.hpp>
#include <atomic>
struct TableTest {
    std::atomic<int> data[3]{};
    void put(unsigned key, int value) {
        data[key].store(value, ORDER);
    }
    std::optional<int> get(unsigned key) {
        int found = data[key].load(ORDER);
        return found != 0 ? std::optional<int>(found) : std::nullopt;
    }
};
LINPOINT_TEST(TableTest, put, get)
"""
RELAXED = ("--", "-DORDER=std::memory_order_relaxed")
ORDERED = ("--", "-DORDER=std::memory_order_seq_cst")

COUNTER = """
#include <linpoint/test.hpp>
#include <atomic>
struct CounterTest {
    std::atomic<int> count{0};
    std::atomic<bool> locked{false};
    void increment() { BODY }
    int read() { return count.load(); }
};
LINPOINT_TEST(CounterTest, increment, read)
"""
LOST = "-DBODY=count.store(count.load() + 1);"
LOCKED = "-DBODY=while (locked.exchange(true)) {} count.store(count.load() + 1); locked.store(false);"
ATOMIC = "-DBODY=++count;"


REGISTER = """
#include <linpoint/test.hpp>
#include <mutex>
struct RegisterTest {
    std::mutex lock;
    int value = 0;
    void write(int v) { const std::lock_guard guard(lock); value = v; }
    int read() { const std::lock_guard guard(lock); return value; }
};
LINPOINT_TEST(RegisterTest, write, read)
"""

NAMED = [f"read-{number}" for number in range(100)]
NAMES = f"""
#include <linpoint/test.hpp>
struct NamesTest {{
    int read() {{ return 0; }}
}};
LINPOINT_TEST(NamesTest, {", ".join(f'(read, "{name}")' for name in NAMED)})
"""

TURN = """
#include <linpoint/test.hpp>
#include <atomic>
struct TurnTest {
    std::atomic<int> turn{0};
    int first() { return turn.exchange(1); }
    int second() { while (turn.load() == 0) {} return turn.load(); }
};
LINPOINT_TEST(TurnTest, first, second)
"""


MANY = f"""
#include <linpoint/test.hpp>
struct ManyTest {{
    int read() {{ return 0; }}
}};
LINPOINT_TEST(ManyTest, {", ".join(["read"] * 301)})
"""


@pytest.fixture(scope="module", autouse=True)
def host() -> Path:
    """Build the host before any command is timed."""
    return find_host(find_compiler("g++"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All sources in one directory, so that each is compiled once."""
    folder = tmp_path_factory.mktemp("objects")
    sources = {
        "table": TABLE,
        "counter": COUNTER,
        "turn": TURN,
        "names": NAMES,
        "many": MANY,
        "register": REGISTER,
        "empty": "int main() {}\n",
        "blank": "",
        "roles": COUNTER.replace("BODY", "") + 'LINPOINT_ROLES(CounterTest, "grow | read")\n',
        "values": COUNTER.replace("BODY", "") + 'LINPOINT_VALUES(CounterTest, "read", "[1]")\n',
        "hostile": HOSTILE.read_text(),
    }
    for name, text in sources.items():
        (folder / f"{name}.cpp").write_text(text)
    return folder


@pytest.fixture
def run(folder: Path, server: Server) -> Command:
    """The command, in the directory of the sources."""

    def command(*words: str) -> Run:
        code, out, err = server.run(words, folder=folder, environment=environment(folder))
        return Run(code, out.decode(), err.decode())

    return command


def test_a_correct_object_is_explored_completely(run: Command) -> None:
    told = run("test", "counter.cpp", "--spec", "counter", "--json", "--", ATOMIC)
    assert told.code == 0
    document = told.json
    assert document["verdict"] == "linearizable"
    assert document["exhaustive"] is True
    assert document["models"] == {"sc": "linearizable"}
    assert document["bounds"] == {"threads": 2, "operations": 2}
    assert document["statistics"]["scenarios"] == 21
    assert document["statistics"]["schedules"] == 69
    text = run("test", "counter.cpp", "--spec", "counter", "--workers", "1", "--", ATOMIC).out
    assert text.startswith("LINEARIZABLE: CounterTest: no schedule shows a violation.\n")
    assert "21 scenarios (threads <= 2, operations <= 2), 69 schedules" in text


def test_every_operation_may_have_a_name_of_its_own(run: Command) -> None:
    calls = "; ".join(f"{name}()" for name in NAMED)
    told = run("test", "names.cpp", "--method", "outcomes", "--scenario", calls)
    assert told.code == 0, told.err


def test_the_smallest_violation_is_reported_and_replays(run: Command, folder: Path) -> None:
    told = run("test", "counter.cpp", "--spec", "counter", "--json", "--", LOST)
    assert told.code == 1
    (finding,) = told.json["findings"]
    assert finding["kind"] == "linearizability"
    explanation = finding["explanation"]
    assert explanation["counts"] == {"threads": 2, "operations": 3, "preemptions": 1, "steps": 10}
    assert explanation["minimal"] is True
    assert [each["call"] for each in explanation["operations"]] == ["increment()", "increment()", "read()"]
    again = run(*finding["replay"])
    assert again.code == 1
    assert "│ write object = 1" in again.out
    # After the fix the same schedule has no violation.
    (folder / "counter.cpp").write_text(COUNTER.replace("BODY", "++count;"))
    fixed = run(*finding["replay"])
    (folder / "counter.cpp").write_text(COUNTER)
    assert fixed.code == 0
    assert "Warning: the code has changed" in fixed.out


def test_replay_elsewhere_names_the_directory_to_use(run: Command, folder: Path) -> None:
    told = run("test", "counter.cpp", "--spec", "counter", "--json", "--", LOST)
    (finding,) = told.json["findings"]
    (folder / "counter.cpp").rename(folder / "away.cpp")
    again = run(*finding["replay"])
    as_json = run(*finding["replay"], "--json")
    (folder / "away.cpp").rename(folder / "counter.cpp")
    assert again.code == as_json.code == 2
    assert again.err.startswith("error: LP-T015 counter.cpp: there is no such file. Replay it in the directory")
    assert as_json.json["error"]["code"] == "LP-T015"


def test_the_error_for_an_empty_file_names_the_parts_of_a_test(run: Command) -> None:
    told = run("test", "blank.cpp", "--spec", "counter")
    assert told.code == 2
    assert "LP-T033 blank.cpp: it has no main()." in told.err
    assert "LINPOINT_TEST" in told.err


def test_a_missing_fence_is_named(run: Command) -> None:
    scenario = ("--scenario", "put(1, 1); get(2) | put(2, 2); get(1)")
    assert run("test", "table.cpp", "--spec", "map", *scenario, *RELAXED).code == 0
    told = run("test", "table.cpp", "--spec", "map", "--memory-model", "tso", *scenario, "--json", *RELAXED)
    assert told.code == 1
    assert told.json["models"] == {"tso": "violation", "sc": "linearizable"}
    assert told.json["statistics"]["schedules"] <= 4
    (finding,) = told.json["findings"]
    first, last = finding["explanation"]["advice"]
    assert first.startswith("Fix (verified): add one fence after the store at")
    assert "table.cpp:7" in first
    assert last == "With it, the scenario passes under every schedule"
    assert "reaches" in finding["explanation"]["text"]
    fixed = run("test", "table.cpp", "--spec", "map", "--memory-model", "tso", "--json", *ORDERED)
    assert fixed.code == 0
    assert fixed.json["exhaustive"] is True


def test_operations_before_and_after_run_alone(run: Command) -> None:
    words = ("--scenario", "increment() | increment()", "--before", "increment()", "--after", "read()")
    assert run("test", "counter.cpp", "--spec", "counter", *words, "--", ATOMIC).code == 0
    told = run("test", "counter.cpp", "--spec", "counter", *words, "--", LOST)
    assert told.code == 1
    assert "after: read() -> 2" in told.out or "after: read() -> 1" in told.out


def test_outcomes_are_compared_with_those_of_atomic_operations(run: Command) -> None:
    told = run("test", "table.cpp", "--method", "outcomes", "--json", "--budget", "10m", *RELAXED)
    assert told.code == 1
    assert told.json["why"] == "correct under SC, wrong under TSO"
    assert told.json["models"] == {"sc": "linearizable", "tso": "violation"}
    (finding,) = told.json["findings"]
    assert run(*finding["replay"]).code == 1
    wrong = run("test", "counter.cpp", "--method", "outcomes", "--json", "--", LOST)
    assert wrong.json["why"] == "wrong under SC"
    fine = run("test", "counter.cpp", "--method", "outcomes", "--json", "--", ATOMIC)
    assert fine.code == 0
    assert fine.json["exhaustive"] is True
    assert fine.json["warnings"] == []


def test_outcomes_of_an_operation_that_waits_for_another_are_accepted(run: Command) -> None:
    """second() waits for first(), so no schedule has the outcome of second() taking effect first."""
    told = run("test", "turn.cpp", "--method", "outcomes", "--scenario", "first() | second()", "--json")
    assert told.code == 0
    assert told.json["warnings"] == []


def test_locks_give_the_outcomes_of_atomic_operations(run: Command) -> None:
    told = run("test", "register.cpp", "--method", "outcomes", "--json")
    assert told.code == 0
    assert told.json["exhaustive"]
    assert told.json["warnings"] == []


def test_operations_that_others_can_block_violate_progress(run: Command) -> None:
    assert run("test", "counter.cpp", "--spec", "counter", "--", LOCKED).code == 0
    told = run("test", "counter.cpp", "--spec", "counter", "--progress", "--json", "--", LOCKED)
    assert told.code == 1
    (finding,) = told.json["findings"]
    assert finding["kind"] == "progress"
    assert finding["message"].startswith("not obstruction-free: if thread 1 stops in increment(), ")
    assert run(*finding["replay"]).code == 1
    free = run("test", "counter.cpp", "--spec", "counter", "--progress", "--", ATOMIC)
    assert free.code == 0
    assert "a thread that stops never prevents others from finishing" in free.out


KINDS = {
    "Segv": "crash",
    "Abort": "crash",
    "Throws": "exception",
    "Race": "race",
    "Dead": "deadlock",
    "Exits": "crash",
    "ExitsWell": "crash",
    "Lost": "crash",
    "ExitsFirst": "crash",
    "Ctor": "exception",
    "Assert": "assertion",
    "Uaf": "race",
    "Letters": "linearizability",
}


def test_hostile_objects_do_not_affect_other_tests(run: Command) -> None:
    targets = [f"hostile.cpp:{name}" for name in (*KINDS, "Threads", "Leak")]
    told = run("test", *targets, "--spec", "counter", "--budget", "60s", "--json")
    assert told.code == 1
    tests = {each["test"]: each for each in told.json["tests"]}
    found = {name: tests[name]["findings"][0]["kind"] for name in KINDS}
    assert found == KINDS
    assert tests["Threads"]["verdict"] == tests["Leak"]["verdict"] == "linearizable"
    assert all(each["exhaustive"] for name, each in tests.items() if name in ("Threads", "Leak"))
    for name in ("Segv", "Throws", "Dead", "Lost"):
        (finding,) = tests[name]["findings"]
        assert run(*finding["replay"]).code == 1, name


@pytest.mark.long
def test_the_budget_ends_a_loop_without_a_step(run: Command) -> None:
    told = run("test", "hostile.cpp:Loop", "--spec", "counter", "--budget", "30s", "--json")
    assert told.code == 1
    assert told.json["findings"][0]["kind"] == "livelock"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nothing.cpp", "--spec", "counter"), "LP-T015", "there is no such file"),
        (("counter.cpp", "--", ATOMIC), "LP-U001", "requires a spec"),
        (("counter.cpp", "--spec", "counter"), "LP-T033", "cannot compile"),
        (("counter.cpp", "--spec", "stack", "--", ATOMIC), "LP-S002", "increment"),
        (("counter.cpp:Other", "--spec", "counter", "--", ATOMIC), "LP-T016", 'unknown test "Other"'),
        (("counter.cpp", "--spec", "counter", "--scenario", "push(1)", "--", ATOMIC), "LP-T007", "push"),
        (("counter.cpp", "--spec", "counter", "--scenario", "read(1)", "--", ATOMIC), "LP-T008", "0 arguments"),
        (("counter.cpp", "--spec", "counter", "--scenario", "read(", "--", ATOMIC), "LP-T001", "JSON literal"),
        (("counter.cpp", "--spec", "counter", "--memory-model", "arm", "--", ATOMIC), "LP-U001", "arm"),
        (("counter.cpp", "--method", "guess", "--", ATOMIC), "LP-U001", "guess"),
        (("counter.cpp", "--spec", "counter", "--", ATOMIC, "-fsanitize=address"), "LP-U001", "-fsanitize"),
        (("counter.cpp", "--spec", "counter", "--compiler", "nonesuch", "--", ATOMIC), "LP-T034", "nonesuch"),
        (("table.cpp", "--spec", "map", "--scenario", 'put("a", 1)', *ORDERED), "LP-T008", "integer from 0 to"),
        (("table.cpp", "--spec", "map", "--scenario", "put(-1, 1)", *ORDERED), "LP-T008", "not -1"),
        (("empty.cpp", "--spec", "map"), "LP-T016", "no tests"),
        (("roles.cpp", "--spec", "counter"), "LP-T017", "grow"),
        (("values.cpp", "--spec", "counter"), "LP-T017", "LINPOINT_VALUES"),
        (("test.py", "--spec", "counter", "--memory-model", "tso"), "LP-U001", "--memory-model is for tests of C++"),
    ],
)
def test_invalid_requests_are_rejected(words: tuple[str, ...], code: str, said: str, run: Command) -> None:
    told = run("test", *words[: words.index("--")], "--json", *words[words.index("--") :]) if "--" in words else None
    told = told or run("test", *words, "--json")
    error = told.error
    assert error["code"] == code
    assert said in error["message"] + (error["remedy"] or "")


def test_too_many_operations_for_a_macro_are_rejected(run: Command) -> None:
    told = run("test", "many.cpp", "--spec", "register", "--json")
    assert (told.code, told.json["error"]["code"]) == (2, "LP-T033")
    assert "LINPOINT_TEST has more than 300 operations" in told.err


def test_compiler_messages_are_shown_unchanged(run: Command) -> None:
    told = run("test", "counter.cpp", "--spec", "counter")
    assert told.code == 2
    assert "BODY" in told.err
    # The messages appear once, followed by the error on a line of its own.
    assert told.err.splitlines()[-1] == (
        "error: LP-T033 counter.cpp: g++ cannot compile it. See its messages; pass flags for g++ after --."
    )


def test_reports_are_written(run: Command, folder: Path) -> None:
    told = run(
        *(
            "test",
            "table.cpp",
            "--spec",
            "map",
            "--memory-model",
            "tso",
            "--report",
            "table.html",
            "--junit",
            "table.xml",
        ),
        *("--github", *RELAXED),
    )
    assert told.code == 1
    assert "::error file=" in told.out
    page = (folder / "table.html").read_text()
    assert "reaches memory" in page
    assert "<h2>Fix</h2><p>Fix (verified): add one fence after the store at " in page
    suite = ET.parse(folder / "table.xml").getroot()
    assert suite.find(".//failure") is not None


def test_one_command_runs_python_and_cpp_tests(run: Command, folder: Path) -> None:
    (folder / "count_test.py").write_text(
        "import linpoint\n"
        "class TestCount(linpoint.ConcurrentTest):\n"
        "    spec = linpoint.specs.counter\n"
        "    def setup(self): return [0]\n"
        "    @linpoint.operation\n"
        "    def read(self, cell): return cell[0]\n"
    )
    told = run("test", "count_test.py", "counter.cpp", "--spec", "counter", "--json", "--", ATOMIC)
    assert told.code == 0, told
    assert [each["test"] for each in told.json["tests"]] == ["TestCount", "CounterTest"]


def test_invalid_tokens_are_rejected(run: Command) -> None:
    for content in (
        {"kind": "test-cpp", "file": "x.cpp"},
        {"kind": "test-cpp", "file": "x.cpp", "test": "T", "scenario": {}, "schedule": [], "finding": "race"},
        {
            "kind": "test-cpp",
            "file": "x.cpp",
            "test": "T",
            "schedule": [],
            "finding": "race",
            "scenario": {"threads": [[{"op": "read"}]]},
            "memory_model": "arm",
        },
    ):
        assert run("replay", replay_token.encode(content)).code == 2
