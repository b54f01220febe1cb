# SPDX-License-Identifier: Apache-2.0
"""Formats are recognised by content, and one line is enough where the format has lines."""

from __future__ import annotations

import pytest

from linpoint.errors import HistoryError
from linpoint.histories.formats.format_detection import detect_format, foreign_line, line_format


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"process": 0, "op": "read", "call": 1}', "operations"),
        ('{"crash": true, "time": 4}', "operations"),
        ('{"annotation": "a", "time": 4}', "operations"),
        ('{"process": 0, "op": "f", "args": [{"type": 1, "f": 2, "value": 3, "index": 4}], "call": 1}', "operations"),
        ('{"process": 0, "op": "read", "call":', "operations"),
        ('{"process": 0, "type": "invoke", "f": "read"}', "jepsen-json"),
        ('[{"process": 0, "type": "invoke", "f": "read"}]', "jepsen-json"),
        ('\n[\n  {\n    "process": 0,\n    "type": "invoke"\n  }\n]', "jepsen-json"),
        ("{:process 0, :type :invoke, :f :read}", "jepsen-edn"),
        ("{:type :invoke,\n :f :txn}", "jepsen-edn"),
        ("[{:type :invoke,\n :f :txn}]", "jepsen-edn"),
        ("(\n{:type :invoke :f :txn})", "jepsen-edn"),
        ("; jepsen.util - 0 :invoke :read nil\n[{:type :invoke}]", "jepsen-edn"),
        ("[; comment\n{:type :invoke}]", "jepsen-edn"),
        ("#jepsen.history.Op{:type :invoke}", "jepsen-edn"),
        ("[]", "jepsen-edn"),
        ("; only a comment", "jepsen-edn"),
        ('{:process 0, :type :invoke, :f :get, :key "5"}', "porcupine"),
        ('{:process 0, :type :invoke, :f :read, :key "5"}', "jepsen-edn"),
        ("INFO  jepsen.util - 0\t:invoke\t:read\tnil", "jepsen-text"),
        ("anything\n[main] INFO jepsen.util - 0 :invoke :read nil", "jepsen-text"),
        ("process,op,call,return", "csv"),
        ('"process", "op"', "csv"),
    ],
)
def test_formats_are_recognised(text: str, name: str) -> None:
    assert detect_format(text) == name


def test_a_column_mapping_helps_to_recognise_a_table() -> None:
    assert detect_format("client,f,start", {"op": "f", "call": "start"}) == "csv"


@pytest.mark.parametrize(
    "text", ["hello world", "{}", "[1, 2]", '{"a": 1}', "# title", "a,b,c", "\x00\x01", "{", "<html>"]
)
def test_unknown_content_is_rejected(text: str) -> None:
    with pytest.raises(HistoryError) as caught:
        detect_format(f"\n{text}")
    assert (caught.value.code, caught.value.place) == ("LP-H015", "2")
    assert "Jepsen EDN" in caught.value.remedy


def test_a_line_of_another_format_is_found() -> None:
    text = '{:process 0 :type :invoke :f :read}\n{"process": 0, "op": "read"}\n'
    assert foreign_line(text, "jepsen-edn") == foreign_line(text, "porcupine", 2) == (2, "operations")
    assert foreign_line(text, "operations") is None
    assert foreign_line(text, "operations", 1) is None  # the first line determines the format
    assert line_format("just words") is None
