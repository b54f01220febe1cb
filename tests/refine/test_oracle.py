# SPDX-License-Identifier: Apache-2.0
"""The oracle of refinement is correct on hand-counted models, and agrees with ``linpoint.check`` on histories."""

from __future__ import annotations

import ast
from functools import cache

import pytest

import linpoint
from tests.refine.oracle.generation import RandomModel, random_model
from tests.refine.oracle.language import (
    Assert,
    FieldDeclaration,
    LockDeclaration,
    NodeDeclaration,
    Operation,
)
from tests.refine.oracle.model_builder import (
    FENCE,
    POINT,
    cas,
    cell,
    fetch_add,
    field,
    forever,
    give,
    holding,
    let,
    load,
    load_linked,
    new,
    op,
    operation,
    store,
    store_conditional,
    when,
)
from tests.refine.oracle.progress import progress_of
from tests.refine.oracle.rules import Local, Rules
from tests.refine.oracle.runs import history_of, random_runs, spec_of
from tests.refine.oracle.small_models import small
from tests.refine.oracle.state_enumerator import OracleAnswer, explore, graph_of

COUNTER = "initial = 0\ndef bump(state):\n    return state, state + 1\ndef read(state):\n    return state, state"
SILENT = "initial = 0\ndef bump(state):\n    return None, state + 1"


@cache
def answer(seed: int) -> OracleAnswer:
    return explore(random_model(seed))


def plain(subject: RandomModel) -> OracleAnswer:
    return explore(subject, fusion=False, local=Local.FREE)


# -- counted by hand


def test_two_processes_with_one_step_each_have_the_square_of_states() -> None:
    subject = small(SILENT, cell("x"), operation("bump", let("old", fetch_add("x", 1)), give()))
    found = explore(subject)
    # Each process has taken its step or not; the cell has the number of those that have.
    assert (found.implementation_states, found.states) == (4, 4)
    assert (found.implementation_orbits, found.orbits) == (3, 3)
    found = plain(subject)
    # Each is idle, called, after its step or finished.
    assert (found.implementation_states, found.states) == (16, 16)
    assert (found.implementation_orbits, found.orbits) == (10, 10)


def test_a_lost_update_takes_four_steps_and_two_switches() -> None:
    body = (let("old", load("x")), store("x", op("old", "+", 1)), give("old"))
    subject = small(COUNTER, cell("x"), operation("bump", *body))
    found = explore(subject)
    assert (found.verdict, found.length, found.switches) == ("violation", 4, 2)
    assert [event[0] for event in found.events] == ["call", "call", "return", "return"]
    # Both idle; one has loaded (2); both have; one has finished (2), the other having loaded before (2) or after (2);
    # both have finished, one after the other or not.
    assert found.implementation_states == 12
    assert found.implementation_orbits == 8
    assert plain(subject).length == 4


def test_dead_variables_are_not_part_of_a_state() -> None:
    forgets = small(SILENT, cell("x"), operation("bump", let("old", load("x")), store("x", 1), give()))
    # After its load a process has no variable to keep: idle, loaded, finished; the cell says whether any has finished.
    assert explore(forgets).implementation_states == 9


def test_operands_are_computed_with_the_step_before() -> None:
    halves = small(SILENT, cell("x", 3), operation("bump", store("x", op(load("x"), "//", 2)), give()), processes=1)
    assert {block[1] for _, _, (block,) in graph_of(halves, local=Local.STEPS).states} == {(), (1,)}


def test_possible_spec_states_distinguish_equal_model_states() -> None:
    # The cell is not read again, but the spec knows whose value won.
    subject = small(
        "initial = 0\ndef put(state, v):\n    return None, v",
        cell("x"),
        operation("put", store("x", 1), give(), v=(1, 2)),
        processes=1,
    )
    found = explore(subject)
    assert (found.implementation_states, found.states) == (2, 3)


def test_three_processes_have_as_many_orbits_as_multisets() -> None:
    subject = small(SILENT, cell("x"), operation("bump", let("old", fetch_add("x", 1)), give()), processes=3)
    assert (explore(subject).states, explore(subject).orbits) == (8, 4)
    assert (plain(subject).implementation_states, plain(subject).implementation_orbits) == (64, 20)


