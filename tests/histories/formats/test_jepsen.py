# SPDX-License-Identifier: Apache-2.0
"""Jepsen's three notations describe the same history; Porcupine's logs add a key and an absent value."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome

Reader = Callable[..., History]

EDN = """\
; a register
{:process 0, :type :invoke, :f :write, :value 3}
{:process 1, :type :invoke, :f :read, :value nil}
{:process 0, :type :ok, :f :write, :value 3}
{:process 1, :type :ok, :f :read, :value 3}
{:process :nemesis, :type :info, :f :kill, :value ["n1"]}
{:process 2, :type :invoke, :f :cas, :value [3 4]}
{:process 2, :type :info, :f :cas, :value :timed-out, :error "no answer"}
"""
JSON = """\
{"process": 0, "type": "invoke", "f": "write", "value": 3}
{"process": 1, "type": "invoke", "f": "read", "value": null}
{"process": 0, "type": "ok", "f": "write", "value": 3}
{"process": 1, "type": "ok", "f": "read", "value": 3}
{"process": "nemesis", "type": "info", "f": "kill", "value": ["n1"]}
{"process": 2, "type": "invoke", "f": "cas", "value": [3, 4]}
{"process": 2, "type": "info", "f": "cas", "value": "timed-out", "error": "no answer"}
"""
TEXT = """\
INFO  jepsen.core - Worker 0 starting
INFO  jepsen.util - 0\t:invoke\t:write\t3
INFO  jepsen.util - 1   :invoke :read   nil
2015-01-01 WARN jepsen.client - slow
INFO  jepsen.util - 0\t:ok\t:write\t3
INFO  jepsen.util - 1\t:ok\t:read\t3
INFO [2020-01-01] jepsen nemesis - jepsen.util :nemesis\t:info\t:kill\t["n1"]
INFO  jepsen.util - 2\t:invoke\t:cas\t[3 4]
INFO  jepsen.util - 2\t:info\t:cas\t[3 4]\t:timed-out )( not EDN
"""
OPERATIONS = [
    Operation(0, "write", (3,), None, 0, 2),
    Operation(1, "read", (), 3, 1, 3),
    Operation(2, "cas", (3, 4), None, 5, None, Outcome.UNKNOWN),
]


def without_lines(history: History) -> list[Operation]:
    return [
        Operation(op.process, op.name, op.args, op.result, op.call, op.return_, op.outcome, op.key, op.times)
        for op in history
    ]


@pytest.mark.parametrize(
    "text",
    [
        EDN,
        "[" + EDN + "]",
        "(" + EDN + ")",
        "[\n; first\n" + EDN + "\n]\n",
        EDN.replace(", ", "\n,\t"),
        EDN.replace("{:process", "#jepsen.history.Op{:process"),
        "#_{:process 9 :type :ok} " + EDN,
        JSON,
        "[" + ",".join(JSON.splitlines()) + "]",
        "[\n" + ",\n".join(JSON.splitlines()) + "\n]\n",
        "\n" + JSON.replace("\n", "\n\n"),
        TEXT,
        TEXT.replace("\n", "\r\n"),
        gzip.compress(EDN.encode()),
        gzip.compress(JSON.encode()),
        gzip.compress(TEXT.encode()),
    ],
)
def test_all_notations_give_the_same_history(read: Reader, text: str | bytes) -> None:
    history = read(text)
    assert without_lines(history) == OPERATIONS
    ((annotation),) = history.annotations
    assert (annotation.text, annotation.time) == ('kill ["n1"]', 4)


def test_operations_have_line_numbers(read: Reader) -> None:
    assert [op.line for op in read(EDN)] == [2, 3, 7]
    assert [op.line for op in read(JSON)] == [1, 2, 6]
    assert [op.line for op in read(TEXT)] == [2, 3, 8]
    assert [op.line for op in read("[\n\n" + ",\n\n".join(JSON.splitlines()) + "]")] == [3, 5, 13]


def test_index_and_time_are_read(read: Reader) -> None:
    (op,) = read("""\
[{:process 0, :type :ok, :f :read, :value 1, :index 1, :time 20}
 {:process 0, :type :invoke, :f :read, :value nil, :index 0, :time 30}]
""")
    assert (op.call, op.return_, op.times, op.line) == (0, 1, (30, 20), 2)


def test_keyed_histories_are_read(read: Reader) -> None:
    invoke = '{"process":0,"type":"invoke","f":"cas","value":[7,[1,2]]}\n'
    text = invoke + invoke.replace("invoke", "ok")
    (op,) = read(text)
    assert (op.key, op.args, op.result) == (7, (1, 2), True)
    text = text.replace("cas", "write")
    assert (read(text)[0].key, read(text)[0].args) == (7, ((1, 2),))
    assert (read(text, keyed=False)[0].key, read(text, keyed=False)[0].args) == (None, ((7, (1, 2)),))


def test_events_may_have_no_value(read: Reader) -> None:
    (op,) = read("{:process 0 :type :invoke :f :acquire} {:process 0 :type :ok :f :acquire}")
    assert (op.args, op.result) == ((), None)
    (op,) = read("INFO  jepsen.util - 0\t:invoke\t:acquire\nINFO  jepsen.util - 0\t:ok\t:acquire\t\n")
    assert (op.args, op.result) == ((), None)


def test_nemesis_events_alone(read: Reader) -> None:
    history = read('[{:process :nemesis, :type :info, :f :stop, :value "fully connected"}]')
    assert (len(history), history.annotations[0].text) == (0, 'stop "fully connected"')


PORCUPINE = """\
{:process 0, :type :invoke, :f :get, :key "5", :value nil}
{:process 1, :type :invoke, :f :append, :key "5", :value "x 1 y"}
{:process 0, :type :ok, :f :get, :key "5", :value ""}
{:process 1, :type :ok, :f :append, :key "5", :value "x 1 y"}
{:process 0, :type :invoke, :f :put, :key "6", :value ""}
{:process 0, :type :ok, :f :put, :key "6", :value ""}
"""


def test_porcupine_logs_are_read(read: Reader) -> None:
    get, append, put = read(PORCUPINE)
    assert (get.key, get.args, get.result) == ("5", (), None)
    assert (append.key, append.args, append.result) == ("5", ("x 1 y",), None)
    assert (put.key, put.args) == ("6", ("",))


def test_in_jepsen_an_empty_string_is_an_empty_string(read: Reader) -> None:
    assert read(PORCUPINE, format="jepsen-edn")[0].result == ""
