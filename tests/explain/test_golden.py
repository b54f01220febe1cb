# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N805 - the first argument of a step is the state
"""The texts that users read, word for word. The golden texts are in ``golden/``; read each change as a user would."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint.explain.history.reasons import CAUSES as ALL_CAUSES
from linpoint.specs.builtin import BUILT_IN
from tests.checkers.test_monitor_patterns import REASONS, condition_of, recorded
from tests.cli.conftest import hard
from tests.explain.cases import CAUSES, SPECS, Case


@linpoint.spec
class Coin:
    initial = "none"

    def flip(state):
        return [("heads", "heads"), ("tails", "tails")]

    def look(state):
        return state, state


KEYS = [
    {"process": 0, "op": "write", "args": [1], "result": None, "call": 1, "return": 2, "key": "x"},
    {"process": 0, "op": "write", "args": [2], "result": None, "call": 3, "return": 4, "key": "y"},
    {"process": 1, "op": "read", "result": 1, "call": 3, "return": 6, "key": "x"},
    {"process": 2, "op": "write", "args": [3], "result": None, "call": 5, "return": 6, "key": "y"},
    {"process": 0, "op": "write", "args": [5], "result": None, "call": 5, "return": 7, "key": "z"},
    {"process": 1, "op": "read", "result": 2, "call": 8, "return": 9, "key": "y"},
    {"process": 2, "op": "read", "result": None, "call": 10, "return": 11, "key": "z"},
]

GRAPH: dict[str, Any] = {"checker": "graph"}

# A long chain; the operation before the last claims that the expected value was already gone.
CHAIN = [
    {"process": n % 3, "op": "mwcas", "args": [[[7, n, n + 1]]], "result": True, "call": 10 * n, "return": 10 * n + 5}
    for n in range(40)
]
CHAIN.insert(
    39, {"process": 9, "op": "mwcas", "args": [[[7, 39, 99]]], "result": {"at": 7}, "call": 386, "return": 389}
)

CASES: dict[str, Case] = {
    "queue": (
        """
        A: |--enqueue(1)--|                    |--dequeue()->2--|
        B:                   |--enqueue(2)--|
        C:                          |--enqueue(3)--|     |--dequeue()->3--|
        """,
        "queue",
        {},
    ),
    "register-stale-read": (
        """
        A: |--write(1)--|                    |--read()->1--|
        B:                |--write(2)--|
        """,
        "register",
        {},
    ),
    "register-first-value": (
        "A: |--read()->0--| |--write(1)--|\nB:                     |--read()->0--|",
        "register",
        {},
    ),
    "lowe-map": (
        """
        1: |--put(0, 0)---------------------------------------------------|   |--get(0)->2--|
        0:   |--delete(0)--|  |--put(0, 2)--|  |--delete(0)--|
        """,
        "map",
        {},
    ),
    "unknown-outcome": (
        """
        A: |--increment()--...
        B:                       |--read()->1--| |--read()->0--|
        """,
        "counter",
        {},
    ),
    "mutex-not-a-legal-step": (
        """
        A: |--acquire()--|                     |--release()--|
        B:                  |--acquire()--|
        """,
        "mutex",
        {},
    ),
    "stack-empty": ("A: |--push(1)--| |--pop()--|", "stack", {}),
    "mwcas-torn-read": (
        """
        A: |--mwcas([["x", 0, 1], ["y", 0, 1]])->true--|
        B:   |--read(["x", "y"])->[1, 0]--|
        """,
        "mwcas",
        {},
    ),
    "strict": (
        """
        A:     |--write(1)--...
        B:                          |--read()--|   |--read()->1--|
        crash:                   X
        """,
        "register",
        {"condition": "strict"},
    ),
    "durable": (
        """
        A:     |--enqueue(1)--|        |--dequeue()--|
        B:       |--enqueue(2)--...
        crash:                       X
        """,
        "queue",
        {},
    ),
    "buffered-durable": (
        """
        A:     |--append("a")->0--| |--append("b")->1--|    |--read()->["b"]--|
        crash:                                            X
        """,
        "log",
        {"condition": "buffered-durable"},
    ),
    "sequential": (
        """
        A: |--write(1)--| |--read()->2--|
        B: |--write(2)--| |--read()->1--|
        """,
        "register",
        {"condition": "sequential"},
    ),
    "keys": (KEYS, "register", {}),
    "users-spec": ('A: |--flip()->"heads"--| |--look()->"tails"--|', Coin, {}),
    "linearizable": (
        """
        A: |--enqueue(1)--|          |--dequeue()->2--|
        B:        |--enqueue(2)--|
        C:   |--enqueue(3)--...
        """,
        "queue",
        {},
    ),
    "linearizable-durable": (
        """
        A:     |--write(1)--...
        B:                          |--read()->1--|
        crash:                   X
        """,
        "register",
        {},
    ),
    "linearizable-but-untested": ("A: |--read()--| |--read()--|", "register", {}),
    "unknown": (hard(), "queue", {"max_memory": "1M", "jobs": 1}),
    # Figures of Cepeda et al., OPODIS 2019, as its sections 5 and 6.2 describe them. B is swapped from 1 to 2 while
    # both are read, and before that.
    "paper-figure-4": (
        """
        p1: |--mwcas([["A", 0, 1], ["B", 0, 1]])->true--| |--mwcas([["B", 1, 2]])->true--|
        p2:                                                 |--read(["A", "B"])->[1, 1]--| |--mwcas([["A", 1, 2]])->true--|
        """,
        "mwcas",
        GRAPH,
    ),
    "paper-figure-5": (
        """
        p1: |--mwcas([["A", 0, 1], ["B", 0, 1]])->true--| |--mwcas([["B", 1, 2]])->true--|
        p2:                                                                                |--read(["A", "B"])->[1, 1]--|
        """,
        "mwcas",
        GRAPH,
    ),
    # B is swapped before A, and an operation in between fails: because of B, and then because of A.
    "paper-figure-6": (
        """
        p1: |--mwcas([["A", 0, 1], ["B", 0, 1]])->true--| |--mwcas([["B", 1, 2]])->true--|                                                     |--mwcas([["A", 1, 2]])->true--|
        p2:                                                 |--read(["A", "B"])->[1, 1]--| |--mwcas([["A", 1, 3], ["B", 1, 3]])->{"at": "B"}--|
        """,
        "mwcas",
        GRAPH,
    ),
    "paper-figure-7": (
        """
        p1: |--mwcas([["A", 0, 1], ["B", 0, 1]])->true--| |--mwcas([["B", 1, 2]])->true--|                                                     |--mwcas([["A", 1, 2]])->true--|
        p2:                                                 |--read(["A", "B"])->[1, 1]--| |--mwcas([["A", 1, 3], ["B", 1, 3]])->{"at": "A"}--|
        """,
        "mwcas",
        GRAPH,
    ),
    # Codebase B, figures 10 and 11: the update from i2 to i3 is lost.
    "paper-figure-10": (
        """
        t0: |--mwswap([["A", "i2"]])->["i1"]--| |--mwswap([["A", "i3"]])->["i2"]--|
        t1:                                        |--mwswap([["A", "i4"]])->["i2"]--|
        """,
        'mwcas(initial="i1")',
        GRAPH,
    ),
    # Codebase A, figures 12 and 13: t1 fails correctly, and disturbs t2, which shares no word with t0.
    "paper-figure-12": (
        """
        t0: |--read(["A", "B", "C", "D"])->[0, 0, 0, 0]--| |--mwcas([["B", 0, 1], ["A", 0, 1]])->true--|
        t1:                                                   |--mwcas([["C", 0, 2], ["A", 0, 2]])->{"at": "A"}--|
        t2:                                                      |--mwcas([["C", 0, 3], ["D", 0, 3]])->{"at": "C"}--|
        """,
        "mwcas",
        GRAPH,
    ),
    "graph-dangling-read": ('p: |--mwcas([["x", 0, 1]])->true--| |--read(["x"])->[7]--|', "mwcas", GRAPH),
    "graph-read-before-write": (
        """
        p: |--read(["x"])->[1]--|
        q:                        |--mwcas([["x", 0, 1]])->true--|
        """,
        "mwcas",
        GRAPH,
    ),
    "graph-recoverable": (
        """
        p:     |--mwcas([["x", 0, 1]])--...        |--read(["x"])->[0]--|
        q:                                                                |--read(["x"])->[1]--|
        crash:                               X
        """,
        "mwcas",
        GRAPH | {"condition": "recoverable"},
    ),
    "graph-disconnected-cas": (
        """
        p: |--cas(0, 1)->true--|
        q:                        |--read()->1--| |--cas(1, 3)->false--|
        """,
        "cas-register(initial=0)",
        GRAPH,
    ),
    # q first fails because p has written y, and then as if p had not.
    "graph-two-failures": (
        """
        p: |-----------------------mwcas([["y", 0, 1]])->true-------------------------|
        q:    |--mwcas([["y", 0, 2]])->{"at": "y"}--| |--mwcas([["y", 1, 3]])->{"at": "y"}--|
        """,
        "mwcas",
        GRAPH,
    ),
    "graph-failed-in-a-long-log": (CHAIN, "mwcas", GRAPH),
    "graph-does-not-apply": ('A: |--mwcas([["x", 0, 0]])->true--| |--read(["x"])->[0]--|', "mwcas", GRAPH),
}


CASES |= {f"spec-{name}": case for name, case in SPECS.items()}
CASES |= {f"cause-{name}": (*case[:2], {"checker": "auto"}) for name, case in CAUSES.items()}
CASES |= {
    f"pattern-{reason}": (recorded(text), spec, {"checker": "monitor", "condition": condition_of(reason)})
    for reason, ((spec, _, text), *_) in REASONS.items()
}


def explanation(case: str) -> linpoint.Explanation:
    history, spec, options = CASES[case]
    return linpoint.check(history, spec, **{"checker": "dfs"} | options).explain()  # type: ignore[no-any-return]


@pytest.mark.parametrize("case", CASES)
def test_the_text_matches_its_golden_file(case: str, golden: Callable[[str, str], None]) -> None:
    golden(case, explanation(case).text)


def test_every_golden_text_has_its_case() -> None:
    assert {path.stem for path in (Path(__file__).parent / "golden").glob("*.txt")} == set(CASES)


def test_every_built_in_spec_has_a_golden_violation() -> None:
    violated = [case for case in CASES if sentence(case).startswith("VIOLATION")]
    assert {explanation(case).verdict.spec.name.partition("(")[0] for case in violated} >= set(BUILT_IN)


@pytest.mark.parametrize("cause", CAUSES)
def test_the_likeliest_cause_comes_first(cause: str) -> None:
    """Other causes may be suggested, but not first; each has evidence that names operations of the history."""
    found = explanation(f"cause-{cause}")
    assert found.causes[0].cause == cause, found.text
    assert found.causes[0].evidence
    for evidence in found.causes[0].evidence:
        assert all(0 <= position < len(found.verdict.history) for position in evidence.operations)
    assert "(a guess)" in found.text


def test_every_cause_has_its_history() -> None:
    assert set(CAUSES) == set(ALL_CAUSES)


def sentence(case: str) -> str:
    return explanation(case).text.splitlines()[0]


def test_the_example_of_lowe_states_the_allowed_results() -> None:
    assert "get(0) by process 1 returned 2" in sentence("lowe-map")
    assert "every valid order requires 0 or absent" in sentence("lowe-map")


def test_an_initial_value_that_would_help_is_suggested_but_not_assumed() -> None:
    found = explanation("register-first-value")
    assert found.verdict.status is linpoint.Status.VIOLATION
    assert found.other_initial == (0,)
    assert "A different initial value would remove this violation: --initial '0'." in found.text


def test_the_sentence_names_the_verdict_first() -> None:
    for case in CASES:
        verdict = explanation(case).verdict.status.name
        assert sentence(case).startswith(f"{verdict}: ")


def test_an_empty_result_is_not_reported_as_null() -> None:
    assert "returned empty" in sentence("stack-empty")
    assert "every valid order requires 1" in sentence("stack-empty")


@pytest.mark.parametrize("operation", ["pop-front", "pop_front", "pop-back", "pop_back"])
def test_empty_results_are_recognised_in_every_spelling_of_the_operation(operation: str) -> None:
    text = linpoint.check(f"A: |--push-back(1)--| |--{operation}()--|", "deque").explain().text
    assert "returned empty" in text.splitlines()[0]


@pytest.mark.parametrize("case", ["strict", "durable", "buffered-durable", "sequential", "linearizable-durable"])
def test_a_condition_other_than_linearizable_is_named(case: str) -> None:
    found = explanation(case)
    assert found.verdict.condition in found.text.splitlines()[0]


def test_no_result_is_blamed_for_a_contradiction_of_times_and_orders() -> None:
    swapped = [
        {"process": 0, "op": "cas", "args": [1, 2], "result": False, "call": 0, "return": 5, "order": 23},
        {"process": 1, "op": "swap", "args": [1], "result": 0, "call": 12, "return": 15, "order": 13},
    ]
    found = linpoint.check(swapped, "cas-register(initial=0)", checker="graph").explain()
    assert found.culprit is None
    assert "A < B, because A returned before B was called." in found.text
    assert "However, B < A, because B has the smaller order value" in found.text


def test_a_wrongly_failed_operation_is_blamed_even_if_it_is_not_the_last() -> None:
    assert 'returned {"at": "A"}' in sentence("paper-figure-7")


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("paper-figure-5", "cycle"),
        ("paper-figure-7", "cycle"),
        ("paper-figure-10", "fork"),
        ("paper-figure-12", "disconnected-failure"),
        ("graph-dangling-read", "dangling-read"),
        ("graph-read-before-write", "read-before-write"),
    ],
)
def test_a_graph_states_its_reason(case: str, reason: str) -> None:
    found = explanation(case)
    assert found.precedence is not None
    assert found.precedence.reason == reason
    assert found.as_dict()["telling"] == list(found.precedence.operations)
    for links in found.as_dict()["contradictions"]:
        assert all(set(link) >= {"source", "target", "because"} for link in links)


def test_effects_of_unknown_operations_are_considered_possible() -> None:
    """The increment may have taken effect, so reading 1 was legal; reading 0 after it was not."""
    found = explanation("unknown-outcome")
    assert "read() by process B returned 0" in sentence("unknown-outcome")
    assert {1, 2} <= set(found.core)


def test_results_that_the_history_explains_are_not_blamed() -> None:
    """append("b") had index 1, because append("a") came first; the read without "a" was wrong."""
    found = explanation("buffered-durable")
    assert 2 in found.core
    assert "append" not in sentence("buffered-durable")


def test_statements_about_the_remaining_operations_are_true() -> None:
    """Without write(1) the rest would still be a violation: no operation wrote the 1 that was read."""
    assert "none of them can be removed" not in explanation("register-stale-read").text


def test_keys_in_violation_are_all_named() -> None:
    text = explanation("keys").text
    assert '"y"' in text
    assert '"z"' in text
    assert '"x"' not in text


def test_an_order_is_shown_for_a_linearizable_history() -> None:
    text = explanation("linearizable").text
    order = text.partition("Witness order: ")[2].splitlines()[0].rstrip(".").split("; ")
    assert order.index("enqueue(2)") < order.index("enqueue(1)") < len(order)
    assert order.index("enqueue(2)") < order.index("dequeue() -> 2")


def test_a_vacuous_history_has_warnings() -> None:
    assert explanation("linearizable-but-untested").text.count("Warning: ") == 2


def test_unknown_states_the_reason_and_the_progress() -> None:
    assert "memory budget ran out" in sentence("unknown")
    assert "of 60 operations" in sentence("unknown")


def test_printing_an_explanation_gives_its_text() -> None:
    found = explanation("queue")
    assert str(found) == found.text
    assert found.as_dict()["text"] == found.text
    assert found.as_dict()["operations"]
    assert found.as_dict()["minimal"] is True