def test_only_processes_of_one_role_are_exchanged() -> None:
    mine, yours = (operation(name, let("old", fetch_add("x", 1)), give(), role=name) for name in ("left", "right"))
    spec = "initial = 0\ndef left(state):\n    return None, state\ndef right(state):\n    return None, state"
    subject = small(spec, cell("x"), mine, yours, processes=3)  # left, right, left
    assert (explore(subject).states, explore(subject).orbits) == (8, 6)


# -- primitives of the language


def test_accesses_inside_an_expression_are_steps() -> None:
    sum_of_two = give(op(load("x"), "+", op(load("x"), "*", 0)))
    subject = small(COUNTER, cell("x"), operation("bump", store("x", load("x")), sum_of_two))
    found = explore(subject)
    assert (found.verdict, found.length) == ("violation", 8)


def test_reading_a_cell_that_is_never_written_is_not_a_step() -> None:
    subject = small(COUNTER, cell("x"), operation("bump", give(load("x"))))
    found = explore(subject)
    assert (found.verdict, found.length) == ("violation", 0)


def test_true_differs_from_1() -> None:
    subject = small("initial = 0\ndef ask(state):\n    return True, 0", cell("x", 1), operation("ask", give(load("x"))))
    assert explore(subject).verdict == "violation"
    subject = small(
        "initial = 0\ndef ask(state):\n    return True, 0", cell("x", True), operation("ask", give(load("x")))
    )
    assert explore(subject).verdict == "linearizable"


def test_store_conditional_fails_after_any_write() -> None:
    # Another process writes the same value back: a cas would not notice.
    linked = (let("old", load_linked("x")), give(store_conditional("x", 0)))
    spec = "initial = 0\ndef try_it(state):\n    return [(True, 0), (False, 0)]\ndef touch(state):\n    return None, 0"
    subject = small(spec, cell("x"), operation("try_it", *linked), operation("touch", store("x", 0), give()))
    results = {event[2] for arcs in graph_of(subject).arcs for arc in arcs for event in arc.events if len(event) == 3}
    assert results == {"true", "false", None}
    alone = small(spec, cell("x"), operation("try_it", *linked))
    assert {e[2] for arcs in graph_of(alone, processes=1).arcs for arc in arcs for e in arc.events if len(e) == 3} == {
        "true"
    }


def test_a_return_inside_with_reads_its_value_before_the_release() -> None:
    body = holding("m", let("old", load("x")), store("x", op("old", "+", 1)), give(op(load("x"), "-", 1)))
    subject = small(COUNTER, cell("x"), LockDeclaration("m"), operation("bump", body), operations=2)
    assert explore(subject).verdict == "linearizable"
    alone = graph_of(subject, processes=1, operations=1, local=Local.STEPS)
    assert len(alone.states) == 6  # acquire, load, store, load, release
    assert alone.states[-1][0] == (1, "false")


def test_a_process_departs_only_after_it_has_arrived() -> None:
    spec = "initial = 0\ndef arrive(state):\n    return None, state + 1\ndef depart(state):\n    return None, state - 1"
    arrive = operation("arrive", let("n", fetch_add("x", 1)), give())
    depart = operation("depart", let("n", fetch_add("x", -1)), give(), pairs_with="arrive")
    subject = small(spec, cell("x"), arrive, depart)
    counts = [
        {state[0][0] for state in graph_of(subject, processes=1, operations=operations).states}
        for operations in (1, 2, 3)
    ]
    assert counts == [{0, 1}, {0, 1, 2}, {0, 1, 2, 3}]


def test_a_failed_assertion_is_found_at_its_place() -> None:
    body = (let("old", fetch_add("x", 1)), Assert(op("old", "==", 0)), give())
    found = explore(small(SILENT, cell("x"), operation("bump", *body)))
    assert (found.verdict, found.length) == ("assertion", 2)


NODE = NodeDeclaration("Node", (FieldDeclaration("value", "int"), FieldDeclaration("next", "Node")))
STACK = (
    "initial = ()\ndef push(state, v):\n    return None, (*state, v)\n"
    "def pop(state):\n    return (state[-1], state[:-1]) if state else (None, state)"
)
TREIBER = (
    NODE,
    cell("top", None, of="Node"),
    operation(
        "push",
        let("node", new(value="v")),
        forever(
            let("top", load("top")), store(field("node", "next"), "top"), when(cas("top", "top", "node"), POINT, give())
        ),
        v=(1,),
    ),
    operation(
        "pop",
        forever(
            let("top", load("top")),
            when(op("top", "is", None), POINT, give()),
            when(cas("top", "top", load(field("top", "next"))), POINT, give(load(field("top", "value")))),
        ),
    ),
)


