# SPDX-License-Identifier: Apache-2.0
"""Clocks of a history: their skew, and whether it has clocks at all."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint import History, Operation, UsageError

OPS = (Operation(0, "write", (1,), None, 0, 5, order=1), Operation(1, "read", (), 1, 8, 9, order=2))
EVENTS = {
    "history.edn": "{:process 0, :type :invoke, :f :read, :value nil}\n{:process 0, :type :ok, :f :read, :value 1}\n",
    "timed.edn": "{:process 0, :type :invoke, :f :read, :value nil, :time 7}\n",
    "history.json": '{"process": 0, "type": "invoke", "f": "read", "value": null}\n',
    "history.log": "INFO  jepsen.util - 0\t:invoke\t:read\tnil\n",
    "kv.log": '{:process 0, :type :invoke, :f :get, :key "5", :value nil}\n',
}


def test_the_default_clock_skew_is_zero() -> None:
    assert History(OPS).clock_skew == 0
    assert History(OPS, clock_skew=5).clock_skew == 5
    assert History(OPS).with_clock_skew(3).clock_skew == 3
    assert not History(OPS).by_position


def test_histories_with_different_skews_differ() -> None:
    plain = History(OPS)
    skewed = plain.with_clock_skew(5)
    assert plain.clock_skew == 0
    assert skewed != plain
    assert skewed == History(OPS, clock_skew=5) == plain.with_clock_skew(3).with_clock_skew(5.0)
    assert skewed.with_clock_skew(0) == plain
    assert hash(skewed) == hash(History(OPS, clock_skew=5))


def test_histories_with_different_orders_differ() -> None:
    assert History(OPS) != History([OPS[0], dataclasses.replace(OPS[1], order=3)])


def test_selections_and_variants_keep_the_skew() -> None:
    skewed = History(OPS, clock_skew=5, source="here")
    for other in (skewed.select([1]), skewed.replace(0, OPS[1]), skewed.with_clock_skew(5)):
        assert (other.clock_skew, other.source) == (5, "here")
    assert linpoint.history(skewed) is skewed


def test_a_whole_skew_stays_exact() -> None:
    assert type(History(OPS, clock_skew=5e6).clock_skew) is int
    # Between integers half a unit makes no difference; next to a fraction it does.
    assert type(History(OPS, clock_skew=0.5).clock_skew) is int
    assert History([*OPS, Operation(7, "read", (), 1, 10.5, 11)], clock_skew=0.5).clock_skew == 0.5


@pytest.mark.parametrize("skew", [-1, -0.5, float("nan"), float("inf"), 10**400, True, "5ms", None])
def test_invalid_skews_are_rejected(skew: Any) -> None:
    for make in (History(OPS).with_clock_skew, lambda skew: History(OPS, clock_skew=skew)):
        with pytest.raises(UsageError) as caught:
            make(skew)
        assert caught.value.code == "LP-U001"
        assert caught.value.remedy


@pytest.mark.parametrize("name", EVENTS)
def test_positions_of_events_have_no_skew(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(EVENTS[name])
    history = linpoint.load(path)
    assert history.by_position
    assert history.select([0]).by_position
    assert history.with_clock_skew(0) == history
    with pytest.raises(UsageError) as caught:
        history.with_clock_skew(5)
    assert (caught.value.code, caught.value.place) == ("LP-U006", str(path))
    assert caught.value.message == "the history is ordered by event position, not by clocks."
    assert caught.value.remedy


def test_positions_with_clock_readings_accept_no_skew(tmp_path: Path) -> None:
    (tmp_path / "timed.edn").write_text(EVENTS["timed.edn"])
    linpoint.save(linpoint.load(tmp_path / "timed.edn"), tmp_path / "timed.jsonl")
    with pytest.raises(UsageError, match="LP-U006"):
        linpoint.load(tmp_path / "timed.jsonl").with_clock_skew(5)
    with pytest.raises(UsageError, match="LP-U006"):
        History([Operation(0, "read", (), 1, 0, 1, times=(5, 6))], clock_skew=1)


def test_formats_with_clocks_accept_a_skew(tmp_path: Path) -> None:
    for name in ("history.jsonl", "history.csv"):
        linpoint.save(History(OPS), tmp_path / name)
        assert linpoint.load(tmp_path / name).with_clock_skew(5).clock_skew == 5


def test_operations_overlap_within_the_skew() -> None:
    history = History(OPS)
    assert not history.columns.native.overlaps()
    assert not history.with_clock_skew(2.5).columns.native.overlaps()
    assert history.with_clock_skew(3).columns.native.overlaps()
