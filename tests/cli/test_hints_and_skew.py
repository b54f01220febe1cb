# SPDX-License-Identifier: Apache-2.0
"""``--clock-skew`` and the field ``order``, through the real command."""

from __future__ import annotations

from typing import Any

import pytest

import linpoint
from linpoint.explain.history.history_text import explanation_text
from linpoint.options.commands.check import CheckOptions
from linpoint.verdicts import replay_token
from tests.cli.conftest import Command, Writer

# 4 ms lie between the write and the read that missed it.
STALE = [
    {"process": 0, "op": "write", "args": [1], "result": None, "call": 0, "return": 1_000_000},
    {"process": 1, "op": "read", "result": None, "call": 5_000_000, "return": 6_000_000},
]
EVENTS = """\
{:process 0, :type :invoke, :f :read, :value nil}
{:process 0, :type :ok, :f :read, :value nil}
"""
CONTRARY = [
    {"process": 0, "op": "write", "args": [1], "result": None, "call": 0, "return": 10, "order": 8},
    {"process": 1, "op": "write", "args": [2], "result": None, "call": 20, "return": 30, "order": 7},
]


@pytest.mark.parametrize(
    ("text", "unit", "skew"),
    [
        (None, "ns", 0),
        ("0", "ns", 0),
        ("100", "ns", 100),
        ("100", "s", 100),
        ("0.25", "s", 0.25),
        ("5ms", "ns", 5_000_000),
        ("5 ms", "us", 5_000),
        ("5ms", "ms", 5),
        ("5ms", "s", 0.005),
        ("1.5us", "ns", 1500),
        ("0.1ms", "us", 100),
        ("250ns", "us", 0.25),
        ("1s", "ns", 10**9),
        ("1m", "s", 60),
        ("1min", "s", 60),
        ("2h", "ms", 7_200_000),
        ("123456789.123456789s", "ns", 123_456_789_123_456_789),
    ],
)
def test_skews_are_converted_to_the_unit_of_the_file(text: str | None, unit: str, skew: float) -> None:
    found = CheckOptions(spec="register", clock_skew=text, time_unit=unit).skew
    assert (found, type(found)) == (skew, type(skew))


@pytest.mark.parametrize(
    ("words", "skew"),
    [
        (["--clock-skew", "3ms"], 3_000_000),
        (["--clock-skew", "3999999"], 3_999_999),
        (["--clock-skew", "3000us", "--time-unit", "ns"], 3_000_000),
        (["--clock-skew", "3s", "--time-unit", "us"], 3_000_000),
        (["--clock-skew", "100"], 100),
    ],
)
def test_a_stale_read_beyond_the_skew_is_a_violation(run: Command, write: Writer, words: list[str], skew: int) -> None:
    write("stale.jsonl", STALE)
    done = run("check", "stale.jsonl", "--spec", "register", *words, "--json")
    assert done.code == 1
    assert done.json["clock_skew"] == skew
    (finding,) = done.json["findings"]
    assert replay_token.decode(finding["replay"][1])["clock_skew"] == skew
    again = run(*finding["replay"], "--json")
    assert (again.code, again.json["clock_skew"]) == (1, skew)
    assert f"Clocks of different processes may differ by up to {skew:,}.\n" in finding["explanation"]["text"]
    shown = run("check", "stale.jsonl", "--spec", "register", *words)
    assert f"HTML report: linpoint check stale.jsonl --spec register {' '.join(words[:2])}" in shown.out


