# SPDX-License-Identifier: Apache-2.0
"""Crashes in event formats: read at their positions, written where the order of events has the same meaning."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import linpoint
from linpoint import Crash, Outcome
from linpoint.errors import HistoryError, UsageError
from linpoint.histories.formats.format_detection import detect_format
from linpoint.options.choices import CONDITIONS
from tests.random_histories import random_history
from tests.volume import SEED, volume

EDN = """\
{:process 0, :type :invoke, :f :write, :value 1}
{:process 1, :type :invoke, :f :write, :value 2}
{:crash :object, :time 7}
{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :invoke, :f :read, :value nil}
{:process 1, :type :ok, :f :read, :value 1}
{:process 2, :type :invoke, :f :read, :value nil}
{:crash true, :process 2}
{:process 2, :type :invoke, :f :read, :value nil}
{:crash true}
"""


def load(tmp_path: Path, text: str, name: str = "a.edn") -> linpoint.History:
    path = tmp_path / name
    path.write_text(text)
    return linpoint.load(path)


def test_crashes_have_their_position_in_the_log(tmp_path: Path) -> None:
    history = load(tmp_path, EDN)
    assert history.crashes == (Crash(2, line=3, of_object=True), Crash(7, 2, line=8), Crash(9, line=10))
    assert [(op.process, op.outcome) for op in history] == [
        (0, Outcome.OK),  # it spans the crash of the object
        (1, Outcome.UNKNOWN),  # interrupted by the crash, and its process continues
        (1, Outcome.OK),
        (2, Outcome.UNKNOWN),
        (2, Outcome.UNKNOWN),
    ]
    assert all(
        linpoint.check(history, "register", condition=each).status.value == "linearizable" for each in CONDITIONS
    )


def test_crashes_in_json_events_are_read(tmp_path: Path) -> None:
    text = (
        '{"index": 0, "process": 0, "type": "invoke", "f": "read", "value": null}\n'
        '{"index": 2, "process": 0, "type": "ok", "f": "read", "value": null}\n'
        '{"index": 1, "crash": "object", "time": 5}\n'
    )
    assert load(tmp_path, text).crashes == (Crash(1, line=3, of_object=True),)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("{:crash :object}", "jepsen-edn"),
        ("{:crash true, :process 1, :index 0}", "jepsen-edn"),
        ('{"crash": "object", "index": 0}', "jepsen-json"),
        ('{"crash": "object", "time": 0}', "operations"),
    ],
)
def test_a_log_may_begin_with_a_crash(line: str, name: str) -> None:
    assert detect_format(f"{line}\n") == name


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("{:crash 1}\n", "LP-H007", 1),
        ("{:crash :disk}\n", "LP-H007", 1),
        ("{:crash :object, :process 1}\n", "LP-H007", 1),
        ("{:crash true, :index 1.5}\n", "LP-H007", 1),
        (EDN.replace(":object", "true"), "LP-H003", 4),
        (EDN.replace("{:crash :object, :time 7}\n", ""), "LP-H004", 4),
    ],
    ids=["one", "disk", "process", "index", "ended by a crash", "no crash"],
)
def test_invalid_crashes_are_rejected(tmp_path: Path, text: str, code: str, line: int) -> None:
    with pytest.raises(HistoryError) as caught:
        load(tmp_path, f"{EDN.splitlines()[0]}\n{text}" if code == "LP-H007" else text)
    assert caught.value.code == code
    assert str(caught.value.place).endswith(f":{line + (code == 'LP-H007')}")


@pytest.mark.parametrize("crash", [linpoint.Crash(35), linpoint.Crash(35, process=1)], ids=["of everything", "of one"])
def test_a_call_at_the_time_of_a_return_and_a_crash_is_rejected(tmp_path: Path, crash: linpoint.Crash) -> None:
    """The two overlap under linearizability, so that the read may observe either value; events would order them."""
    history = linpoint.History(
        [
            linpoint.Operation(1, "read", (), None, 31, 35),
            linpoint.Operation(2, "write", (1,), None, 20, 25),
            linpoint.Operation(3, "write", (None,), None, 35, 36),
        ],
        crashes=[crash],
    )
    assert linpoint.check(history, "register", condition="linearizable").status is linpoint.Status.LINEARIZABLE
    with pytest.raises(UsageError, match="its call is at 35, when process 1 returned and crashed"):
        linpoint.save(history, tmp_path / "a.json")


@pytest.mark.random
@pytest.mark.parametrize("suffix", ["edn", "json"])
def test_written_histories_have_the_same_verdicts(tmp_path: Path, suffix: str) -> None:
    rng = random.Random(f"{SEED} crash events {suffix}")
    histories = volume(400)
    refused = 0
    for number in range(histories):
        history, spec = random_history(rng, rng.choice(["register", "queue", "set"]), crashes=True)
        path = tmp_path / f"a.{suffix}"
        try:
            linpoint.save(history, path)
        except UsageError:
            refused += 1
            continue
        again = linpoint.load(path)
        for condition in CONDITIONS:
            expected = linpoint.check(history, spec, condition=condition).status
            assert linpoint.check(again, spec, condition=condition).status is expected, (number, condition, [*history])
    assert refused < histories / 2
