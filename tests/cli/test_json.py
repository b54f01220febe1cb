# SPDX-License-Identifier: Apache-2.0
"""The JSON document of ``check``, field by field, as designed."""

from __future__ import annotations

from typing import Any

import linpoint
from tests.cli.conftest import BAD, GOOD, Command, Writer, hard

VERDICTS = {"linearizable", "violation", "unknown"}
EXIT = {"linearizable": 0, "violation": 1, "unknown": 3}


def validate(document: dict[str, Any]) -> dict[str, Any]:
    """Assert that a document of one file follows the contract; return it."""
    assert document["verdict"] in VERDICTS
    assert type(document["exhaustive"]) is bool
    assert document["exhaustive"] == (document["verdict"] != "unknown")
    statistics = document["statistics"]
    assert type(statistics["seconds"]) in (int, float)
    assert 0 <= statistics["seconds"] < 60
    assert type(statistics["peak_memory_bytes"]) is int
    assert 2**20 < statistics["peak_memory_bytes"] < 2**40
    assert type(statistics["operations"]) is int
    assert type(document["spec"]) is str
    assert document["condition"] in (
        "linearizable",
        "strict",
        "recoverable",
        "durable",
        "buffered-durable",
        "sequential",
    )
    assert type(document["checker"]) is str
    assert type(document["why"]) is str
    assert document["why"]
    assert document["keys"]
    for key in document["keys"]:
        assert {"key", "verdict"} <= set(key)
        assert key["verdict"] in VERDICTS
        assert ("witness" in key) == (key["verdict"] == "linearizable")
        assert ("reached" in key) == (key["verdict"] == "unknown")
    assert len(document["findings"]) == (document["verdict"] == "violation")
    for finding in document["findings"]:
        assert {"kind", "message", "explanation", "replay"} <= set(finding)
        assert finding["kind"] == "linearizability"
        assert type(finding["message"]) is str
        assert finding["message"]
        assert type(finding["explanation"]["text"]) is str
        assert finding["message"] in finding["explanation"]["text"]
        assert all(type(argument) is str for argument in finding["replay"])
        assert finding["replay"][0] == "replay"
    return document


def test_the_document_of_a_linearizable_history(run: Command, write: Writer) -> None:
    write("good.jsonl", GOOD)
    done = run("check", "good.jsonl", "--spec", "register", "--json")
    document = validate(done.json)
    assert (done.code, done.err) == (0, "")
    assert document["verdict"] == "linearizable"
    assert document["findings"] == []
    assert document["statistics"]["operations"] == 3
    assert document["spec"] == "register"
    assert document["condition"] == "linearizable"
    assert document["keys"] == [{"key": None, "verdict": "linearizable", "witness": [0, 2, 1]}]
    assert "file" not in document
    assert "error" not in document


def test_the_document_of_a_violation(run: Command, write: Writer) -> None:
    write("bad.jsonl", BAD)
    done = run("check", "bad.jsonl", "--spec", "register", "--json")
    document = validate(done.json)
    assert (done.code, done.err) == (1, "")
    assert document["verdict"] == "violation"
    assert document["keys"] == [{"key": None, "verdict": "violation"}]
    assert "read()" in document["findings"][0]["message"]
    assert document["findings"][0]["explanation"]["text"].startswith("VIOLATION: ")


def test_the_document_of_an_unknown_verdict(run: Command, write: Writer) -> None:
    write("hard.jsonl", hard())
    done = run("check", "hard.jsonl", "--spec", "queue", "--checker", "dfs", "--budget", "300ms", "--json")
    document = validate(done.json)
    assert done.code == 3
    assert document["verdict"] == "unknown"
    assert document["findings"] == []
    (key,) = document["keys"]
    reached = key.pop("reached")
    assert key == {"key": None, "verdict": "unknown"}
    assert set(reached) == {"placed", "operations", "window", "open"}
    assert reached["operations"] == 60
    assert f"{reached['placed']} of 60 operations" in document["why"]
    lines = hard()
    start, end = reached["window"]
    assert start == min(lines[place]["call"] for place in reached["open"])
    assert end == min(lines[place]["return"] for place in reached["open"])
    assert len(reached["open"]) <= 60 - reached["placed"]
    assert document["checker"] == "dfs"
    assert "budget" in document["why"]
    assert document["statistics"]["operations"] == 60


def test_keys_have_their_own_verdicts_and_witnesses(run: Command, write: Writer) -> None:
    lines = [
        {"process": 0, "op": "write", "args": [1], "result": None, "call": 1, "return": 2, "key": "x"},
        {"process": 0, "op": "write", "args": [2], "result": None, "call": 3, "return": 4, "key": ["y", 1]},
        {"process": 1, "op": "read", "result": 2, "call": 5, "return": 6, "key": "x"},
        {"process": 2, "op": "read", "result": 2, "call": 5, "return": 6, "key": ["y", 1]},
        {"process": 3, "op": "write", "args": [9], "outcome": "failed", "call": 5, "return": 6, "key": {"z": 0}},
        {"process": 4, "op": "read", "result": None, "call": 5, "return": 6, "key": {"z": 0}},
    ]
    write("keys.jsonl", lines)
    document = validate(run("check", "keys.jsonl", "--spec", "register", "--json").json)
    assert document["verdict"] == "violation"
    assert document["keys"] == [
        {"key": "x", "verdict": "violation"},
        {"key": ["y", 1], "verdict": "linearizable", "witness": [1, 3]},
        {"key": {"z": 0}, "verdict": "linearizable", "witness": [5]},
    ]
    assert document["statistics"]["operations"] == 5


