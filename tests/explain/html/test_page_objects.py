# SPDX-License-Identifier: Apache-2.0
"""Pages with several objects, similar process names and distant times: nothing is confused."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import pytest

import linpoint
from linpoint.explain.history import order_stepper as orders_of_pages
from linpoint.explain.history.history_page import history_page
from linpoint.explain.history.order_stepper import stepped_orders
from linpoint.explain.history.page_columns import columns, times
from linpoint.explain.history.register_zones import value_zones
from linpoint.verdicts.refutation import Blocked, StuckFrontier
from tests.explain.html.balance import data_of

STALE = """
    A: |--write(1)--|                  |--read()->1--|
    B:                |--write(2)--|
    C:                |--read()->1--|     |--read()->2--|
"""


def row(process: int | str, name: str, args: list[Any], call: float, **more: Any) -> dict[str, Any]:
    return {"process": process, "op": name, "args": args, "result": None, "call": call, "return": call + 1} | more


def stale_in_a(**more: Any) -> list[dict[str, Any]]:
    """Reads of key ``a`` that go back in time, in every order; key ``b`` has the same values."""
    return [
        row(0, "write", [1], 1, key="a"),
        row(0, "write", [1], 3, key="b"),
        row(0, "write", [2], 5, key="a"),
        row(1, "read", [], 10, result=2, key="a"),
        row(1, "read", [], 13, result=1, key="a"),
        row(2, "read", [], 100, result=1, key="b"),
        row(3, "write", [7], 1, key="b", result=None, outcome="failed") | more,
    ]


# Times


@pytest.mark.parametrize("values", [[-1e308, 1e308, 0.0, None], [-(10**299), 1e308], [-1.7e308, 1]])
def test_times_whose_distance_overflows_become_ranks_with_texts(values: list[Any]) -> None:
    told = times(values)
    given = [(value, rank) for value, rank in zip(values, told["values"], strict=True) if value is not None]
    assert told["ranked"]
    assert [rank for _, rank in sorted(given)] == list(range(len(given)))
    assert told["texts"] == [None if value is None else str(value) for value in values]


def test_a_history_over_the_whole_range_of_times_has_a_page() -> None:
    rows = [
        row(0, "write", [1], -1e308) | {"return": -1e307},
        row(0, "write", [2], 0.0) | {"return": 1e-300},
        row(1, "read", [], 1.7e308, result=1) | {"return": 1.7976931348623157e308},
    ]
    html = linpoint.check(linpoint.history(rows), "register").explain().as_html()
    assert data_of(html)["columns"]["times"]["ranked"]
    assert "inf " not in html.partition("<script")[0]


# Zones


def test_zones_are_drawn_only_if_real_time_makes_them_certain() -> None:
    assert value_zones(linpoint.check(STALE, "register").explain())
    rows = stale_in_a()
    for condition in ("sequential", "buffered-durable"):
        found = linpoint.check(linpoint.history(rows), "register", condition=condition).explain()
        assert found.verdict.status is linpoint.Status.VIOLATION
        assert value_zones(found) == []


def test_with_a_clock_skew_no_zones_are_drawn() -> None:
    rows = [
        row(0, "write", [1], 0),
        row(1, "write", [2], 20),
        row(2, "read", [], 22, result=1),
        row(3, "read", [], 24, result=2),
        row(4, "read", [], 200, result=1),
    ]
    history = linpoint.history(rows)
    assert value_zones(linpoint.check(history, "register").explain())
    skewed = linpoint.check(history.with_clock_skew(5), "register").explain()
    assert skewed.verdict.status is linpoint.Status.VIOLATION
    assert value_zones(skewed) == []


# Keys


@pytest.mark.parametrize("condition", ["sequential", "buffered-durable"])
def test_operations_show_their_keys_if_all_were_checked_together(condition: str) -> None:
    found = linpoint.check(linpoint.history(stale_in_a()), "register", condition=condition).explain()
    data = data_of(history_page(found))
    table = data["columns"]
    assert [table["keys"][number] for number in table["key"]] == ['"a"', '"b"', '"a"', '"a"', '"a"', '"b"', '"b"']
    assert table["labelled"]
    assert all(state.startswith(('"a": ', '"b": ')) for order in data["orders"] for _, state in order["steps"])


@pytest.mark.parametrize("condition", ["linearizable", "sequential"])
def test_every_operation_of_a_map_has_its_key(condition: str) -> None:
    rows = [
        row(0, "put", ["a", 1], 1),
        row(1, "put", ["a", 2], 1, outcome="failed"),
        row(1, "put", ["c", 2], 3, outcome="failed"),
        row(2, "get", ["B"], 5),
        row(2, "get", ["a"], 7, result=1),
    ]
    verdict = linpoint.check(linpoint.history(rows), "map", condition=condition)
    table = columns(verdict, range(5))
    assert [table["keys"][number] for number in table["key"]] == ['"a"', '"a"', '"c"', '"B"', '"a"']
    assert not table["labelled"]  # the keys are in the arguments


def test_keys_of_the_verdict_come_first_in_its_order() -> None:
    verdict = linpoint.check(linpoint.history(stale_in_a(key="only failed")), "register")
    table = columns(verdict, range(7))
    assert table["keys"] == ['"a"', '"b"', '"only failed"']
    assert not table["labelled"]


def test_a_drawing_of_several_objects_names_them() -> None:
    rows = [
        row(0, "write", [1], 1, key="x"),
        row(0, "read", [], 3, result=None, key="y"),
        row(1, "write", [1], 1, key="y"),
        row(1, "read", [], 3, result=None, key="x"),
    ]
    drawn = linpoint.check(linpoint.history(rows), "register", condition="sequential").explain().as_html()
    assert "[&#34;x&#34;] write(1)</text>" in drawn
    assert "[&#34;y&#34;] write(1)</text>" in drawn


# Orders


def test_a_shortened_order_begins_with_the_state_reached_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(0, "write", [n], 2 * n) for n in range(30)]
    rows.append(row(1, "read", [], 100, result="never"))
    found = linpoint.check(linpoint.history(rows), "register").explain()
    stuck = StuckFrontier(tuple(range(30)), (Blocked(30, (29,)),))
    monkeypatch.setattr(orders_of_pages, "MAX_STEPS", 10)
    (order,) = stepped_orders(dataclasses.replace(found, stuck=stuck), {position: position for position in range(31)})
    assert (order["before"], order["first"]) == (20, "19")
    assert order["steps"] == [[n, str(n)] for n in range(20, 30)]
    assert order["blocked"] == [[30, "the spec requires 29"]]
    assert order["note"] == "The first 20 steps are omitted."


def test_an_order_interrupted_by_the_deadline_has_no_blocked_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    found = linpoint.check("A: |--write(1)--| |--write(2)--| |--read()->1--|", "register").explain()
    places = {position: position for position in range(3)}
    (whole,) = stepped_orders(found, places)
    assert whole["blocked"]
    ticks = itertools.count()
    monkeypatch.setattr(orders_of_pages.time, "monotonic", lambda: next(ticks))
    (cut,) = stepped_orders(found, places)
    assert len(cut["steps"]) == 1
    assert cut["blocked"] == ()
    assert cut["note"] == "The first 1 step of 2."


# Processes and crashes


def test_processes_with_similar_names_are_distinguished() -> None:
    rows = [
        row(1, "write", [1], 1),
        row("1", "write", [2], 1),
        row("2", "write", [3], 1),
        {"crash": True, "process": 1, "time": 3},
        {"crash": True, "process": "1", "time": 4},
        {"crash": True, "process": 77, "time": 4},
        {"crash": True, "time": 4},
        row("1", "read", [], 5, result=4),
    ]
    data = data_of(history_page(linpoint.check(linpoint.history(rows), "register").explain()))
    lanes = data["columns"]["lanes"]
    assert lanes == ["1", '"1"', "2"]
    assert [crash["lane"] for crash in data["crashes"]] == [lanes.index("1"), lanes.index('"1"'), -2, -1]
    assert [crash["text"] for crash in data["crashes"]] == ["crash of 1", 'crash of "1"', "crash of 77", "crash"]