@pytest.mark.parametrize("words", [["4ms"], ["4000000"], ["4", "--time-unit", "ms"], ["1s"]])
def test_a_stale_read_within_the_skew_is_not_a_violation(run: Command, write: Writer, words: list[str]) -> None:
    unit = 1_000_000 if "--time-unit" in words else 1
    lines = [line | {name: line[name] // unit for name in ("call", "return")} for line in STALE]  # type: ignore[operator]
    write("stale.jsonl", lines)
    assert run("check", "stale.jsonl", "--spec", "register").code == 1
    done = run("check", "stale.jsonl", "--spec", "register", "--clock-skew", *words)
    assert done.code == 0
    assert "Clocks of different processes may differ by up to" in done.out


def test_the_write_that_explains_a_read_may_be_called_later(run: Command, write: Writer) -> None:
    """Explanations use the same skewed clocks, so they do not blame one operation alone."""
    lines = [
        {"process": 0, "op": "read", "result": 1, "call": 0, "return": 10},
        {"process": 1, "op": "write", "args": [1], "result": None, "call": 15, "return": 20},
        {"process": 2, "op": "read", "result": None, "call": 100, "return": 110},
    ]
    write("early.jsonl", lines)
    done = run("check", "early.jsonl", "--spec", "register", "--clock-skew", "5", "--json")
    assert done.code == 1
    assert 2 in done.json["findings"][0]["explanation"]["needed"]


def test_without_a_skew_none_is_mentioned(run: Command, write: Writer) -> None:
    write("stale.jsonl", STALE)
    for words in ([], ["--clock-skew", "0"], ["--clock-skew", "0ms"], ["--time-unit", "s"]):
        done = run("check", "stale.jsonl", "--spec", "register", *words, "--json")
        assert done.code == 1
        assert "clock_skew" not in done.json
        (finding,) = done.json["findings"]
        assert "clock_skew" not in replay_token.decode(finding["replay"][1])
        assert "clocks" not in finding["explanation"]["text"]


def test_positions_of_events_have_no_skew(run: Command, write: Writer) -> None:
    write("history.edn", EVENTS)
    error = run("check", "history.edn", "--spec", "register", "--clock-skew", "5ms", "--json").error
    assert (error["code"], error["place"]) == ("LP-U006", "history.edn")
    assert "ordered by event position" in error["message"]
    assert run("check", "history.edn", "--spec", "register", "--clock-skew", "0").code == 0
    write("fine.jsonl", STALE[:1])
    both = run("check", "fine.jsonl", "history.edn", "--spec", "register", "--clock-skew", "5ms", "--json")
    assert both.code == 2
    assert [file.get("verdict") for file in both.json["files"]] == ["linearizable", None]


@pytest.mark.parametrize("skew", ["5ms", -1, True, [], 1e308])
def test_a_token_with_an_invalid_skew_is_rejected(run: Command, skew: Any) -> None:
    content = {"kind": "check", "spec": "register", "condition": "linearizable", "operations": STALE, "crashes": []}
    assert run("replay", replay_token.encode(content), "--json").code == 1
    assert run("replay", replay_token.encode(content | {"clock_skew": skew}), "--json").error["code"] == "LP-U004"


def test_orders_that_contradict_time_are_a_violation(run: Command, write: Writer) -> None:
    write("contrary.jsonl", CONTRARY)
    done = run("check", "contrary.jsonl", "--spec", "register", "--checker", "brute-force", "--json")
    assert done.code == 1
    (finding,) = done.json["findings"]
    assert [each["order"] for each in finding["explanation"]["operations"]] == [8, 7]
    assert [each["order"] for each in replay_token.decode(finding["replay"][1])["operations"]] == [8, 7]
    again = run(*finding["replay"], "--json")
    assert again.code == 1
    assert [each["order"] for each in again.json["findings"][0]["explanation"]["operations"]] == [8, 7]


def test_an_explanation_shows_the_orders() -> None:
    bad = linpoint.check([CONTRARY[0], CONTRARY[1] | {"op": "read", "args": [], "result": 9}], "register")
    text = explanation_text(linpoint.Explanation(bad, core=(0, 1)))
    assert "[0, 10]  order 8" in text
    assert "[20, 30]  order 7" in text
    assert "Operations with a smaller order value take effect first." in text
    assert "smaller order" not in explanation_text(linpoint.Explanation(bad, core=(0,)))