def test_the_keys_of_a_map_have_their_own_verdicts(run: Command, write: Writer) -> None:
    write("map.jsonl", 'A: |--put("a", 1)--| |--get("b")->1--|')
    document = validate(run("check", "map.jsonl", "--spec", "map", "--json").json)
    assert {key["key"]: key["verdict"] for key in document["keys"]} == {"a": "linearizable", "b": "violation"}


def test_the_witness_of_each_key_is_a_legal_order(run: Command, write: Writer) -> None:
    path = write(
        "queue.jsonl",
        """
        A: |--enqueue(1)-------------| |--dequeue()->2--|
        B:    |--enqueue(2)---------|  |--dequeue()->3--|
        C:   |--enqueue(3)------|        |--dequeue()->1--|
        D: |--enqueue(4)--...
        """,
    )
    (key,) = validate(run("check", path.name, "--spec", "queue", "--json").json)["keys"]
    history = linpoint.load(path)
    state: list[int] = []
    for position in key["witness"]:
        op = history[position]
        if op.name == "enqueue":
            state.append(op.args[0])
        else:
            assert state.pop(0) == op.result
    assert set(key["witness"]) >= {0, 1, 2, 3, 4, 5}


def test_the_document_of_several_files(run: Command, write: Writer) -> None:
    write("good.jsonl", GOOD)
    write("bad.jsonl", BAD)
    done = run("check", "good.jsonl", "bad.jsonl", "--spec", "register", "--json")
    document = done.json
    assert done.code == 1
    assert set(document) == {"verdict", "files"}
    assert document["verdict"] == "violation"
    assert [file["file"] for file in document["files"]] == ["good.jsonl", "bad.jsonl"]
    assert [validate(file)["verdict"] for file in document["files"]] == ["linearizable", "violation"]


def test_the_document_of_several_files_with_bad_ones(run: Command, write: Writer) -> None:
    write("good.jsonl", GOOD)
    write("broken.jsonl", "{nonsense\n")
    done = run("check", "good.jsonl", "broken.jsonl", "nosuch.jsonl", "--spec", "register", "--json")
    document = done.json
    assert done.code == 2
    good, broken, missing = document["files"]
    assert validate(good)["verdict"] == "linearizable"
    for file, code in ((broken, "LP-H"), (missing, "LP-H001")):
        assert set(file) == {"file", "error"}
        assert file["error"]["code"].startswith(code)
        assert file["error"]["place"].startswith(file["file"])
    assert document["verdict"] != "linearizable"  # a file without a verdict is the worst


def test_values_of_every_kind_survive(run: Command, write: Writer) -> None:
    values = [
        {"a": [1, {"b": None}]},
        10**30,
        2**64,
        -(2**63) - 1,
        1.5,
        1e300,
        True,
        'é日\u2028"\\',
        [],
        "\x00\x1b[31m",
    ]
    lines = [
        {"process": n, "op": "read", "result": value, "call": 0, "return": 1, "key": value}
        for n, value in enumerate(values)
    ]
    write("values.jsonl", lines)
    document = validate(run("check", "values.jsonl", "--spec", "register", "--json").json)
    assert [key["key"] for key in document["keys"]] == values
    (operation,) = document["findings"][0]["explanation"]["operations"]
    assert operation["result"] in values


def test_a_history_without_effective_operations(run: Command, write: Writer) -> None:
    write("failed.jsonl", [{"process": 0, "op": "read", "outcome": "failed", "call": 0, "return": 1}])
    done = run("check", "failed.jsonl", "--spec", "register", "--json")
    document = done.json
    assert done.code == 0
    assert document["keys"] == [{"key": None, "verdict": "linearizable", "witness": []}]
    assert document["statistics"]["operations"] == 0


def test_output_of_a_user_spec_is_not_in_the_document(run: Command, write: Writer) -> None:
    source = (
        "import linpoint\nprint('loading')\n@linpoint.spec\nclass Cell:\n    initial = 0\n"
        "    def read(state):\n        print('reading')\n        return state, state\n"
    )
    write("chatty.py", source)
    write("zero.jsonl", "A: |--read()->0--|")
    done = run("check", "zero.jsonl", "--spec", "chatty.py:Cell", "--json")
    assert validate(done.json)["verdict"] == "linearizable"


def test_the_document_of_an_error(run: Command) -> None:
    error = run("check", "nosuch.jsonl", "--spec", "register", "--json").error
    assert error["code"] == "LP-H001"
    assert error["place"] == "nosuch.jsonl"
