# SPDX-License-Identifier: Apache-2.0
"""``linpoint check``: exit codes, options, formats and coded errors, through the real command."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from linpoint.options.choices import CHECKERS, CONDITIONS
from tests.cli.conftest import BAD, GOOD, Command, Writer, hard


def test_a_linearizable_history_exits_with_0_and_shows_an_order(run: Command, write: Writer) -> None:
    write("good.jsonl", GOOD)
    done = run("check", "good.jsonl", "--spec", "register")
    assert done.code == 0
    assert done.out.startswith("LINEARIZABLE: 3 operations")
    assert "write(1); write(2); read() -> 2" in done.out
    assert done.err == ""


def test_a_violation_exits_with_1_and_names_the_conflicting_operations(run: Command, write: Writer) -> None:
    write("bad.jsonl", BAD)
    done = run("check", "bad.jsonl", "--spec", "register")
    assert done.code == 1
    assert done.out.startswith("VIOLATION: read() by process A returned 1")
    assert "returned 1; every valid order requires 2" in done.out
    assert "linpoint replay " in done.out
    assert done.err == ""


def test_several_files_exit_with_the_worst_code_in_the_order_2_1_3_0(run: Command, write: Writer) -> None:
    write("good.jsonl", "A: |--enqueue(1)--| |--dequeue()->1--|")
    write("bad.jsonl", "A: |--enqueue(1)--| |--dequeue()->2--|")
    write("hard.jsonl", hard())
    write("broken.jsonl", "{nonsense\n")
    options = ["--spec", "queue", "--budget", "300ms", "--checker", "dfs"]
    assert run("check", "good.jsonl", "good.jsonl", *options).code == 0
    assert run("check", "good.jsonl", "hard.jsonl", *options).code == 3
    assert run("check", "good.jsonl", "bad.jsonl", "hard.jsonl", *options).code == 1
    done = run("check", "good.jsonl", "bad.jsonl", "broken.jsonl", "hard.jsonl", *options)
    assert done.code == 2
    assert "LP-H" in done.err
    assert "broken.jsonl:1" in done.err
    for file in ("good.jsonl", "bad.jsonl", "hard.jsonl"):
        assert file in done.out
    assert "VIOLATION" in done.out
    assert "UNKNOWN" in done.out


def test_files_after_a_bad_one_are_checked(run: Command, write: Writer) -> None:
    write("bad.jsonl", BAD)
    done = run("check", "nosuch.jsonl", "bad.jsonl", "--spec", "register")
    assert done.code == 2
    assert "LP-H001" in done.err
    assert "bad.jsonl: VIOLATION" in done.out


GOOD_SWAPS = "A: |--swap(1)--|  |--read()->1--|"
BAD_SWAPS = "A: |--swap(1)--|\nB:                |--read()--|"


@pytest.mark.parametrize("checker", [each for each in CHECKERS if each != "eras"])  # that supports only one condition
def test_every_checker_gives_the_same_answer(run: Command, write: Writer, checker: str) -> None:
    write("good.jsonl", GOOD_SWAPS)
    write("bad.jsonl", BAD_SWAPS)
    document = run("check", "good.jsonl", "bad.jsonl", "--spec", "cas-register", "--checker", checker, "--json").json
    assert [file["verdict"] for file in document["files"]] == ["linearizable", "violation"]
    if checker != "auto":
        assert [file["checker"] for file in document["files"]] == [checker, checker]


def test_a_monitor_that_does_not_apply_exits_with_3_and_states_the_reason(run: Command, write: Writer) -> None:
    write("deque.jsonl", "A: |--push-front(1)--| |--pop-back()->1--| |--push-back(2)--| |--pop-front()->2--|")
    done = run("check", "deque.jsonl", "--spec", "deque", "--checker", "monitor")
    assert done.code == 3
    assert done.out.startswith("UNKNOWN: there is no monitor for deque")
    document = run("check", "deque.jsonl", "--spec", "deque", "--checker", "monitor", "--json").json
    assert (document["verdict"], document["checker"]) == ("unknown", "monitor")
    assert document["why"] == "there is no monitor for deque"
    assert run("check", "deque.jsonl", "--spec", "deque").code == 0


# A write interrupted by a crash, and read after the next operation of its process: only durable allows that.
INTERRUPTED = """
    A:     |--write(1)--...     |--write(2)--|
    B:                                          |--read()->1--|
    crash:                   X
