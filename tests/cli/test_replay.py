# SPDX-License-Identifier: Apache-2.0
"""Every finding replays: its arguments reproduce it with exit code 1 and the same kind."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest

from tests.cli.conftest import BAD, Command, Writer

CELL = """\
import linpoint
@linpoint.spec
class Cell:
    initial = 0
    def read(state): return state, state
    def write(state, x): return None, x
"""
LOST = """
    A:     |--write(1)--|   |--write(2)--|          |--read()->3--|
    crash:                                    X
"""
KEYED = [
    {"process": 0, "op": "write", "args": [{"v": [1]}], "result": None, "call": 1, "return": 2, "key": ["k"]},
    {"process": 1, "op": "read", "result": None, "call": 5, "return": 6, "key": ["k"]},
    {"process": 1, "op": "read", "result": None, "call": 7, "return": 8, "key": "other"},
]
EVENTS = """\
{:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :invoke, :f :write, :value 2}
{:process 1, :type :info, :f :write, :value 2}
{:process 2, :type :invoke, :f :cas, :value [2 3]}
{:process 2, :type :ok, :f :cas, :value [2 3]}
{:process 3, :type :invoke, :f :read, :value nil}
{:process 3, :type :ok, :f :read, :value 1}
"""
CASES: dict[str, tuple[str, Any, list[str]]] = {
    "plain": ("bad.jsonl", BAD, ["--spec", "register"]),
    "first value": ("bad.jsonl", "A: |--read()->1--|", ["--spec", "register", "--initial", "0"]),
    "parameters": ("bad.jsonl", "A: |--enqueue(1)->false--|", ["--spec", "queue(capacity=1)"]),
    "keys": ("keys.jsonl", KEYED, ["--spec", "register"]),
    "keys under sequential": (
        "keys.jsonl",
        [KEYED[0], {**KEYED[1], "process": 0}],
        ["--spec", "register", "--condition", "sequential"],
    ),
    "buffered-durable": ("crash.jsonl", LOST, ["--spec", "register", "--condition", "buffered-durable"]),
    "strict": ("crash.jsonl", LOST, ["--spec", "register", "--condition", "strict"]),
    "events": ("history.edn", EVENTS, ["--spec", "cas-register"]),
    "user's spec": ("bad.jsonl", BAD, ["--spec", "cell.py:Cell"]),
    "user's module": ("bad.jsonl", BAD, ["--spec", "cell:Cell"]),
    "map with a key field": (
        "map.jsonl",
        [{"process": 0, "op": "get", "args": [], "result": 1, "call": 1, "return": 2, "key": "a"}],
        ["--spec", "map", "--initial", '{"b": 1}'],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_finding_replays(run: Command, write: Writer, case: str) -> None:
    name, content, options = CASES[case]
    write("cell.py", CELL)
    write(name, content)
    first = run("check", name, *options, "--json")
    assert first.code == 1
    (finding,) = first.json["findings"]
    again = run(*finding["replay"], "--json")
    assert again.code == 1
    (same,) = again.json["findings"]
    assert same["kind"] == finding["kind"]
    assert same["message"].partition(";")[0] == finding["message"].partition(";")[0]
    assert again.json["spec"] == first.json["spec"]
    assert again.json["condition"] == first.json["condition"]
    assert len(same["explanation"]["operations"]) == len(finding["explanation"]["operations"])


def test_a_replay_in_text_is_the_explanation(run: Command, write: Writer) -> None:
    write("bad.jsonl", BAD)
    shown = run("check", "bad.jsonl", "--spec", "register")
    token = shown.out.partition("linpoint replay ")[2].split()[0]
    again = run("replay", token)
    assert again.code == 1
    assert again.out.splitlines()[0] == shown.out.splitlines()[0]


def test_a_token_needs_no_file(run: Command, write: Writer) -> None:
    path = write("bad.jsonl", BAD)
    (finding,) = run("check", "bad.jsonl", "--spec", "register", "--json").json["findings"]
    path.unlink()
    assert run(*finding["replay"]).code == 1


def _pack(content: Any) -> str:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return "lp1-" + base64.urlsafe_b64encode(zlib.compress(data)).decode().rstrip("=")


OPERATION = {"process": 0, "op": "read", "args": [], "result": 1, "call": 0, "return": 1}
CONTENT = {"kind": "check", "spec": "register", "condition": "linearizable", "operations": [OPERATION], "crashes": []}


GARBAGE = {
    "empty": "",
    "a prefix": "lp1-",
    "a word": "garbage",
    "a prefix and a word": "lp1-garbage",
    "another version": "lp2-" + _pack(CONTENT)[4:],
    "invalid characters": "lp1-" + "é" * 10,
    "no JSON": _pack(b"not json"),
    "no object": _pack([]),
    "no operations": _pack({"kind": "check"}),
    "another kind": _pack({"kind": "explode"}),
    "operations that are a number": _pack({**CONTENT, "operations": 5}),
    "operations without a process": _pack({**CONTENT, "operations": [{"op": "read"}]}),
    "an invalid crash": _pack({**CONTENT, "crashes": [{"crash": False}]}),
    "a spec that is a number": _pack({**CONTENT, "spec": 5}),
    "a condition that is a list": _pack({**CONTENT, "condition": ["linearizable"]}),
    "nested too deep": _pack(b"[" * 100_000),
    "too large": _pack(b" " * (1 << 25)),
}


@pytest.mark.parametrize("token", GARBAGE.values(), ids=GARBAGE)
def test_invalid_tokens_are_rejected(run: Command, token: str) -> None:
    assert run("replay", token, "--json").error["code"] == "LP-U004"


def test_a_tampered_token_is_rejected(run: Command) -> None:
    token = _pack(CONTENT)
    assert run("replay", token).code == 1  # the token by itself is valid
    middle = len(token) // 2
    other = "A" if token[middle] != "A" else "B"
    tampered = [
        token[:-1],
        token[:middle],
        token[:middle] + other + token[middle + 1 :],
        token + "AAAA",
        token[:middle] + "!" + token[middle:],
        token + " " + token,
    ]
    for each in tampered:
        done = run("replay", each, "--json")
        assert done.code == 2, each
        assert done.error["code"] == "LP-U004"


def mwcas(process: int, cells: list[list[Any]], result: Any, call: int) -> dict[str, Any]:
    return {"process": process, "op": "mwcas", "args": [cells], "result": result, "call": call, "return": call + 1}


WORDS = [
    mwcas(0, [["x", 0, 1]], True, 0),
    mwcas(0, [["x", 1, 2], ["y", 0, 2]], True, 2),
    mwcas(1, [["x", 2, 9]], False, 4),
    mwcas(0, [["x", 2, 3]], True, 6),
]
TWO_BEFORE = [
    *WORDS[:2],
    mwcas(0, [["y", 2, 3]], True, 10),
    mwcas(0, [["y", 3, 4], ["x", 2, 4]], True, 12),
    mwcas(1, [["x", 4, 9], ["y", 0, 9]], {"at": "x"}, 14),
    mwcas(0, [["x", 4, 5]], True, 16),
    {"process": 2, "op": "read", "args": [["y"]], "result": [0], "call": 0, "return": 30},
]


@pytest.mark.parametrize("lines", [WORDS, TWO_BEFORE], ids=["one first value", "writers omitted"])
def test_the_same_contradiction_is_replayed(run: Command, write: Writer, lines: list[dict[str, Any]]) -> None:
    """Other operations wrote the values that its operations saw, and the token does not contain them."""
    write("words.jsonl", lines)
    finding = run("check", "words.jsonl", "--spec", "mwcas", "--json").json["findings"][0]
    done = run(*finding["replay"], "--json")
    again = done.json["findings"][0]
    assert done.code == 1
    assert again["explanation"]["reason"] == finding["explanation"]["reason"] == "cycle"
    failed = [
        [op for op in each["explanation"]["operations"] if op["position"] in each["explanation"]["failed"]]
        for each in (finding, again)
    ]
    assert [op["args"] for op in failed[0]] == [op["args"] for op in failed[1]]


def test_a_finding_by_the_rules_of_the_paper_is_replayed(run: Command, write: Writer) -> None:
    write("early.jsonl", [mwcas(0, [["x", 1, 5]], False, 0), mwcas(1, [["x", 0, 1]], True, 2)])
    assert run("check", "early.jsonl", "--spec", "mwcas").code == 0
    done = run("check", "early.jsonl", "--spec", "mwcas", "--checker", "graph", "--paper-rules", "--json")
    assert done.code == 1
    assert run(*done.json["findings"][0]["replay"]).code == 1
