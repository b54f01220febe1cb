# SPDX-License-Identifier: Apache-2.0
"""Bad input: each case has its code, its place and a remedy, and readers raise no other exception."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linpoint.errors import HistoryError, LinpointError, UsageError
from linpoint.histories.formats import FORMATS, file_content, load
from linpoint.histories.history import History
from linpoint.histories.values import MAX_NESTING_DEPTH
from tests.volume import volume

Reader = Callable[..., History]

GOOD = b'{"process": 0, "op": "read", "result": 1, "call": 0, "return": 1}\n'
EVENT = b'{"process": 0, "type": "invoke", "f": "read", "value": null}\n'
EDN_EVENT = b"{:process 0, :type :invoke, :f :read, :value nil}\n"
LOG = b"INFO  jepsen.util - 0\t:invoke\t:read\tnil\n"
TABLE = b"process,op,args,result,call,return\n0,read,[],1,0,1\n"
DEEP = b"[" * 1000 + b"]" * 1000
BOTTOMLESS = b"[" * 200_000


def line(fields: bytes) -> bytes:
    """A good line, and one with these fields appended; of two equal names the last counts."""
    return GOOD + b'{"process": 1, "op": "read", "result": 1, "call": 0, "return": 1, ' + fields + b"}\n"


def event(fields: bytes) -> bytes:
    return EVENT + b'{"process": 1, "type": "invoke", "f": "read", "value": null, ' + fields + b"}\n"


CASES: dict[str, tuple[bytes, str, str]] = {
    # bytes
    "nothing": (b"", "LP-H008", ""),
    "white space": (b" \n\t\n", "LP-H008", ""),
    "only a byte order mark": (b"\xef\xbb\xbf", "LP-H008", ""),
    "compressed nothing": (gzip.compress(b""), "LP-H008", ""),
    "truncated gzip": (gzip.compress(GOOD * 50)[:-12], "LP-H010", ""),
    "gzip header only": (b"\x1f\x8b", "LP-H010", ""),
    "corrupt gzip": (gzip.compress(GOOD)[:12] + b"\xff" * 20, "LP-H010", ""),
    "wrong checksum": (gzip.compress(GOOD)[:-8] + b"\0" * 8, "LP-H010", ""),
    "garbage after gzip": (gzip.compress(GOOD) + b"garbage", "LP-H010", ""),
    "latin-1": (GOOD + b'{"op": "caf\xe9"}', "LP-H017", ":2"),
    "utf-16": (GOOD.decode().encode("utf-16"), "LP-H017", ":1"),
    "not utf-8 in gzip": (gzip.compress(b"\n\n\xff"), "LP-H017", ":3"),
    # format
    "prose": (b"\nhello world\n", "LP-H015", ":2"),
    "a JSON number": (b"42\n", "LP-H015", ":1"),
    "an object of something else": (b'{"name": "x"}\n', "LP-H015", ":1"),
    "an unknown table": (b"a,b,c\n1,2,3\n", "LP-H015", ":1"),
    "operations, then JSON events": (GOOD + EVENT, "LP-H009", ":2"),
    "operations, then EDN": (GOOD + b"\n" + EDN_EVENT, "LP-H009", ":3"),
    "operations, then a table": (GOOD + TABLE, "LP-H009", ":2"),
    "operations, then a log": (GOOD + LOG, "LP-H009", ":2"),
    "JSON events, then operations": (EVENT + GOOD, "LP-H009", ":2"),
    "JSON events, then EDN": (EVENT + EDN_EVENT, "LP-H009", ":2"),
    "EDN, then JSON events": (EDN_EVENT + EVENT, "LP-H009", ":2"),
    "EDN, then compact JSON": (EDN_EVENT + GOOD.replace(b" ", b""), "LP-H009", ":2"),
    "EDN, then a log": (EDN_EVENT + LOG, "LP-H009", ":2"),
    "a log, then EDN": (LOG + EDN_EVENT, "LP-H009", ":2"),
    "a log, then operations": (LOG + b"other line\n" + GOOD, "LP-H009", ":3"),
    "a table, then operations": (TABLE + GOOD, "LP-H009", ":3"),
    # operation lines
    "a truncated line": (GOOD + GOOD[:30], "LP-H002", ":2"),
    "not JSON": (GOOD + b"{process: 0}", "LP-H002", ":2"),
    "NaN": (line(b'"call": NaN'), "LP-H002", ":2"),
    "two objects on a line": (GOOD + GOOD.strip() + GOOD, "LP-H002", ":2"),
    "a list": (GOOD + b"[1, 2]", "LP-H002", ":2"),
    "a string": (GOOD + b'"x"', "LP-H002", ":2"),
    "half a surrogate pair": (line(b'"key": "\\ud800"'), "LP-H002", ":2"),
    "no op": (GOOD + b'{"process": 0, "call": 1}', "LP-H006", ":2"),
    "no process": (GOOD + b'{"op": "read", "call": 1}', "LP-H006", ":2"),
    "no call": (GOOD + b'{"op": "read", "process": 1}', "LP-H006", ":2"),
    "no result": (GOOD + b'{"op": "read", "process": 1, "call": 1, "return": 2}', "LP-H006", ":2"),
    "no time of a crash": (GOOD + b'{"crash": true}', "LP-H006", ":2"),
    "no time of an annotation": (GOOD + b'{"annotation": "x"}', "LP-H006", ":2"),
    "process true": (line(b'"process": true'), "LP-H007", ":2"),
    "process 1.5": (line(b'"process": 1.5'), "LP-H007", ":2"),
    "process null": (line(b'"process": null'), "LP-H007", ":2"),
    "process a list": (line(b'"process": [1]'), "LP-H007", ":2"),
    "op empty": (line(b'"op": ""'), "LP-H007", ":2"),
    "op 1": (line(b'"op": 1'), "LP-H007", ":2"),
    "args an object": (line(b'"args": {}'), "LP-H007", ":2"),
    "args null": (line(b'"args": null'), "LP-H007", ":2"),
    "call a string": (line(b'"call": "1"'), "LP-H007", ":2"),
    "call true": (line(b'"call": true'), "LP-H007", ":2"),
    "return a string": (line(b'"return": "1"'), "LP-H007", ":2"),
    "order a string": (line(b'"order": "1"'), "LP-H007", ":2"),
    "order true": (line(b'"order": true'), "LP-H007", ":2"),
    "order a list": (line(b'"order": [1, 2]'), "LP-H007", ":2"),
    "an order of 301 digits": (line(b'"order": ' + b"1" * 301), "LP-H011", ":2"),
    "an unknown outcome": (line(b'"outcome": "maybe"'), "LP-H007", ":2"),
    "outcome null": (line(b'"outcome": null'), "LP-H007", ":2"),
    "outcome a list": (line(b'"outcome": []'), "LP-H007", ":2"),
    "a crash that is an operation": (line(b'"crash": true, "time": 1'), "LP-H007", ":2"),
    "crash of an object of a process": (GOOD + b'{"crash": "object", "process": 1, "time": 1}', "LP-H007", ":2"),
    "crash of something else": (GOOD + b'{"crash": "disk", "time": 1}', "LP-H007", ":2"),
    "an object crash that is an operation": (line(b'"crash": "object", "time": 1'), "LP-H007", ":2"),
    "crash 1": (GOOD + b'{"crash": 1, "time": 1}', "LP-H007", ":2"),
    "crash of process 1.5": (GOOD + b'{"crash": true, "time": 1, "process": 1.5}', "LP-H007", ":2"),
    "annotation 1": (GOOD + b'{"annotation": 1, "time": 1}', "LP-H007", ":2"),
    "until before its time": (GOOD + b'{"annotation": "x", "time": 5, "until": 4}', "LP-H007", ":2"),
    "a deep value": (line(b'"key": ' + DEEP[900:1100]), "LP-H011", ":2"),
    "a very deep value": (line(b'"args": ' + DEEP), "LP-H011", ":2"),
    "a bottomless value": (line(b'"args": ' + BOTTOMLESS), "LP-H011", ":2"),
    "a bottomless unknown field": (line(b'"x": ' + BOTTOMLESS), "LP-H011", ":2"),
    "a deep op": (line(b'"op": ' + DEEP[200:1800]), "LP-H007", ":2"),
    "301 digits": (line(b'"args": [' + b"1" * 301 + b"]"), "LP-H011", ":2"),
    "5000 digits": (line(b'"args": [' + b"1" * 5000 + b"]"), "LP-H011", ":2"),
    "a process of 301 digits": (line(b'"process": ' + b"1" * 301), "LP-H011", ":2"),
    "a call of 301 digits": (line(b'"call": ' + b"1" * 301), "LP-H011", ":2"),
    "a number beyond floats": (line(b'"args": [1e999]'), "LP-H011", ":2"),
    "a return before the call": (line(b'"call": 9'), "LP-H005", ":2"),
    "an unknown return before the call": (line(b'"call": 9, "outcome": "unknown"'), "LP-H005", ":2"),
    "overlap in a process": (GOOD + GOOD, "LP-H004", ":2"),
    "a call after an unknown outcome": (
        line(b'"call": 5, "return": null') + line(b'"call": 7, "return": 8').removeprefix(GOOD),
        "LP-H004",
        ":3",
    ),
    "a key for some": (line(b'"key": "k"'), "LP-H014", ":1"),
    "across a crash": (GOOD + b'{"crash": true, "time": 0.5}', "LP-H013", ":1"),
    # JSON events
    "event: no type": (EVENT + b'{"process": 0, "f": "read"}', "LP-H006", ":2"),
    "event: no process": (EVENT + b'{"type": "ok", "f": "read"}', "LP-H006", ":2"),
    "event: no f": (EVENT + b'{"process": 0, "type": "ok"}', "LP-H006", ":2"),
    "event: an unknown type": (event(b'"type": "done"'), "LP-H007", ":2"),
    "event: type 1": (event(b'"type": 1'), "LP-H007", ":2"),
    "event: process 1.5": (event(b'"process": 1.5'), "LP-H007", ":2"),
    "event: f null": (event(b'"f": null'), "LP-H007", ":2"),
    "event: index a string": (event(b'"index": "1"'), "LP-H007", ":2"),
    "event: a list": (EVENT + b"[1]", "LP-H002", ":2"),
    "event: truncated": (EVENT + EVENT[:20], "LP-H002", ":2"),
    "event: too deep": (event(b'"value": ' + DEEP), "LP-H011", ":2"),
    "event: a cas of one value": (event(b'"f": "cas", "value": [1]'), "LP-H007", ":2"),
    "event: called twice": (event(b'"process": 0'), "LP-H004", ":2"),
    "event: a return without a call": (event(b'"type": "ok"'), "LP-H003", ":2"),
    "event: an info without a call": (event(b'"type": "info"'), "LP-H003", ":2"),
    "event: another f": (event(b'"process": 0, "type": "ok", "f": "write"'), "LP-H012", ":2"),
    "event: a call after info": (
        EVENT + EVENT.replace(b"invoke", b"info") + EVENT,
        "LP-H004",
        ":3",
    ),
    "event: an index twice": (
        EVENT.replace(b"}", b', "index": 3}') + EVENT.replace(b"}", b', "index": 3}').replace(b"invoke", b"ok"),
        "LP-H018",
        ":2",
    ),
    "event: some with a key": (event(b'"key": 1'), "LP-H014", ":1"),
    "array: no comma": (b"[\n" + EVENT + EVENT + b"]", "LP-H002", ":3"),
    "array: truncated": (b"[\n" + EVENT + b",", "LP-H002", ":3"),
    "array: text after it": (b"[\n" + EVENT + b"]\nx", "LP-H002", ":4"),
    "array: a bad element": (b"[\n" + EVENT + b",\n\n7]", "LP-H002", ":5"),
    "array: a bottomless element": (b"[\n" + EVENT + b"," + BOTTOMLESS, "LP-H011", ""),
    "array: empty": (b"[ ]", "LP-H008", ""),
    # EDN
    "edn: truncated": (b"[\n" + EDN_EVENT + EDN_EVENT[:20], "LP-H002", ":3"),
    "edn: a map without a value": (EDN_EVENT + b"{:process 0 :type}", "LP-H002", ":2"),
    "edn: not a map": (EDN_EVENT + b":keyword", "LP-H002", ":2"),
    "edn: a bracket too many": (EDN_EVENT + b"]", "LP-H002", ":2"),
    "edn: a string without an end": (EDN_EVENT + b'{:process 0 :f "re', "LP-H002", ":2"),
    "edn: no type": (EDN_EVENT + b"{:process 0 :f :read}", "LP-H006", ":2"),
    "edn: process nil": (EDN_EVENT + b"{:process nil :type :ok :f :read}", "LP-H007", ":2"),
    "edn: a ratio": (EDN_EVENT + b"{:process 1 :type :invoke :f :write :value 1/2}", "LP-H007", ":2"),
    "edn: NaN": (EDN_EVENT + b"{:process 1 :type :invoke :f :write :value ##NaN}", "LP-H007", ":2"),
    "edn: too deep": (EDN_EVENT + b"{:process 1 :type :invoke :f :write :value " + DEEP + b"}", "LP-H011", ":2"),
    "edn: bottomless": (BOTTOMLESS.replace(b"[", b"("), "LP-H011", ":1"),
    "edn: 301 digits": (EDN_EVENT.replace(b"nil", b"1" * 301), "LP-H011", ":1"),
    "edn: only comments": (b"; nothing here\n", "LP-H008", ""),
    "edn: a return without a call": (EDN_EVENT + EDN_EVENT.replace(b"invoke", b"ok") * 2, "LP-H003", ":3"),
    # text logs
    "log: an unknown type": (LOG + LOG.replace(b"invoke", b"done"), "LP-H007", ":2"),
    "log: a value that is not EDN": (LOG + b"INFO  jepsen.util - 1\t:invoke\t:write\t[1", "LP-H002", ":2"),
    "log: a value too deep": (LOG + b"INFO  jepsen.util - 1\t:invoke\t:write\t" + DEEP, "LP-H011", ":2"),
    "log: called twice": (LOG + LOG, "LP-H004", ":2"),
    # tables
    "table: no rows": (b"process,op,call\n", "LP-H008", ":1"),
    "table: no column op": (b"process,call\n0,1\n", "LP-H006", ":1"),
    "table: a column twice": (b"process,op,call,call\n0,read,1,1\n", "LP-H007", ":1"),
    "table: args not JSON": (TABLE + b"1,read,x,1,0,1\n", "LP-H002", ":3"),
    "table: a result in plain words": (TABLE + b"1,read,[],ok,0,1\n", "LP-H002", ":3"),
    "table: too many cells": (TABLE + b"1,cas,[1,2],1,0,1\n", "LP-H002", ":3"),
    "table: a quote without an end": (TABLE + b'1,read,"[1],1,0,1\n', "LP-H002", ":3"),
    "table: text after a quote": (TABLE + b'1,read,"[1]"x,1,0,1\n', "LP-H002", ":3"),
    "table: op 1": (TABLE + b"1,1,[],1,0,1\n", "LP-H007", ":3"),
    "table: no result": (TABLE + b"1,read,[],,0,1\n", "LP-H006", ":3"),
    "table: an order that is a list": (TABLE.replace(b"args", b"order"), "LP-H007", ":2"),
    "table: no call": (TABLE + b"1,read,[],1,,1\n", "LP-H006", ":3"),
    "table: a cell too long": (TABLE + b"1,read,[" + b"1" * 200_000 + b"],1,0,1\n", "LP-H011", ":3"),
    "table: a process of 5000 digits": (TABLE + b"1" * 5000 + b",read,[],1,0,1\n", "LP-H011", ":3"),
    "table: too deep": (TABLE + b"1,read," + DEEP + b",1,0,1\n", "LP-H011", ":3"),
}


@pytest.mark.parametrize("case", CASES)
def test_malformed_input_is_rejected(tmp_path: Path, case: str) -> None:
    content, code, place = CASES[case]
    path = tmp_path / "bad"
    path.write_bytes(content)
    with pytest.raises(HistoryError) as caught:
        load(path)
    assert (caught.value.code, caught.value.place) == (code, f"{path}{place}")
    assert caught.value.message
    assert caught.value.remedy
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 45


def test_unreadable_files_are_rejected(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path / "no" / "folder", tmp_path, tmp_path / "nul\0"):
        with pytest.raises(HistoryError) as caught:
            load(path)
        assert (caught.value.code, caught.value.place) == ("LP-H001", str(path))
        assert caught.value.remedy


def test_a_file_without_read_permission_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(HistoryError, match="LP-H001"):
        load(tmp_path / "secret")


def test_a_small_file_cannot_fill_the_memory(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_content, "MAX_DECOMPRESSED_BYTES", 1000)
    assert len(read(gzip.compress(GOOD))) == 1
    with pytest.raises(HistoryError, match="LP-H011"):
        read(gzip.compress(b"\n" * 1001 + GOOD))


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(gzip.compress(GOOD))
    with open(tmp_path / "in", encoding="latin-1") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert len(load("-")) == 1
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(HistoryError, match="LP-H001 -:"):
        load("-")


def test_an_unknown_format_is_rejected(read: Reader) -> None:
    with pytest.raises(UsageError, match=r"LP-U001.*operations"):
        read(GOOD, format="xml")


def test_the_wrong_format_is_bad_input(read: Reader) -> None:
    for name in FORMATS:
        if name != "operations":
            with pytest.raises(HistoryError):
                read(GOOD, format=name)


def test_values_are_read_up_to_the_maximum_depth(read: Reader) -> None:
    deepest = b"[" * MAX_NESTING_DEPTH + b"]" * MAX_NESTING_DEPTH
    assert len(read(GOOD.replace(b"1,", deepest + b",", 1))) == 1
    assert len(read(EVENT.replace(b"null", deepest))) == 1
    assert len(read(EDN_EVENT.replace(b"nil", deepest))) == 1
    with pytest.raises(HistoryError, match="LP-H011"):
        read(EDN_EVENT.replace(b"nil", b"[" + deepest + b"]"))


SAMPLES = [
    GOOD + b'{"process": 1, "op": "cas", "args": [1, [2]], "call": 2, "key": "k"}\n{"crash": true, "time": 4}\n',
    EVENT + EVENT.replace(b"invoke", b"ok") + b'{"process": "nemesis", "type": "info", "f": "kill", "value": ["n1"]}\n',
    b"[" + EVENT.strip() + b",\n" + EVENT.replace(b"invoke", b"ok") + b"]",
    EDN_EVENT + b'#_{:a "b"} ; comment\n{:process 1 :type :invoke :f :cas :value [1 [2.5 \\a]] :index 3}\n',
    b"(" + EDN_EVENT + b"#{1 :a} " + EDN_EVENT + b")",
    LOG + LOG.replace(b"invoke", b"ok") + b'INFO jepsen.util - :nemesis\t:info\t:kill\t{"a" 1}\n',
    b'{:process 0, :type :invoke, :f :get, :key "5"}\n{:process 0, :type :ok, :f :get, :key "5", :value ""}\n',
    TABLE + b'a,write,"[""x""]",null,2,3\n',
    gzip.compress(GOOD),
]
PUNCTUATION = [b"[", b"]", b"{", b"}", b'"', b"\\", b"\n", b"\r", b",", b":", b";", b"-", b"#_", b"#{", b"\0", b"\xff"]
WORDS = [
    b"null",
    b"nil",
    b"true",
    b"1e999",
    b"9" * 400,
    b"NaN",
    b"##Inf",
    b"1/2",
    b"\\ud800",
    b"[" * 70,
    b"\xef\xbb\xbf",
]
FRAGMENTS = st.sampled_from([*PUNCTUATION, *WORDS, b'"op"', b'"type"', b"ok", b"info"])
FUZZ = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=volume(300))


def accept(path: Path, content: bytes, **options: Any) -> None:
    """Every reader returns a history or raises a coded error with a remedy."""
    path.write_bytes(content)
    for name in (None, *FORMATS):
        try:
            history = load(path, format=name, **options)
        except LinpointError as error:
            assert error.remedy
            assert str(error).startswith(f"{error.code} {path}")
        else:
            assert isinstance(history, History)


@FUZZ
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_random_bytes_are_handled(tmp_path: Path, content: bytes) -> None:
    accept(tmp_path / "fuzz", content)


@FUZZ
@given(parts=st.lists(FRAGMENTS | st.sampled_from(SAMPLES), max_size=12))
def test_random_fragments_are_handled(tmp_path: Path, parts: list[bytes]) -> None:
    accept(tmp_path / "fuzz", b"".join(parts))


@FUZZ
@given(sample=st.sampled_from(SAMPLES), keyed=st.none() | st.booleans(), data=st.data())
def test_mutated_files_are_handled(tmp_path: Path, sample: bytes, keyed: bool | None, data: st.DataObject) -> None:
    content = sample
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        cut = data.draw(st.integers(0, 10))
        content = content[:at] + data.draw(st.just(b"") | FRAGMENTS | st.binary(max_size=3)) + content[at + cut :]
    accept(tmp_path / "fuzz", content, keyed=keyed)