"""


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        (None, "linearizable"),
        ("durable", "linearizable"),
        ("strict", "violation"),
        ("recoverable", "violation"),
        ("buffered-durable", "violation"),
        ("sequential", "linearizable"),
    ],
)
def test_conditions_give_different_verdicts(run: Command, write: Writer, condition: str | None, verdict: str) -> None:
    write("history.jsonl", INTERRUPTED)
    options = [] if condition is None else ["--condition", condition]
    document = run("check", "history.jsonl", "--spec", "register", "--json", *options).json
    assert document["verdict"] == verdict
    assert document["condition"] == (condition or "durable")


def test_the_conditions_match_the_design() -> None:
    assert set(CONDITIONS) == {"linearizable", "strict", "recoverable", "durable", "buffered-durable", "sequential"}


def test_the_first_value_is_never_guessed_but_can_be_given(run: Command, write: Writer) -> None:
    write("zero.jsonl", "A: |--read()->0--|")
    guess = run("check", "zero.jsonl", "--spec", "register")
    assert guess.code == 1
    assert "--initial '0'" in guess.out
    assert run("check", "zero.jsonl", "--spec", "register", "--initial", "0").code == 0
    assert run("check", "zero.jsonl", "--spec", "register(initial=0)").code == 0
    assert run("check", "zero.jsonl", "--spec", "register(initial=0)", "--initial", "1").code == 1


@pytest.mark.parametrize(
    ("spec", "initial", "drawing"),
    [
        ("map", '{"a": 1}', 'A: |--get("a")->1--| |--get("b")--|'),
        (
            "multi-register",
            '{"x": 0, "y": 0}',
            'A: |--txn([["read", "x", null], ["read", "y", null]])->[["read", "x", 0], ["read", "y", 0]]--|',
        ),
        ("queue(capacity=1)", "[7]", "A: |--enqueue(1)->false--| |--dequeue()->7--| |--enqueue(2)->true--|"),
    ],
)
def test_compound_objects_accept_a_first_value(
    run: Command, write: Writer, spec: str, initial: str, drawing: str
) -> None:
    write("history.jsonl", drawing)
    assert run("check", "history.jsonl", "--spec", spec, "--initial", initial).code == 0


def test_a_user_spec_accepts_a_first_value(run: Command, write: Writer) -> None:
    source = "import linpoint\n@linpoint.spec\nclass Cell:\n    initial = 0\n    def read(state): return state, state\n"
    write("cell.py", source)
    write("five.jsonl", "A: |--read()->5--|")
    assert run("check", "five.jsonl", "--spec", "cell.py:Cell").code == 1
    assert run("check", "five.jsonl", "--spec", "cell:Cell", "--initial", "5").code == 0


KEYED_EDN = """\
{:process 0, :type :invoke, :f :write, :value ["x" 1]}
{:process 0, :type :ok, :f :write, :value ["x" 1]}
{:process 1, :type :invoke, :f :read, :value ["y" nil]}
{:process 1, :type :ok, :f :read, :value ["y" nil]}
"""


def test_keyed_determines_whether_values_are_pairs(run: Command, write: Writer) -> None:
    write("history.edn", KEYED_EDN)
    document = run("check", "history.edn", "--spec", "register", "--json").json
    assert [(key["key"], key["verdict"]) for key in document["keys"]] == [("x", "linearizable"), ("y", "linearizable")]
    assert (
        run("check", "history.edn", "--spec", "register", "--keyed", "yes", "--json").json["keys"] == document["keys"]
    )
    unkeyed = run("check", "history.edn", "--spec", "register", "--keyed", "no", "--json").json
    assert [(key["key"], key["verdict"]) for key in unkeyed["keys"]] == [(None, "violation")]


def test_columns_map_the_names_of_a_csv_file(run: Command, write: Writer) -> None:
    write("runs.csv", "client,f,args,result,start,end\na,write,[1],null,1,2\nb,read,[],1,3,4\n")
    columns = "process=client,op=f,call=start,return=end"
    assert run("check", "runs.csv", "--spec", "register", "--columns", columns).code == 0
    assert run("check", "runs.csv", "--spec", "register", "--columns", f" {columns.replace('=', ' = ')} ").code == 0
    missing = run("check", "runs.csv", "--spec", "register", "--columns", "process=who,op=f,call=start", "--json")
    assert missing.error["code"] == "LP-H006"
    assert '"who"' in missing.error["message"]


def test_standard_input_and_gzip_are_read(run: Command, write: Writer, tmp_path: Path) -> None:
    text = write("bad.jsonl", BAD).read_text()
    assert run("check", "-", "--spec", "register", stdin=text).code == 1
    assert run("check", "-", "--spec", "register", stdin=gzip.compress(text.encode())).code == 1
    (tmp_path / "bad.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert run("check", "bad.jsonl.gz", "--spec", "register").code == 1
    empty = run("check", "-", "--spec", "register", "--json", stdin="")
    assert empty.error["code"] == "LP-H008"


ERRORS: list[tuple[list[str], str, str]] = [
    (["--spec", "regster"], "LP-S001", "register"),
    (["--spec", "queue"], "LP-S002", "enqueue"),
    (["--spec", "queue(capacity=0)"], "LP-S004", "capacity"),
    (["--spec", "nosuch.py:Thing"], "LP-S005", "nosuch.py"),
    (["--spec", "register", "--checker", "magic"], "LP-U002", "dfs"),
    (["--spec", "register", "--condition", "perfect"], "LP-U003", "durable"),
    (["--spec", "register", "--initial", "{"], "LP-U001", "--initial"),
    (["--spec", "register", "--keyed", "maybe"], "LP-U001", "--keyed"),
    (["--spec", "register", "--columns", "op"], "LP-U001", "--columns"),
    (["--spec", "register", "--format", "word"], "LP-U001", "jepsen-edn"),
    (["--spec", "register", "--budget", "0"], "LP-U001", "0"),
    (["--spec", "register", "--budget", "-1s"], "LP-U001", "-1s"),
    (["--spec", "register", "--budget", "soon"], "LP-U001", "60s"),
    (["--spec", "register", "--budget", "5 parsecs"], "LP-U001", "60s"),
    (["--spec", "register", "--clock-skew", "soon"], "LP-U001", "5ms"),
    (["--spec", "register", "--clock-skew", "5 parsecs"], "LP-U001", "5ms"),
    (["--spec", "register", "--clock-skew", "-1ms"], "LP-U001", "-1ms"),
    (["--spec", "register", "--clock-skew", "1e9"], "LP-U001", "1e9"),
    (["--spec", "register", "--clock-skew", ""], "LP-U001", "5ms"),
    (["--spec", "register", "--clock-skew", "5ms", "--time-unit", "days"], "LP-U001", "us"),
    (["--spec", "register", "--max-memory", "lots"], "LP-U001", "2G"),
    (["--spec", "register", "--max-memory", "0"], "LP-U001", "0"),
    (["--spec", "register", "--jobs", "0"], "LP-U001", "0"),
]


@pytest.mark.parametrize(("options", "code", "evidence"), ERRORS, ids=[" ".join(options) for options, _, _ in ERRORS])
def test_bad_options_are_coded_errors(
    run: Command, write: Writer, options: list[str], code: str, evidence: str
) -> None:
    write("bad.jsonl", BAD)
    error = run("check", "bad.jsonl", *options, "--json").error
    assert error["code"] == code
    assert evidence in error["message"] + error["remedy"] + (error["place"] or "")


def test_a_coded_error_is_one_line_on_stderr(run: Command, write: Writer) -> None:
    write("bad.jsonl", BAD)
    for options, code in [(["--spec", "regster"], "LP-S001"), (["--spec", "queue"], "LP-S002 bad.jsonl:1:")]:
        done = run("check", "bad.jsonl", *options)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"error: {code}")
        assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "bad.jsonl"],
        ["check", "bad.jsonl", "--spec", "register", "--jobs", "many"],
        ["check", "bad.jsonl", "--spec", "register", "--frobnicate"],
        ["replay"],
    ],
    ids=" ".join,
)
def test_usage_errors_are_documents_with_json(run: Command, write: Writer, arguments: list[str]) -> None:
    """--json prints one document on stdout, whatever the error."""
    write("bad.jsonl", BAD)
    assert run(*arguments[:1], "--json", *arguments[1:]).error["code"].startswith("LP-U")


@pytest.mark.parametrize("arguments", [[], ["frobnicate"], ["check"]], ids=" ".join)
def test_usage_errors_exit_with_2(run: Command, arguments: list[str]) -> None:
    assert run(*arguments).code == 2


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        ("", "LP-H008", "f.jsonl"),
        ("hello\n", "LP-H015", "f.jsonl:1"),
        ('{"op": "read", "call": 1, "return": 2, "result": 0}\n', "LP-H006", "f.jsonl:1"),
        ('\n{"process": 0, "op": "read", "call": 5, "return": 2, "result": 0}\n', "LP-H005", "f.jsonl:2"),
        ('{"process": 0, "op": "read", "call": 5, "return": 7}\n', "LP-H006", "f.jsonl:1"),
        (b"\xff\xfe\x00", "LP-H017", "f.jsonl:1"),
        (b"\x1f\x8b\x08\x00", "LP-H010", "f.jsonl"),
    ],
)
def test_bad_input_has_a_code_a_place_and_a_remedy(
    run: Command, write: Writer, content: str | bytes, code: str, place: str
) -> None:
    write("f.jsonl", content)
    error = run("check", "f.jsonl", "--spec", "register", "--json").error
    assert error["code"] == code
    assert error["place"] == place


def test_a_directory_is_not_a_history(run: Command, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    assert run("check", "runs", "--spec", "register", "--json").error["code"] == "LP-H001"