def test_writing_unpublished_nodes_is_not_a_step() -> None:
    subject = small(STACK, *(part for part in TREIBER if part is not TREIBER[-1]))  # pushes only
    # Alone a push is idle, has loaded, has written next, is finished.
    assert len(graph_of(subject, processes=1, local=Local.STEPS).states) == 4
    # Both idle; one has loaded (2), or both; one is finished (2). Then the other may have loaded before it (2), failed
    # and be about to load again (2), or have loaded after it (2). Both are finished.
    both = graph_of(subject)
    assert len(both.states) == 1 + 2 + 1 + 2 + 2 + 2 + 2 + 1
    assert {arc.cost for arcs in both.arcs for arc in arcs} == {1}
    assert {arc.cost for arcs in graph_of(subject, local=Local.FREE).arcs for arc in arcs} == {0, 1}


def test_nodes_are_numbered_by_their_path() -> None:
    node = NodeDeclaration("Node", (FieldDeclaration("value", "int"),))
    spec = "initial = 0\ndef put(state, v):\n    return None, v"
    put = operation("put", let("node", new(value="v")), store("p", "node"), give(), v=(1, 2))
    subject = small(spec, node, cell("p", None, of="Node"), put)
    # Only the last node remains: which processes have finished, and which value the last one wrote.
    assert explore(subject).implementation_states == 1 + 2 * 2 + 2
    assert all(len(heap) <= 1 for _, heap, _ in graph_of(subject).states)


def test_accesses_to_a_cell_of_one_process_cost_nothing() -> None:
    noted = (store("sent", op(load("sent"), "+", 1)), store("x", "v"), give())
    spec = "initial = 0\ndef put(state, v):\n    return None, v\ndef read(state):\n    return state, state"
    put = operation("put", *noted, role="writer", v=(1,))
    read = operation("read", give(op(load("x"), "*", 2)), role="reader")
    subject = small(spec, cell("sent"), cell("x"), put, read)
    assert explore(subject).length == 2
    assert explore(subject, local=Local.STEPS).length == 4
    assert explore(subject, processes=3).length == 2 + 2  # another writer: left to right, two loads and a store


# -- store buffers


FLAGS = (
    cell("x"),
    cell("y"),
    operation("left", store("x", 1), give(load("y")), role="left"),
    operation("right", store("y", 1), give(load("x")), role="right"),
)
NOT_BOTH = """
initial = (0, 0)
def left(state):
    return [(seen, (1, state[1])) for seen in (0, 1) if seen or not state[1]]
def right(state):
    return [(seen, (state[0], 1)) for seen in (0, 1) if seen or not state[0]]
"""


def test_two_flags_fail_only_under_tso() -> None:
    subject = small(NOT_BOTH, *FLAGS)
    assert explore(subject).verdict == "linearizable"
    found = explore(subject, memory_model="tso")
    assert (found.verdict, found.length) == ("violation", 4)


def test_a_fence_fixes_the_flags() -> None:
    fenced = tuple(
        operation(part.name, part.body[0], FENCE, *part.body[1:], role=part.role)
        if isinstance(part, Operation)
        else part
        for part in FLAGS
    )
    assert explore(small(NOT_BOTH, *fenced, memory_model="tso")).verdict == "linearizable"


def test_only_the_process_itself_reads_its_buffer() -> None:
    spec = "initial = 0\ndef put(state):\n    return None, 1\ndef read(state):\n    return state, state"
    put, read = operation("put", store("x", 1), give()), operation("read", give(load("x")))
    subject = small(spec, cell("x"), put, read, memory_model="tso", operations=2)
    assert explore(subject, processes=1).verdict == "linearizable"
    found = explore(subject)
    assert (found.verdict, found.length) == ("violation", 2)
    # One store in the buffer, flushed or not, and nothing to read: idle, buffered, flushed.
    assert (
        explore(small(spec, cell("x"), put, memory_model="tso"), processes=1, local=Local.STEPS).implementation_states
        == 3
    )


