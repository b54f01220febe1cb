# SPDX-License-Identifier: Apache-2.0
"""The EDN reader: every kind of form, line numbers, and neither evaluation nor stack overflow."""

from __future__ import annotations

import pytest

from linpoint.errors import HistoryError
from linpoint.histories.formats.edn_parser import edn_values
from linpoint.histories.values import MAX_NESTING_DEPTH


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("nil", None),
        ("true", True),
        ("false", False),
        ("42", 42),
        ("-7", -7),
        ("+7", 7),
        ("0", 0),
        ("12345678901234567890N", 12345678901234567890),
        ("1.5", 1.5),
        ("1.5M", 1.5),
        ("-1e3", -1000.0),
        (":read", "read"),
        (":a/b", "a/b"),
        ("symbol", "symbol"),
        ("-", "-"),
        ('"a, b; c"', "a, b; c"),
        (r'"\t\"\\\n\u00e9"', '\t"\\\né'),
        (r'"\ud83d\ude00"', "😀"),
        (r"\a", "a"),
        (r"\newline", "\n"),
        (r"\u0041", "A"),
        (r"[\( \)]", ["(", ")"]),
        ("[1, 2,,3]", [1, 2, 3]),
        ("(1 [2 (3)])", [1, [2, [3]]]),
        ("#{3 1 :b 2 1 :a}", [1, 2, 3, "a", "b"]),
        ("{:a 1, :b {:c nil}}", {"a": 1, "b": {"c": None}}),
        ("{:a 1 :a 2}", {"a": 2}),
        ("{1 2, [1 2] 3}", {"1": 2, "[1, 2]": 3}),
        ('#inst "2020-01-01"', "2020-01-01"),
        ("#jepsen.history.Op{:f :read}", {"f": "read"}),
        ("#:ns{:a 1}", {"a": 1}),
        ("[1 #_ 2 3]", [1, 3]),
        ("[1 #_#_ 2 3 4]", [1, 4]),
        ("[#_{:a [}) 1]".replace("}) ", "]} "), [1]),
        ("[#tag #_ 1 2]", [2]),
        ("[1 ; comment ]\n 2]", [1, 2]),
        ("(System/exit 1)", ["System/exit", 1]),
    ],
)
def test_every_form_is_read(text: str, value: object) -> None:
    ((line, found),) = edn_values(text)
    assert line == 1
    assert found == value
    assert type(found) is type(value)


def test_events_in_a_vector_have_line_numbers() -> None:
    text = "; a comment\n[{:a 1}\n\n {:b\n  2} {:c 3}\n #_{:d 4}\n]\n{:e 5}"
    assert edn_values(text, flatten=True) == [(2, {"a": 1}), (4, {"b": 2}), (5, {"c": 3}), (8, {"e": 5})]


def test_only_the_outermost_vector_is_flattened() -> None:
    assert edn_values("[[1 2] 3]", flatten=True) == [(1, [1, 2]), (1, 3)]
    assert edn_values("[[1 2] 3]") == [(1, [[1, 2], 3])]
    assert edn_values("", flatten=True) == edn_values("; nothing", flatten=True) == edn_values("[]", flatten=True) == []


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("[1\n {:a 1", "LP-H002", "2"),
        ("{:a}", "LP-H002", "1"),
        ("1\n]", "LP-H002", "2"),
        ("[1\n}", "LP-H002", "2"),
        ('\n"abc', "LP-H002", "2"),
        (r'"\q"', "LP-H002", "1"),
        (r'"\ud800"', "LP-H002", "1"),
        (r"\nothing", "LP-H002", "1"),
        ("007", "LP-H002", "1"),
        ("1_000", "LP-H002", "1"),
        (".5", "LP-H002", "1"),
        (": a", "LP-H002", "1"),
        ('#"regex"', "LP-H002", "1"),
        ("#=(eval)", "LP-H002", "1"),
        ("#(inc %)", "LP-H002", "1"),
        ("#_", "LP-H002", "1"),
        ("[#tag]", "LP-H002", "1"),
        ("##NaN", "LP-H007", "1"),
        ("##Inf", "LP-H007", "1"),
        ("1/2", "LP-H007", "1"),
        ("9" * 301, "LP-H011", "1"),
        ("1e999", "LP-H011", "1"),
        ("[" * 100_000, "LP-H011", "1"),
        ("#_" * 100_000, "LP-H011", "1"),
        ("#tag " * 100_000, "LP-H011", "1"),
    ],
)
def test_malformed_forms_are_rejected(text: str, code: str, place: str) -> None:
    with pytest.raises(HistoryError) as caught:
        edn_values(text)
    assert (caught.value.code, caught.value.place) == (code, place)
    assert caught.value.remedy


def test_values_are_read_up_to_the_maximum_depth() -> None:
    value = "[" * MAX_NESTING_DEPTH + "]" * MAX_NESTING_DEPTH
    assert edn_values(f"[{{:value {value}}}]", flatten=True)
    with pytest.raises(HistoryError, match="LP-H011"):
        edn_values(f"[{{:value [{value}]}}]", flatten=True)
