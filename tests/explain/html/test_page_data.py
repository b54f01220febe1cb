# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N805 - the first argument of a step is the state
"""The content of a page: columns, times, orders with their states, zones, downloads; and the parts it omits."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape

import linpoint
from linpoint.explain.history.history_page import history_page
from linpoint.explain.history.order_stepper import MAX_STEPS, stepped_orders
from linpoint.explain.history.page_columns import columns, times
from linpoint.explain.history.page_downloads import minimal_command, minimal_lines
from linpoint.explain.history.page_operations import choose_operations
from linpoint.explain.history.reasons import ArgumentStep, CauseEvidence, LikelyCause
from linpoint.explain.history.register_zones import value_zones
from linpoint.explain.pages.page_renderer import render_text
from linpoint.explain.pages.script_data import plain, script_data
from linpoint.explain.wording.state_text import state_text
from tests.explain.cases import CAUSES
from tests.explain.html.balance import Balanced, data_of
from tests.explain.html.histories import FIRST, explained, with_a_stale_read
from tests.explain.test_golden import CASES, explanation


def everywhere(explained: linpoint.Explanation) -> Mapping[int, int]:
    return {position: position for position in range(len(explained.verdict.history))}


# Whole pages


@pytest.mark.parametrize("case", CASES)
def test_every_explanation_has_a_well_formed_page(case: str) -> None:
    html = history_page(explanation(case), file=f"{case}.jsonl")
    parser = Balanced()
    parser.feed(html)
    assert not parser.open
    assert len(parser.ids) == len(set(parser.ids))
    linked = set(re.findall(r'<a href="#([\w-]+)"', html))
    assert linked <= set(parser.ids)
    assert not re.search(r'(src|href)="(?!#)', html)  # nothing is loaded from elsewhere
    assert data_of(html)["total"] == len(explanation(case).verdict.history)


def test_names_steps_and_causes_are_on_the_page() -> None:
    found = explanation("register-stale-read")
    dressed = dataclasses.replace(
        found,
        names=tuple("PQR"[: len(found.core)]),
        steps=(
            ArgumentStep("real-time", found.core, "P < Q, as it returned first.", found.core[0], found.core[1]),
            ArgumentStep("overwritten", found.core, "Q < P, as it saw less.", found.core[1], found.core[0]),
        ),
        causes=(
            LikelyCause(
                "stale-read",
                "A copy was behind.",
                (CauseEvidence("annotation-before", "the copy was paused", found.core),),
            ),
            LikelyCause("lost-write", "It is gone.", ()),
        ),
    )
    html = history_page(dressed)
    assert "<li>P &lt; Q, as it returned first.</li>" in html
    assert "Likely cause: a stale read" in html
    assert "(a guess)" in html
    assert "Evidence:</p><ul><li>the copy was paused</li>" in html
    assert "Other possible causes: a lost write." in html
    assert ">P</button>" in html
    assert data_of(html)["core"][0][1] == "P"


def test_steps_that_order_operations_are_drawn_as_a_cycle() -> None:
    found = explanation("queue")
    first, second = found.core[:2]
    steps = (
        ArgumentStep("process-order", (first, second), "", first, second),
        ArgumentStep("spec-order", (first, second), "", second, first),
    )
    html = history_page(dataclasses.replace(found, steps=steps))
    assert 'id="graph"' in html
    assert "1 process-order" in html
    assert "2 spec-order" in html
    assert 'id="graph"' not in history_page(found)  # a queue has no precedence graph of its own


def test_an_unknown_verdict_shows_where_the_search_stopped() -> None:
    html = history_page(explanation("unknown"))
    assert "The search stopped after" in html
    assert "Longest legal prefix found" in html


def test_a_verdict_without_a_history_has_a_page() -> None:
    assert "LINEARIZABLE" in history_page(linpoint.check([], "register").explain())


# Columns and times


@pytest.mark.parametrize(
    "values",
    [
        [FIRST + 1, FIRST, None, FIRST + 2**52],
        [0, 10**299, 5],
        [0.5, 1, None, 2.25],
        [FIRST, FIRST + 0.25],
        [-(10**20), 3, 1e300],
        [],
    ],
)
def test_times_are_exact(values: list[Any]) -> None:
    told = json.loads(json.dumps(times(values)))
    for at, value in enumerate(values):
        if value is None:
            assert told["values"][at] is None
        elif told["exact"]:
            assert int(told["base"]) + told["values"][at] == value
            assert told["values"][at] < 2**53
        else:
            assert told["texts"][at] == str(value)


def test_columns_describe_the_operations() -> None:
    history = linpoint.history(with_a_stale_read(200))
    verdict = linpoint.check(history, "register")
    table = columns(verdict, range(200))
    for at, op in enumerate(history):
        assert table["lanes"][table["lane"][at]] == str(op.process)
        assert table["names"][table["name"][at]] == op.name
        assert table["texts"][table["args"][at]] == ", ".join(map(str, op.args))
        told = table["texts"][table["result"][at]] if table["result"][at] >= 0 else ""
        assert told == ("" if op.name == "write" else "null" if op.result is None else str(op.result))
        assert verdict.keys[table["key"][at]].key == op.key
        assert int(table["times"]["base"]) + table["times"]["values"][at] == op.call


def test_failed_operations_keep_their_key_although_they_are_not_checked() -> None:
    rows = [
        {"process": 0, "op": "write", "args": [1], "result": None, "call": 1, "return": 2, "key": "x"},
        {"process": 0, "op": "write", "args": [2], "outcome": "failed", "call": 3, "return": 4, "key": "x"},
        {"process": 0, "op": "write", "args": [3], "result": None, "call": 5, "return": 6, "key": "y"},
    ]
    verdict = linpoint.check(linpoint.history(rows), "register")
    table = columns(verdict, range(3))
    assert table["key"][0] == table["key"][1] != table["key"][2]


def test_long_values_are_shortened_and_counted() -> None:
    verdict = linpoint.check(
        linpoint.history([linpoint.Operation(0, "write", ("x" * 10**6,), call=0, return_=1)]), "register"
    )
    (text, *_) = columns(verdict, range(1))["texts"]
    assert len(text) < 400
    assert "more characters" in text


# Omitted parts


def test_of_a_long_history_the_violation_and_its_key_are_kept_first() -> None:
    found = explained(2_000)
    chosen = choose_operations(found, most=100)
    assert len(chosen.positions) == 100
    assert set(found.core) <= set(chosen.positions)
    assert list(chosen.positions) == sorted(chosen.positions)
    assert chosen.note.startswith("This page shows 100 of 2,000 operations")
    called = sorted(found.verdict.history[position].call for position in chosen.positions)
    assert called[-1] - called[3] < 1_000 * 110  # the others are from about the time of the violation
    assert choose_operations(found).note == ""


def test_a_page_of_a_part_states_that_it_is_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    found = explained(2_000)
    monkeypatch.setattr(
        "linpoint.explain.history.history_page.choose_operations",
        lambda explanation: choose_operations(explanation, most=50),
    )
    html = history_page(found)
    data = data_of(html)
    assert "This page shows 50 of 2,000 operations" in html
    assert len(data["columns"]["lane"]) == 50
    assert [data["columns"]["position"][place] for place, _ in data["core"]] == list(found.core)


# Orders and states


def test_a_witness_is_shown_with_its_states() -> None:
    found = explanation("linearizable")
    (order,) = stepped_orders(found, everywhere(found))
    assert order["first"] == "[]"
    assert [state for _, state in order["steps"]][-1] in ("[1]", "[3]", "[]", "[1, 3]", "[3, 1]")
    assert len(order["steps"]) == len(found.verdict.witness.order)


def test_the_longest_order_ends_with_the_operations_that_cannot_come_next() -> None:
    found = explanation("register-stale-read")
    (order,) = stepped_orders(found, everywhere(found))
    assert [state for _, state in order["steps"]] == ["1", "2"]
    assert order["blocked"] == [[found.culprit.position, "the spec requires 2"]]


def test_a_nondeterministic_spec_may_be_in_several_states() -> None:
    @linpoint.spec
    class Dice:
        initial = 0

        def roll(state):
            return [(None, side) for side in range(1, 7)]

    found = linpoint.check("A: |--roll()--|", Dice).explain()
    (order,) = stepped_orders(found, everywhere(found))
    assert order["steps"] == [[0, "1 or 2 or 3 or 3 others"]]


def test_operations_lost_in_a_crash_are_named_and_undone() -> None:
    drawing = """
        A:     |--append("a")->0--| |--append("b")->1--|    |--read()->["a"]--|
        crash:                                            X
    """
    found = linpoint.check(drawing, "log", condition="buffered-durable").explain()
    (order,) = stepped_orders(found, everywhere(found))
    assert [state for _, state in order["steps"]] == [
        '["a"]',
        '["a", "b"]',
        "crash: loses the last 1 operation",
        '["a"]',
    ]


def test_each_key_has_a_state_of_its_own_under_sequential() -> None:
    rows = [
        {"process": 0, "op": "write", "args": [1], "result": None, "call": 1, "return": 2, "key": "x"},
        {"process": 0, "op": "write", "args": [2], "result": None, "call": 3, "return": 4, "key": "y"},
        {"process": 0, "op": "read", "args": [], "result": 1, "call": 5, "return": 6, "key": "x"},
    ]
    found = linpoint.check(linpoint.history(rows), "register", condition="sequential").explain()
    (order,) = stepped_orders(found, everywhere(found))
    assert [state for _, state in order["steps"]] == ['"x": 1', '"y": 2', '"x": 1']
    assert order["first"] == "null for each key"


def test_long_orders_are_shortened_and_marked() -> None:
    rows = [
        {"process": 0, "op": "write", "args": [n], "result": None, "call": 2 * n, "return": 2 * n + 1}
        for n in range(3_000)
    ]
    found = linpoint.check(linpoint.history(rows), "register").explain()
    (order,) = stepped_orders(found, everywhere(found))
    assert len(order["steps"]) == MAX_STEPS
    assert order["note"] == "The first 2,000 steps of 3,000."


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (None, "null"),
        ((1, "a"), '[1, "a"]'),
        (tuple(range(100)), "more"),
        (frozenset({2, 1}), "{1, 2}"),
        ({"k": (1, 2)}, '{"k": [1, 2]}'),
        ({"default": 0}, "{all: 0}"),
        ({"default": 0, (True, "x"): 1}, '{"x": 1, others: 0}'),
        (b"pickled", "an object of 7 bytes"),
        ({n: n for n in range(1_000)}, "968 more"),
    ],
)
def test_states_are_shortened(state: Any, text: str) -> None:
    assert text in state_text(state)
    assert len(state_text(state)) < 400


# Zones


def test_two_values_that_were_both_current_overlap() -> None:
    found = linpoint.check(
        """
        A: |--write(1)--|                  |--read()->1--|
        B:                |--write(2)--|
        C:                |--read()->1--|     |--read()->2--|
        """,
        "register",
    ).explain()
    told = {zone.name: zone for zone in value_zones(found)}
    assert told["1"].forward
    assert told["1"].span[1] > told["2"].span[0]


def test_values_that_replaced_each_other_share_a_zone() -> None:
    found = linpoint.check(
        """
        A: |--write(1)--| |--cas(1, 2)->true--|                                       |--read()->2--|
        B:                                       |--write(3)--| |--read()->3--|
        """,
        "cas-register",
    ).explain()
    assert {zone.name for zone in value_zones(found)} == {"1 → 2", "3"}


def test_only_registers_have_zones() -> None:
    assert value_zones(explanation("queue")) == []


# Downloads


@pytest.mark.parametrize(
    "case", [case for case in CASES if "paper" not in case or case in ("paper-figure-5", "paper-figure-7")]
)
def test_the_saved_minimal_history_is_a_violation_by_itself(case: str, tmp_path: Path) -> None:
    found = explanation(case)
    if found.verdict.status is not linpoint.Status.VIOLATION:
        assert minimal_lines(found) == ""
        return
    path = tmp_path / "minimal.jsonl"
    path.write_text(minimal_lines(found))
    again = linpoint.check(linpoint.load(path), found.verdict.spec, condition=found.verdict.condition)
    assert again.status is linpoint.Status.VIOLATION


def test_a_violation_by_counting_is_saved_with_all_counted_operations() -> None:
    rows: list[dict[str, Any]] = [
        {"process": n % 3, "op": "increment", "args": [], "result": None, "call": 10 * n, "return": 10 * n + 5}
        for n in range(100)
    ]
    rows.append({"process": 9, "op": "read", "args": [], "result": 7, "call": 2_000, "return": 2_010})
    found = linpoint.check(linpoint.history(rows), "counter").explain()
    saved = [json.loads(line) for line in minimal_lines(found).splitlines()]
    assert linpoint.check(linpoint.history(saved), "counter").status is linpoint.Status.VIOLATION


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--spec", "queue", "--keyed", "yes"], "--spec queue"),
        (["--spec", "queue(capacity=8)"], "--spec 'queue(capacity=8)'"),
        (["--format", "csv", "--spec", "q", "--report", "o.html", "--paper-rules"], "--spec q --paper-rules"),
        (["--spec", "s.py:X", "--initial", "-1", "--clock-skew", "5ms"], "--spec s.py:X --initial -1 --clock-skew 5ms"),
        (["--spec", "it's \x1b\udcff.py:X"], "--spec $'it\\'s \\x1b\\xff.py:X'"),
        (["--format", "--columns", "--spec", "q"], "--spec q"),
        ([], "--spec register --condition linearizable"),
    ],
)
def test_the_command_for_the_minimal_history_is_shown(arguments: list[str], expected: str) -> None:
    command = f"linpoint check minimal.jsonl {expected}"
    found = explanation("register-stale-read")
    assert minimal_command(found, arguments) == command
    assert escape(command) in found.as_html(file=expected, arguments=arguments)


@pytest.mark.parametrize(("call", "skew", "word"), [(1, 3, "3"), (0.5, 0.00005, "0.00005")])
def test_the_command_for_the_minimal_history_keeps_the_clock_skew(call: float, skew: float, word: str) -> None:
    read = {"process": 0, "op": "read", "args": [], "result": 2, "call": call, "return": 2 * call}
    found = linpoint.check(linpoint.history([read]).with_clock_skew(skew), "register").explain()
    assert minimal_command(found, ()).endswith(f" --spec register --condition linearizable --clock-skew {word}")


def test_commands_on_a_page_are_never_shortened() -> None:
    spec = f"{'folder/' * 1_000}s.py:X"
    shown = explanation("register-stale-read").as_html(
        arguments=["--spec", spec], command=f"c {spec}", replay=f"r {spec}"
    )
    assert shown.count(f"{spec}</code>") == 3


# Escaping


def test_text_is_escaped_in_markup_and_in_scripts() -> None:
    assert str(render_text('<a b="c">&\u202e\ud800\n')) == "&lt;a b=&#34;c&#34;&gt;&amp;\\u202e\\ud800\\x0a"
    assert plain("x" * 50, 10) == "xxxxxxxxxx… (40 more characters)"
    data = script_data({"text": "</script><!--\u2028\ud800&"})
    assert "<" not in data
    assert data.isascii()
    assert json.loads(data) == {"text": "</script><!--\u2028\ud800&"}


def test_an_explanation_returns_its_page() -> None:
    found = linpoint.check("A: |--write(1)--| |--read()->2--|", "register").explain()
    assert found.as_html(file="here.jsonl") == history_page(found, file="here.jsonl")


def test_operations_of_the_cause_only_are_listed_apart_from_the_minimal_history() -> None:
    history, spec, _ = CAUSES["hidden-retry"]
    shown = linpoint.check(history, spec).explain().as_html()
    first, _, below = shown.partition('id="timeline"')
    assert "Evidence for the likely cause" in first
    assert "cas(1, 2) -&gt; failed" in first.partition("Evidence for the likely cause")[2]
    assert "Evidence for the likely cause" not in below


def test_faults_between_the_operations_are_drawn() -> None:
    history, spec, _ = CAUSES["lost-after-crash"]
    drawn = linpoint.check(history, spec).explain().as_html().partition('id="timeline"')[0]
    assert drawn.count('class="crash fault"') == 2
    assert "kill -9 n1" in drawn
    many = [*history, *({"annotation": f"tick {time}", "time": time} for time in range(16, 40))]
    assert 'class="crash fault"' not in linpoint.check(many, spec).explain().as_html()


def test_the_legend_names_the_operations() -> None:
    shown = linpoint.check("A: |--write(1)--| |--read()->2--|", "register").explain().as_html()
    assert '<i class="swatch op-0"></i>write</li><li><i class="swatch op-1"></i>read</li>' in shown