def test_flushes_cost_what_the_rules_define() -> None:
    spec = "initial = 0\ndef put(state):\n    return None, 1\ndef read(state):\n    return 0, state"
    put, read = operation("put", store("x", 1), give()), operation("read", give(load("x")))
    subject = small(spec, cell("x"), put, read, memory_model="tso")
    assert explore(subject).length == 3
    assert explore(subject, rules=Rules(flush_cost=0)).length == 2


# -- linearization points


def test_correct_points_decide_the_model() -> None:
    subject = small(STACK, *TREIBER, operations=2)
    assert subject.has_points
    with_points = explore(subject, points=True)
    assert with_points.verdict == explore(subject).verdict == "linearizable"
    assert (with_points.orbits or 0) < (with_points.states or 0)


def test_a_misplaced_point_decides_nothing() -> None:
    bump = operation("bump", let("old", fetch_add("x", 1)), POINT, give("old"))
    late = operation("read", let("value", load("x")), let("again", load("x")), POINT, give("value"))
    subject = small(COUNTER, cell("x"), bump, late)
    assert explore(subject, points=True).verdict == "inconclusive"
    assert explore(subject).verdict == "linearizable"


# -- random models


def test_the_same_seed_gives_the_same_model() -> None:
    assert random_model(11) == random_model(11)
    assert len({random_model(seed).source for seed in range(40)}) == 40


@pytest.mark.parametrize("seed", range(0, 200, 10))
def test_sources_are_python_with_a_model_and_a_spec(seed: int) -> None:
    subject = random_model(seed)
    classes = [each.name for each in ast.parse(subject.source).body if isinstance(each, ast.ClassDef)]
    assert classes == [subject.spec_name, subject.name]
    assert set(spec_of(subject.model).steps) == {each.name.replace("_", "-") for each in subject.model.operations}


@pytest.mark.parametrize("seed", range(40))
def test_histories_of_runs_agree_with_check(seed: int) -> None:
    subject = random_model(seed)
    spec = spec_of(subject.model)
    found = answer(seed)
    if found.verdict == "violation":
        verdict = linpoint.check(history_of(found.events), spec, checker="brute-force")
        assert verdict.status is linpoint.Status.VIOLATION
        before = linpoint.check(history_of(found.events[:-1]), spec, checker="brute-force")
        assert before.status is linpoint.Status.LINEARIZABLE
    for events, refused in random_runs(subject, runs=15, seed=seed):
        wanted = linpoint.Status.VIOLATION if refused else linpoint.Status.LINEARIZABLE
        assert linpoint.check(history_of(events), spec, checker="brute-force").status is wanted, events
        assert not refused or found.verdict == "violation"


@pytest.mark.parametrize("seed", range(40, 70))
def test_all_ways_to_count_steps_agree_on_violations(seed: int) -> None:
    subject = random_model(seed)
    fused, whole = answer(seed), plain(subject)
    assert (fused.verdict, fused.length) == (whole.verdict, whole.length)
    stepwise = explore(subject, local=Local.STEPS)
    assert stepwise.verdict == fused.verdict
    assert (stepwise.length or 0) >= (fused.length or 0)
    assert stepwise.implementation_states >= fused.implementation_states
    if fused.states is not None and fused.orbits is not None:
        assert fused.orbits <= fused.states
        assert len(subject.model.roles) > 1 or fused.orbits * subject.processes >= fused.states / 3
    if subject.has_points:
        points = explore(subject, points=True)
        assert points.verdict == "inconclusive" or fused.verdict == "linearizable"


def test_a_model_without_a_mistake_is_correct_without_buffers() -> None:
    for seed in range(150):
        subject = random_model(seed)
        mistaken = "broken" in subject.style or set(subject.mutations) - {"point misplaced"}
        if not mistaken and subject.memory_model == "sc":
            assert answer(seed).verdict == "linearizable", subject.source


def test_about_a_third_of_the_models_are_violations() -> None:
    verdicts = [answer(seed).verdict for seed in range(70)]
    assert 15 <= verdicts.count("violation") <= 32
    assert verdicts.count("violation") + verdicts.count("linearizable") == len(verdicts)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(500))
def test_every_seed_gives_a_small_model_with_steps(seed: int) -> None:
    whole = plain(random_model(seed))
    found = answer(seed)
    assert (found.verdict, found.length) == (whole.verdict, whole.length)
    assert not found.stepless
    assert max(whole.implementation_states, whole.states or 0) <= 35_000
    progress_of(random_model(seed))
