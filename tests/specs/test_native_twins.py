# SPDX-License-Identifier: Apache-2.0
"""Native steps against their Python twins: any sequence of operations, any values, step by step."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import linpoint
from linpoint import History, Operation, Outcome, Spec, Status
from linpoint.checkers._native_search import Flaw, certify_replay, certify_run
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.histories.values import canonical, freeze
from linpoint.specs import BUILT_IN
from tests.volume import SEED, least_of, volume

VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    1.0,
    -0.0,
    2,
    -1,
    0.5,
    2**70,
    1e300,
    float("nan"),
    "",
    "a",
    "ab",
    "true",
    "1",
    "\N{SNOWMAN}",
    "a\x00b",
    [],
    [1],
    [1.0],
    [True],
    [[1], {"a": None}],
    {},
    {"a": 1},
    {"a": True},
]
TEXTS = ["", "a", "b", "ab", "ba", "aa", "\N{SNOWMAN}", "a\x00b"]
NUMBERS: list[Any] = [0, 1, 2, -1, -3, 5, 2**29, -(2**30)]
KEYS: list[Any] = ["k", 1, 1.0, True, None, [1]]


def value(rng: random.Random) -> Any:
    return rng.choice(VALUES)


def few(rng: random.Random) -> Any:
    """A value that other operations are likely to use too."""
    return rng.choice([1, 1.0, True, "a", None]) if rng.random() < 0.8 else value(rng)


Make = Callable[[random.Random], tuple[str, Sequence[Any]]]


def register(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return rng.choice([("read", []), ("write", [few(rng)])])


def cas_register(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return rng.choice([("cas", [few(rng), few(rng)]), ("swap", [few(rng)]), register(rng)])


def map_entry(rng: random.Random) -> tuple[str, Sequence[Any]]:
    name, *more = rng.choice(
        [
            ("get",),
            ("get",),
            ("put", few(rng)),
            ("insert", few(rng)),
            ("delete",),
            ("erase",),
            ("remove",),
            ("cas", few(rng), few(rng)),
            ("contains",),
        ]
    )
    return name, [rng.choice(KEYS), *more]


def growing_entry(rng: random.Random) -> tuple[str, Sequence[Any]]:
    if rng.random() < 0.4:
        return "append", [rng.choice(KEYS[:2]), rng.choice(TEXTS)]
    name, args = map_entry(rng)
    return name, [rng.choice(KEYS[:2]), *(rng.choice([*TEXTS, *TEXTS, None, 1]) for _ in args[1:])]


def queue(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return rng.choice([("enqueue", [few(rng)]), ("enqueue", [few(rng)]), ("dequeue", []), ("peek", [])])


def stack(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return rng.choice([("push", [few(rng)]), ("push", [few(rng)]), ("pop", []), ("peek", [])])


def set_element(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return rng.choice(["add", "remove", "contains"]), [few(rng)]


def counter(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return rng.choice(
        [("increment", []), ("decrement", []), ("add", [rng.choice(NUMBERS)]), ("read", []), ("read", [])]
    )


def fetch_add(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return "fetch-add", [rng.choice(NUMBERS)]


def _priority(rng: random.Random) -> Any:
    return rng.choice([1, 2, 2.5, 3, "a", "b", -1])


def priority_queue(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return rng.choice([("insert", [_priority(rng)]), ("insert", [_priority(rng)]), ("delete-max", []), ("peek", [])])


def deque(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return rng.choice([("push-front", [few(rng)]), ("push_back", [few(rng)]), ("pop-front", []), ("pop-back", [])])


def multiset_element(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return rng.choice(["add", "add", "remove", "count"]), [few(rng)]


def mutex(rng: random.Random) -> tuple[str, Sequence[Any]]:
    return rng.choice(["acquire", "release", "try-acquire", "try_acquire"]), []


def items(rng: random.Random) -> dict[str, Any]:
    return {"initial": [few(rng) for _ in range(rng.randint(0, 3))]}


def first_value(rng: random.Random) -> dict[str, Any]:
    return {"initial": rng.choice([few(rng), "never seen"])}


TWINS: dict[str, tuple[Make, Callable[[random.Random], dict[str, Any]]]] = {
    "register": (register, first_value),
    "cas-register": (cas_register, first_value),
    "map": (map_entry, lambda rng: {"initial": [[key, few(rng)] for key in rng.sample(KEYS[2:], 2)]}),
    "map with append": (
        growing_entry,
        lambda rng: {"initial": [["k", rng.choice([*TEXTS, None, 1, "never seen"])], [None, "a"]]},
    ),
    "queue": (queue, items),
    "queue with a capacity": (queue, lambda rng: {"capacity": rng.randint(1, 3)} | items(rng)),
    "stack": (stack, items),
    "deque": (deque, items),
    "set": (set_element, items),
    "multiset": (multiset_element, items),
    "counter": (counter, lambda rng: {"initial": rng.choice([0, 5, -(2**50)])}),
    "semaphore": (mutex, lambda rng: {"permits": rng.randint(0, 2)}),
    "mutex": (mutex, lambda rng: {"initial": rng.random() < 0.5}),
    "fetch-add": (fetch_add, lambda rng: {"initial": rng.choice([0, 5, -(2**50)])}),
    "priority-queue": (priority_queue, lambda rng: {"initial": [_priority(rng) for _ in range(rng.randint(0, 2))]}),
}


def drawn(rng: random.Random, name: str, *, least: int = 1, most: int = 12) -> tuple[History, Spec]:
    """Operations one after the other; mostly with results that the spec gives in some reachable state."""
    make, parameters = TWINS[name]
    spec = BUILT_IN[name.partition(" ")[0]]
    if rng.random() < 0.6:
        spec = spec(**parameters(rng))
    state, ops = spec.initial, []
    for number in range(rng.randint(least, most)):
        called, args = make(rng)
        outcome = Outcome.UNKNOWN if rng.random() < 0.1 else Outcome.OK
        op = Operation(number, called, freeze(list(args)), None, 10 * number, 10 * number + 5, outcome)
        outcomes = spec.outcomes(state, op)
        result = None
        if outcomes:
            result, after = rng.choice(outcomes)
            state = after if rng.random() < 0.9 else state
        if outcome is Outcome.UNKNOWN:
            op = Operation(number, op.name, op.args, None, op.call, None, outcome)
        else:
            op = Operation(number, op.name, op.args, _noise(rng, freeze(result)), op.call, op.return_)
        ops.append(op)
    return History(ops), spec


def _noise(rng: random.Random, result: Any) -> Any:
    roll = rng.random()
    if roll < 0.8:
        return result
    if roll < 0.9:
        return rng.choice([None, True, False])
    return freeze(few(rng))


def plain_run(history: History, spec: Spec, order: Sequence[int]) -> int | None:
    """The first operation that the Python steps reject, if any."""
    states = [spec.initial]
    for position in order:
        after = [found for state in states for found in spec.successors(state, history[position])]
        states = [*{canonical(state): state for state in after}.values()]
        if not states:
            return position
    return None


def native_runs(reading: HistoryInterpretation, order: Sequence[int]) -> set[int | None]:
    """The same for the native steps: as searches run them, and as certificates are replayed."""
    twin = reading.twin
    assert twin is not None
    answers = [certify_replay(reading.columns, order, twin.blueprint, twin.content(order))]
    if reading.native:
        machine, initial = reading.machine, reading.initial(order)
        answers.append(certify_run(reading.columns, reading.names, order, reading.alphabet, machine, initial))
    assert all(flaw in (Flaw.NONE, Flaw.REJECTED) for flaw, _ in answers)
    return {position if flaw is Flaw.REJECTED else None for flaw, position in answers}


def describe_run(history: History, spec: Spec, order: Sequence[int]) -> str:
    return f"{spec.name} from {spec.initial!r}: " + "; ".join(f"{place}: {history[place]}" for place in order)


@pytest.mark.random
@pytest.mark.parametrize("name", TWINS)
def test_native_steps_agree_with_python(name: str) -> None:
    """Any sequence of a history's operations: some may be missing from the order, some may repeat."""
    rng = random.Random(f"{SEED} {name}")
    histories = volume(500)
    accepted: Counter[bool] = Counter()
    steps: Counter[str] = Counter()
    for _ in range(histories):
        history, spec = drawn(rng, name)
        reading = HistoryInterpretation(history, spec, "linearizable")
        assert reading.native
        orders = [[*range(len(history))]]
        orders += [rng.choices(range(len(history)), k=rng.randint(1, 12)) for _ in range(10)]
        for order in orders:
            for run in (part for each in reading.by_object(order) for part in reading.parts(each)):
                expected = plain_run(history, spec, run)
                assert native_runs(reading, run) == {expected}, describe_run(history, spec, run)
                accepted[expected is None] += 1
                steps.update(history[place].name for place in run)
    assert min(accepted.values()) > least_of(1 / 5, histories)
    assert {each.replace("_", "-") for each in steps} >= set(spec.steps) - {"append"}


