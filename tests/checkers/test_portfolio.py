# SPDX-License-Identifier: Apache-2.0
"""Portfolios of searches: which answered and why, that none starves another, and reports of interrupted searches."""

from __future__ import annotations

import json
import random
import re
from collections import deque
from collections.abc import Sequence
from typing import Any

import pytest

import linpoint
from linpoint import History, Operation, Outcome, Status
from linpoint.checkers._native_search import SearchStatus, StopReason, StopToken, depth_first, linear
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.portfolio import Portfolio, PortfolioAnswer
from linpoint.executors.thread_executor import resident_memory
from linpoint.verdicts import PartialSearch, Witness
from tests.checkers.plain_certify import refusals
from tests.processor_time import ProcessorTime

CAS = linpoint.specs.cas_register


def lost_calls(operations: int, unknown: int, seed: int, *, bad: bool = True) -> History:
    """A CAS register whose first calls never return, and finally a read of a value that no operation wrote.

    Each operation takes effect at a hidden moment between its call and its return.
    """
    rng = random.Random(seed)
    value: Any = None
    clock = started = 0
    names = [*range(5)]
    lost = {*rng.sample(range(operations // 8), unknown)}
    open_calls: dict[int, tuple[int, int, tuple[str, tuple[int, ...], Any] | None]] = {}
    ops: list[Operation] = []
    while started < operations or open_calls:
        clock += 1
        slot = rng.randrange(len(names))
        if slot not in open_calls:
            if started < operations:
                open_calls[slot] = (started, clock, None)
                started += 1
            continue
        number, call, effect = open_calls[slot]
        if effect is None:
            a, b = rng.randrange(5), rng.randrange(5)
            name = rng.choice(["read", "write", "cas"])
            if name == "read":
                effect = (name, (), value)
            elif name == "write":
                effect, value = (name, (a,), None), a
            else:
                effect, value = (name, (a, b), value == a), b if value == a else value
            open_calls[slot] = (number, call, effect)
            continue
        del open_calls[slot]
        name, args, result = effect
        if number in lost:
            ops.append(Operation(names[slot], name, args, None, call, None, Outcome.UNKNOWN))
            names[slot] = max(names) + 1
        else:
            ops.append(Operation(names[slot], name, args, result, call, clock))
    if bad:
        ops.append(Operation("last", "read", (), 99, clock + 1, clock + 2))
        # If no operation writes the value, the monitor refutes the read without a search.
        ops.append(Operation("last", "write", (99,), None, clock + 3, clock + 4))
    return History(ops)


def crowded_queue() -> list[dict[str, Any]]:
    """Enqueues and dequeues that all overlap; no search finds the surplus dequeue within a second.

    There are more of them than searches over frontiers accept.
    """
    many = [
        {"process": n, "op": "enqueue", "args": [n % 7], "result": None, "call": n, "return": 900} for n in range(70)
    ]
    wrong = [{"process": 99 - n, "op": "dequeue", "result": 0, "call": n, "return": 900 + n} for n in range(11)]
    return [*many, *wrong]


HOPELESS = lost_calls(200, 18, seed=3)
"""The depth-first search needs minutes to refute it, linear a few milliseconds."""

RACE = lost_calls(100, 8, seed=1)
"""The depth-first search needs more than its first turn, but not more than its second."""

REPEATED = lost_calls(2_000, 12, seed=1)
"""Searches need more than their first turns, the search over frontiers does not."""

EASY = """
    A: |--write(1)--|     |--read()->2--|
    B:      |--write(2)--|
"""

# The result of a compare-and-set was not observed: no monitor applies, and searches are chosen.
UNOBSERVED = "the result of cas(null, 1) was not observed, or the spec never gives it"
ALONE = "A: |--cas(null, 1)--| |--read()->1--|"
OVERLAPPING = """
    A: |--cas(null, 1)--|     |--read()->2--|
    B:         |--write(2)--|
"""


def test_the_histories_of_these_tests_are_hard_enough() -> None:
    reading = HistoryInterpretation(HOPELESS, CAS, "linearizable")
    positions = [*range(len(HOPELESS))]
    problem = reading.problem(positions)
    assert depth_first(problem, reading.machine, StopToken()).run(400_000) is SearchStatus.PAUSED
    assert linear(problem, reading.machine, StopToken()).run(100_000) is SearchStatus.VIOLATION


# Which search answered


def test_auto_names_the_checker_and_the_reason() -> None:
    monitored = linpoint.check(EASY, "register")
    assert (monitored.status, monitored.checker) == (Status.LINEARIZABLE, "monitor")
    assert monitored.why == "each read matches at most one write"
    alone = linpoint.check(ALONE, CAS)
    unread = UNOBSERVED.replace("the spec never gives it", "the graph does not support it")
    neither = f"graph not used: {unread}; monitor not used: {UNOBSERVED}"
    assert (alone.checker, alone.why) == ("wing-gong", f"only one order is possible; {neither}")
    first = linpoint.check(OVERLAPPING, CAS)
    quick = "it finished before a second search was started"
    assert (first.checker, first.why) == ("dfs", f"{quick}; monitor not used: {UNOBSERVED}")
    sets = "values repeat; the applied operations and the current value suffice as configurations"
    for history, winner, why in (
        (RACE, "linear", "it finished before the searches were run in parallel"),
        (REPEATED, "frontier", sets),
        (HOPELESS, "linear", "it ran in parallel with frontier and finished first"),
    ):
        raced = linpoint.check(history, CAS, jobs=1, budget=20)
        assert (raced.status, raced.checker) == (Status.VIOLATION, winner)
        assert raced.why.startswith(why)
        assert "monitor not used: a value occurs more" in raced.why


def test_competition_names_the_checker() -> None:
    easy = linpoint.check(EASY, "register", checker="competition", jobs=1)
    hard = linpoint.check(lost_calls(100, 4, seed=2), CAS, checker="competition", jobs=1)
    assert (easy.status, hard.status) == (Status.LINEARIZABLE, Status.VIOLATION)
    # The depth-first search remembers visited configurations, which helps only in long searches.
    for verdict, winner in ((easy, "wing-gong"), (hard, "dfs")):
        assert verdict.checker == "competition"
        assert re.fullmatch(rf"requested; of wing-gong and dfs, {winner} finished first", verdict.why)


@pytest.mark.parametrize("checker", ["wing-gong", "dfs", "linear"])
def test_a_requested_checker_runs_alone(checker: str) -> None:
    verdict = linpoint.check(EASY, "register", checker=checker)
    assert (verdict.status, verdict.checker, verdict.why) == (Status.LINEARIZABLE, checker, "requested")


def test_each_key_names_its_checker() -> None:
    def of(key: str, ops: list[tuple[str, list[Any], int, int]]) -> list[dict[str, Any]]:
        return [
            {"process": f"{key}{n}", "op": name, "args": args, "call": call, "return": end, "key": key, "result": None}
            for n, (name, args, call, end) in enumerate(ops)
        ]

    apart = of("x", [("cas", [None, 1], 0, 5), ("write", [2], 10, 15)])
    crowd = of("y", [("cas", [None, 1], 0, 50), ("write", [2], 0, 50), ("write", [3], 0, 50)])
    unique = of("z", [("write", [n], 0, 50) for n in range(3)])
    verdict = linpoint.check([*apart, *crowd, *unique], CAS)
    assert {key.key: key.checker for key in verdict.keys} == {"x": "wing-gong", "y": "dfs", "z": "monitor"}
    assert ["monitor not used" in key.why for key in verdict.keys] == [True, True, False]


# Turns


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_no_search_starves_another(jobs: int) -> None:
    """Even on one thread: the first search has to pause for the search that has the answer."""
    with ProcessorTime() as spent:
        verdict = linpoint.check(HOPELESS, CAS, jobs=jobs, budget=120)
    assert (verdict.status, verdict.checker) == (Status.VIOLATION, "linear")
    assert spent.seconds < 10
    assert jobs > 1 or verdict.statistics.configurations < 300_000


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_hopeless_key_does_not_delay_the_others(jobs: int) -> None:
    """Every key gets its turns, whatever the previous keys are like."""
    stuck = [line | {"key": "stuck"} for line in crowded_queue()]
    fine = [
        {"process": f"{key}{n}", "op": "enqueue", "args": [n], "result": None, "call": 0, "return": 9, "key": key}
        for key in range(5)
        for n in range(3)
    ]
    verdict = linpoint.check([*stuck, *fine], "queue", jobs=jobs, budget=1)
    assert {key.key: key.status for key in verdict.keys} == {
        "stuck": Status.UNKNOWN,
        **dict.fromkeys(range(5), Status.LINEARIZABLE),
    }


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_violation_of_one_key_does_not_wait_indefinitely_for_another(
    monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr("linpoint.checkers.check._OTHER_KEYS_GRACE_S", 0.2)
    stuck = [line | {"key": "stuck"} for line in crowded_queue()]
    wrong = {"process": "w", "op": "dequeue", "result": 5, "call": 0, "return": 1, "key": "wrong"}
    with ProcessorTime() as spent:
        verdict = linpoint.check([*stuck, wrong], "queue", jobs=jobs)
    assert verdict.status is Status.VIOLATION
    assert {key.key: key.status for key in verdict.keys} == {"stuck": Status.UNKNOWN, "wrong": Status.VIOLATION}
    assert 'another key is in violation on key "stuck"' in verdict.keys[0].why
    assert spent.seconds < 15


def settled(contest: Portfolio) -> PortfolioAnswer:
    """The answer of a portfolio whose tasks run on one thread."""
    tasks = deque(contest.begin())
    while tasks:
        tasks.extend(tasks.popleft()())
    return contest.answer()


@pytest.mark.parametrize(
    "names", [("dfs", "linear"), ("linear", "dfs"), ("wing-gong", "linear"), ("wing-gong", "dfs", "linear")]
)
@pytest.mark.parametrize("at_once", [False, True])
def test_any_searches_may_form_a_portfolio(names: tuple[str, ...], at_once: bool) -> None:
    reading = HistoryInterpretation(HOPELESS, CAS, "linearizable")
    positions = [*range(len(HOPELESS))]
    problem = reading.problem(positions)
    answer = settled(Portfolio(problem, reading.machine, StopToken(), names, at_once=at_once))
    assert (answer.found, answer.by) == (False, "linear")
    assert not refusals(HOPELESS, positions, CAS, "linearizable", Witness(answer.witness.order), whole=False)


def test_walkers_share_the_work() -> None:
    """Several depth-first searches of one problem: a configuration refuted by one is skipped by the others."""
    ops = [Operation(n, "enqueue", (n,), None, 0, 50) for n in range(6)]
    ops += [Operation(10 + n, "dequeue", (), n, 0, 60 + n) for n in range(6)]
    ops += [Operation(20, "dequeue", (), 99, 100, 101)]
    reading = HistoryInterpretation(History(ops), linpoint.specs.queue, "linearizable")
    problem = reading.problem([*range(len(ops))])
    assert problem.shareable
    alone = settled(Portfolio(problem, reading.machine, StopToken(), ["dfs"]))
    together = settled(Portfolio(problem, reading.machine, StopToken(), ["dfs"] * 4, at_once=True))
    assert (alone.found, together.found) == (False, False)
    assert together.configurations < 3 * alone.configurations
    for jobs in (1, 4):
        assert linpoint.check(ops, "queue", checker="dfs", jobs=jobs).status is Status.VIOLATION


# Memory


def test_a_search_without_memory_leaves_the_problem_to_the_others() -> None:
    reading = HistoryInterpretation(HOPELESS, CAS, "linearizable")
    problem = reading.problem([*range(len(HOPELESS))])
    stop = StopToken()
    stop.set_memory_limit(2 * 2**20)
    alone = settled(Portfolio(problem, reading.machine, stop, ["dfs"]))
    assert (alone.found, alone.reason) == (None, StopReason.MEMORY)
    assert not stop.stopped
    answer = settled(Portfolio(problem, reading.machine, stop, ["dfs", "linear"]))
    assert (answer.found, answer.by) == (False, "linear")
    assert not stop.stopped


def test_memory_is_released() -> None:
    reading = HistoryInterpretation(HOPELESS, CAS, "linearizable")
    problem = reading.problem([*range(len(HOPELESS))])
    stop = StopToken()
    stop.set_memory_limit(2 * 2**20)
    for names in (["dfs"], ["linear"], ["dfs", "linear"], ["wing-gong", "linear"]):
        settled(Portfolio(problem, reading.machine, stop, names))
        assert stop.memory == 0, names


def test_too_little_memory_for_any_search() -> None:
    reading = HistoryInterpretation(HOPELESS, CAS, "linearizable")
    problem = reading.problem([*range(len(HOPELESS))])
    stop = StopToken()
    stop.set_memory_limit(1000)
    answer = settled(Portfolio(problem, reading.machine, stop, ["dfs", "linear"]))
    assert (answer.found, answer.reason) == (None, StopReason.MEMORY)


def test_auto_answers_where_dfs_runs_out_of_memory() -> None:
    room = 8 * 2**20
    alone = linpoint.check(HOPELESS, CAS, checker="dfs", jobs=1, max_memory=resident_memory() + room, budget=60)
    assert alone.status is Status.UNKNOWN
    assert alone.why.startswith("the memory budget ran out: dfs explored ")
    both = linpoint.check(HOPELESS, CAS, jobs=1, max_memory=resident_memory() + room, budget=60)
    assert (both.status, both.checker) == (Status.VIOLATION, "linear")


# Progress


def undecided(**options: Any) -> linpoint.Verdict:
    verdict = linpoint.check(crowded_queue(), "queue", **options)
    assert verdict.status is Status.UNKNOWN
    return verdict


@pytest.mark.parametrize("checker", ["auto", "wing-gong", "dfs", "linear", "competition", "brute-force"])
def test_a_stopped_search_reports_its_progress(checker: str) -> None:
    verdict = undecided(checker=checker, budget=0.1, jobs=1)
    (key,) = verdict.keys
    reached = key.reached
    assert isinstance(reached, PartialSearch)
    assert (key.witness, key.refutation) == (None, None)
    assert key.why == verdict.why
    assert verdict.why.startswith("the time budget ran out: ")
    assert f"{len(reached.prefix)} of {len(verdict.history)} operations" in verdict.why
    assert key.configurations > 0
    assert f"explored {key.configurations:,} configurations" in verdict.why
    _holds(verdict.history, linpoint.specs.queue, key.positions, reached)
    if checker != "brute-force":
        assert len(reached.prefix) > 5


def _holds(history: History, spec: linpoint.Spec, positions: Sequence[int], reached: PartialSearch) -> None:
    """The prefix is valid, and the other fields follow from it."""
    assert not refusals(history, positions, spec, "linearizable", Witness(reached.prefix), whole=False)
    assert reached.operations == len(positions)
    left = [p for p in positions if p not in reached.prefix and history[p].outcome is Outcome.OK]
    end = min((history[p].end for p in left), default=None)
    expected = tuple(p for p in left if end is not None and history[p].call <= end)
    assert sorted(reached.open) == sorted(expected)
    assert reached.window == ((min(history[p].call for p in expected), end) if expected else None)
    document = reached.as_dict()
    assert json.loads(json.dumps(document)) == document
    assert document["placed"] == len(reached.prefix)
    assert document["operations"] == reached.operations
    assert document["open"] == list(reached.open)


def test_progress_is_reported_for_its_key() -> None:
    lines = [line | {"key": "stuck"} for line in crowded_queue()]
    fine = {"process": "f", "op": "enqueue", "args": [1], "result": None, "call": 0, "return": 1, "key": "fine"}
    verdict = linpoint.check([fine, *lines], "queue", budget=0.2, jobs=1)
    good, stuck = verdict.keys
    assert (good.status, good.reached) == (Status.LINEARIZABLE, None)
    assert stuck.status is Status.UNKNOWN
    assert stuck.reached is not None
    assert stuck.reached.operations == len(lines)
    assert 'the time budget ran out on key "stuck": ' in stuck.why
    assert verdict.why == stuck.why
    _holds(verdict.history, linpoint.specs.queue, stuck.positions, stuck.reached)


def test_decided_keys_report_no_progress() -> None:
    for drawing in (EASY, "A: |--read()->9--|"):
        assert linpoint.check(drawing, "register").keys[0].reached is None


def test_a_budget_that_is_spent_before_the_search_begins() -> None:
    verdict = undecided(budget=1e-9)
    (key,) = verdict.keys
    assert key.reached is not None
    assert key.reached.operations == len(verdict.history)
    assert verdict.why.startswith("the time budget ran out")
    _holds(verdict.history, linpoint.specs.queue, key.positions, key.reached)


def test_progress_lists_only_completed_operations_as_open() -> None:
    verdict = linpoint.check(HOPELESS, CAS, checker="dfs", budget=0.2, jobs=1)
    assert verdict.status is Status.UNKNOWN
    (key,) = verdict.keys
    assert key.reached is not None
    _holds(HOPELESS, CAS, key.positions, key.reached)
    assert all(HOPELESS[place].outcome is Outcome.OK for place in key.reached.open)


def test_an_explanation_of_unknown_shows_the_open_operations() -> None:
    text = undecided(budget=0.1, jobs=1).explain().text
    assert text.startswith("UNKNOWN: the time budget ran out")
    assert "must take effect next" in text