@pytest.mark.random
@pytest.mark.parametrize("name", TWINS)
def test_verdicts_agree_with_python(name: str) -> None:
    """The searches use properties of native steps: reads, what determines a state, what cannot matter."""
    rng = random.Random(f"{SEED} {name} verdicts")
    histories = volume(300)
    seen: Counter[Status] = Counter()
    for _ in range(histories):
        history, spec = drawn(rng, name, least=2, most=7)
        expected = linpoint.check(history, spec, checker="brute-force").status
        if all(op.outcome is Outcome.OK for op in history):
            accepted = plain_run(history, spec, range(len(history))) is None
            assert (expected is Status.LINEARIZABLE) == accepted, describe_run(history, spec, range(len(history)))
        for checker in ("wing-gong", "dfs", "linear", "linear-dfs"):
            found = linpoint.check(history, spec, checker=checker, jobs=1).status
            assert found is expected, f"{checker}: {describe_run(history, spec, range(len(history)))}"
        seen[expected] += 1
    assert min(seen[Status.LINEARIZABLE], seen[Status.VIOLATION]) > histories / 50


def overlapping(rng: random.Random, history: History) -> History:
    """The same operations, but open for longer, in several processes."""
    ops = [
        Operation(
            op.process,
            op.name,
            op.args,
            op.result,
            op.call - rng.randint(0, 25),
            None if op.return_ is None else op.return_ + rng.randint(0, 25),
            op.outcome,
        )
        for op in history
    ]
    return History(ops)


@pytest.mark.random
@pytest.mark.parametrize("name", TWINS)
def test_verdicts_agree_with_python_for_overlapping_operations(name: str) -> None:
    rng = random.Random(f"{SEED} {name} overlapping")
    histories = volume(300)
    seen: Counter[Status] = Counter()
    for _ in range(histories):
        history, spec = drawn(rng, name, least=2, most=7)
        history = overlapping(rng, history)
        expected = linpoint.check(history, spec, checker="brute-force").status
        for checker in ("dfs", "linear"):
            found = linpoint.check(history, spec, checker=checker, jobs=1).status
            assert found is expected, f"{checker}: {describe_run(history, spec, range(len(history)))}"
        seen[expected] += 1
    assert min(seen[Status.LINEARIZABLE], seen[Status.VIOLATION]) > histories / 50


def test_every_twin_is_tested() -> None:
    twins = {name for name, spec in BUILT_IN.items() if spec.twin is not None}
    without_steps = {"mwcas"}  # test_memory_replay.py covers it
    assert twins == {name.partition(" ")[0] for name in TWINS} | without_steps


@pytest.mark.random
@pytest.mark.parametrize("name", TWINS)
def test_a_key_field_is_not_an_argument(name: str) -> None:
    """A map also takes its key from the field; other specs have one object for each key."""
    rng = random.Random(f"{SEED} {name} keyed")
    for _ in range(volume(100)):
        history, spec = drawn(rng, name, most=8)
        keys = [rng.choice(["x", "y", 1, True]) for _ in history]
        drop = 1 if spec.key_argument else 0
        keyed = History(
            Operation(op.process, op.name, op.args[drop:], op.result, op.call, op.return_, op.outcome, key=key)
            for op, key in zip(history, keys, strict=True)
        )
        assert HistoryInterpretation(keyed, spec, "linearizable").native
        expected = linpoint.check(keyed, spec, checker="brute-force")
        found = linpoint.check(keyed, spec, checker="dfs", jobs=1)
        assert [key.status for key in found.keys] == [key.status for key in expected.keys]


# Cases without native steps


def lines(*ops: tuple[str, Sequence[Any], Any]) -> list[Operation]:
    return [
        Operation(0, name, tuple(freeze(list(args))), freeze(result), 10 * at, 10 * at + 5)
        for at, (name, args, result) in enumerate(ops)
    ]


DECLINED: dict[str, tuple[Any, list[Operation]]] = {
    "a fraction is added": (BUILT_IN["counter"], lines(("add", [0.5], None), ("add", [0.5], None), ("read", [], 1))),
    "a fraction comes first": (BUILT_IN["counter"](initial=0.5), lines(("increment", [], None), ("read", [], 1.5))),
    "a huge number is added": (
        BUILT_IN["counter"],
        lines(("add", [2**70], None), ("increment", [], None), ("read", [], 2**70 + 1)),
    ),
    "a huge number comes first": (
        BUILT_IN["counter"](initial=2**64),
        lines(("increment", [], None), ("read", [], 2**64 + 1)),
    ),
    "a float beyond all integers": (
        BUILT_IN["counter"](initial=1e300),
        lines(("increment", [], None), ("read", [], 1e300)),
    ),
}


@pytest.mark.parametrize("case", DECLINED)
def test_histories_without_native_steps_are_decided(case: str) -> None:
    spec, ops = DECLINED[case]
    assert not HistoryInterpretation(History(ops), spec, "linearizable").native
    wrong = [*ops[:-1], Operation(0, "read", (), 7, ops[-1].call, ops[-1].return_)]
    for checker in ("wing-gong", "dfs", "linear", "auto"):
        assert linpoint.check(ops, spec, checker=checker).status is Status.LINEARIZABLE
        assert linpoint.check(wrong, spec, checker=checker).status is Status.VIOLATION


@pytest.mark.parametrize("condition", ["sequential", "buffered-durable"])
def test_conditions_on_the_whole_history_use_python_steps(condition: str) -> None:
    ops = lines(("write", [1], None), ("read", [], 1))
    assert not HistoryInterpretation(History(ops), BUILT_IN["register"], condition).native
    assert linpoint.check(ops, "register", condition=condition, checker="dfs").status is Status.LINEARIZABLE


def test_a_set_that_cannot_be_divided_uses_python_steps() -> None:
    """The native steps are those of one element."""
    ops = [
        Operation(process, "add", (process,), True, 0, 5, order=order) for process, order in ((0, 2), (1, 1), (2, 3))
    ]
    assert not HistoryInterpretation(History(ops), BUILT_IN["set"], "linearizable").native
    assert linpoint.check(ops, "set", checker="dfs").status is Status.LINEARIZABLE


# Numbers at the limits


@pytest.mark.parametrize("first", [2**60 - 2, 2**60 - 1, 2**60, 2**60 + 1, -(2**60) + 1, -(2**60), 2**63 - 1, -(2**63)])
def test_counters_at_the_limits_of_native_numbers(first: int) -> None:
    ops = lines(
        ("increment", [], None),
        ("increment", [], None),
        ("read", [], first + 2),
        ("add", [-4], None),
        ("read", [], first - 2),
    )
    spec = BUILT_IN["counter"](initial=first)
    assert linpoint.check(ops, spec, checker="dfs").status is Status.LINEARIZABLE
    wrong = [*ops[:-1], Operation(0, "read", (), first - 1, 100, 101)]
    assert linpoint.check(wrong, spec, checker="dfs").status is Status.VIOLATION


@pytest.mark.parametrize(
    ("first", "added", "read"),
    [(2.0**53, 1, 2**53), (2**53, 1.0, 2**53), (2.0**59, 1, 2.0**59), (0, 2.0**40, 2**40), (0.0, 3, 3)],
)
def test_counters_of_floats_round_as_python_does(first: float, added: float, read: float) -> None:
    """The Python steps are the definition: a float without a successor stays the same."""
    ops = lines(("add", [added], None), ("read", [], read))
    spec = BUILT_IN["counter"](initial=first)
    expected = linpoint.check(ops, spec, checker="brute-force").status
    assert linpoint.check(ops, spec, checker="dfs").status is expected


def test_a_capacity_beyond_machine_integers_is_supported() -> None:
    ops = lines(("enqueue", [1], True), ("dequeue", [], 1))
    spec = BUILT_IN["queue"](capacity=2**70)
    assert linpoint.check(ops, spec, checker="dfs").status is Status.LINEARIZABLE


def test_text_with_lone_surrogates_is_supported() -> None:
    """JSON can write half of a surrogate pair, and Python reads it."""
    ops = lines(("append", ["k", "\ud800"], None), ("append", ["k", "a"], None), ("get", ["k"], "\ud800a"))
    assert linpoint.check(ops, "map", checker="dfs").status is Status.LINEARIZABLE
    wrong = [*ops[:-1], Operation(0, "get", ("k",), "\udc00a", 100, 101)]
    assert linpoint.check(wrong, "map", checker="dfs").status is Status.VIOLATION
