# SPDX-License-Identifier: Apache-2.0
"""Order hints and clock skew by definition: small histories with known verdicts, decided by the oracle."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import linpoint
from linpoint.checkers.brute_force import brute_force
from linpoint.histories.history import History
from linpoint.histories.operation import Crash, Operation, Outcome
from linpoint.histories.values import canonical
from linpoint.options.choices import CONDITIONS
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Spec
from tests.random_histories import MAKERS, random_history
from tests.volume import SEED, least_of, volume

Lines = Sequence[dict[str, Any]]


def holds(lines: Lines, condition: str = "linearizable", spec: str = "register", skew: float = 0) -> bool:
    history = linpoint.history(lines).with_clock_skew(skew)
    return brute_force(history, range(len(history)), BUILT_IN[spec], condition)[0]


def op(process: int, text: str, call: float, return_: float | None, **fields: Any) -> dict[str, Any]:
    """``write 1``, ``read 1`` or ``put k 1`` with its times; further fields as in operation lines."""
    name, *words = text.split()
    values = [int(word) if word.isdigit() else None if word == "null" else word for word in words]
    args, result = ((), values[0]) if name == "read" else (values, None)
    if name == "get":
        args, result = values[:1], values[1]
    return {"process": process, "op": name, "args": args, "result": result, "call": call, "return": return_} | fields


# Order hints

BOTH = [op(0, "write 1", 0, 10), op(1, "write 2", 0, 10)]


def hinted(lines: Lines, *orders: float | None) -> list[dict[str, Any]]:
    return [line | {"order": order} for line, order in itertools.zip_longest(lines, orders)]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_smaller_order_takes_effect_first(condition: str) -> None:
    last_is_1 = [*BOTH, op(0, "read 1", 20, 30)]
    assert holds(last_is_1, condition)
    assert holds(hinted(last_is_1, 2, 1, 3), condition)
    assert not holds(hinted(last_is_1, 1, 2, 3), condition)
    assert not holds(hinted(last_is_1, 1.5, 2, 2.5), condition)


def test_equal_and_missing_orders_have_no_effect() -> None:
    for winner in (1, 2):
        lines = [*BOTH, op(2, f"read {winner}", 20, 30)]
        assert holds(hinted(lines, 5, 5))
        assert holds(hinted(lines, 5, 5.0))
        assert holds(hinted(lines, 5, None, 6))
        assert holds(hinted(lines, None, 5))


def test_orders_supplement_real_time_order() -> None:
    stale = [op(0, "write 1", 0, 10), op(1, "read null", 20, 30)]
    assert not holds(stale)
    assert not holds(hinted(stale, 2, 1))  # the hints agree with the read, but time does not
    assert not holds(hinted([op(0, "write 1", 0, 10), op(1, "read 1", 20, 30)], 2, 1))  # a contradiction by themselves
    assert holds(hinted([op(0, "write 1", 0, 10), op(1, "read 1", 20, 30)], 1, 2))


def test_process_order_still_applies() -> None:
    lines = hinted([op(0, "write 1", 0, 10), op(0, "write 2", 20, 30), op(1, "read 2", 40, 50)], 2, 1)
    assert not holds(lines)
    assert not holds(lines, "sequential")


def test_under_sequential_hints_apply_across_processes_and_time_does_not() -> None:
    lines = [op(0, "write 1", 0, 10), op(1, "read null", 20, 30)]
    assert holds(lines, "sequential")
    assert holds(hinted(lines, 2, 1), "sequential")
    assert not holds(hinted(lines, 1, 2), "sequential")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_orders_apply_within_one_key(condition: str) -> None:
    keyed = [line | {"key": key} for line, key in zip(BOTH, "xy", strict=True)]
    read = op(2, "read 1", 20, 30, key="x")
    contrary = [op(0, "write 3", 12, 14, key="x"), op(1, "write 4", 16, 18, key="y")]
    assert holds(hinted([*keyed, read], 1, 2, None), condition)
    assert holds(hinted(contrary, 2, 1), condition)
    same = [line | {"key": ["x", {"a": 1.0}]} for line in contrary]
    same[1]["key"] = ["x", {"a": 1}]  # equal keys, since values are equal
    assert not holds(hinted([*same, op(0, "read 4", 20, 22, key=["x", {"a": 1}])], 2, 1), condition)


def test_the_key_of_a_map_is_its_argument() -> None:
    for other, verdict in (("a", False), ("b", True)):
        puts = hinted([op(0, "put a 1", 0, 10), op(1, f"put {other} 2", 20, 30)], 2, 1)
        assert holds(puts, spec="map") == verdict
        field = hinted([op(0, "put 1", 0, 10, key="a"), op(1, "put 2", 20, 30, key=other)], 2, 1)
        assert holds(field, spec="map") == verdict


def test_without_keys_the_whole_history_is_one_object() -> None:
    adds = [
        {"process": p, "op": "add", "args": [p], "result": True, "call": 20 * p, "return": 20 * p + 10} for p in (0, 1)
    ]
    assert holds(hinted(adds, 1, 2), spec="set")
    assert not holds(hinted(adds, 2, 1), spec="set")  # of other elements, but of one set


def test_an_unknown_operation_that_takes_effect_keeps_its_order() -> None:
    lines = [op(0, "write 1", 0, 10), op(1, "write 2", 0, None), op(2, "read 1", 20, 30), op(2, "read 2", 40, 50)]
    assert holds(lines)
    assert holds(hinted(lines, 1, 2))
    assert not holds(hinted(lines, 2, 1))  # it must precede the write of 1, but was read after it
    assert holds(hinted(lines[:3], 2, 1))  # or it never took effect
    assert holds(hinted(lines, 1, 8, 3, 9))
    assert not holds(hinted(lines, 1, 2, 3))  # the first read saw 1, although 2 had to be there


def test_failed_operations_are_ignored() -> None:
    lines = hinted([op(0, "write 1", 0, 10, outcome="failed"), op(1, "write 2", 20, 30)], 2, 1)
    assert linpoint.check(lines, "register", checker="brute-force").status is linpoint.Status.LINEARIZABLE


CRASH = {"crash": True, "time": 15}


def test_under_buffered_durable_orders_apply_within_an_era() -> None:
    across = [op(0, "write 1", 0, 10, order=2), CRASH, op(1, "write 2", 20, 30, order=1)]
    assert holds(across, "buffered-durable")
    assert not holds(across, "durable")
    assert not holds(across, "strict")
    within = [op(0, "write 1", 0, 5, order=2), op(1, "write 2", 6, 10, order=1), CRASH]
    assert not holds(within, "buffered-durable")
    survivors = [*BOTH, CRASH, op(2, "read 1", 20, 30)]
    assert holds(survivors, "buffered-durable")
    assert holds(hinted(survivors[:2], 1, 2) + survivors[2:], "buffered-durable")  # the write of 2 is lost
    assert holds([BOTH[0] | {"order": 2}, BOTH[1] | {"order": 1}, *survivors[2:]], "buffered-durable")
    both_seen = [BOTH[0] | {"order": 1}, BOTH[1] | {"order": 2}, op(2, "read 1", 12, 14), *survivors[2:]]
    assert not holds(both_seen, "buffered-durable")


def test_under_recoverable_orders_apply_to_interrupted_operations() -> None:
    lines = [
        op(0, "write 1", 0, None, order=2),
        CRASH | {"process": 0},
        op(1, "write 2", 20, 30, order=1),
        op(1, "read 1", 40, 50),
    ]
    assert holds(lines, "recoverable")
    assert holds(lines, "durable")
    assert not holds(lines, "strict")
    lines[0] = lines[0] | {"order": 0}
    assert not any(holds(lines, condition) for condition in ("recoverable", "durable", "strict"))


# Clock skew

STALE = [op(0, "write 1", 0, 10), op(1, "read null", 15, 20)]


def test_operations_of_two_processes_are_ordered_beyond_the_skew() -> None:
    assert not holds(STALE)
    assert not holds(STALE, skew=4)
    assert not holds(STALE, skew=4.5)
    assert holds(STALE, skew=5)  # intervals are closed
    assert holds(STALE, skew=7)


def test_within_the_skew_a_read_may_precede_its_write() -> None:
    early = [op(0, "write 1", 15, 20), op(1, "read 1", 0, 10)]
    assert not holds(early, skew=4)
    assert holds(early, skew=5)


def test_skew_does_not_affect_the_order_of_one_process() -> None:
    own = [STALE[0], STALE[1] | {"process": 0}]
    assert not holds(own, skew=100)
    touching = [op(0, "write 1", 0, 10), op(0, "read null", 10, 20)]
    assert not holds(touching, skew=100)


def test_skew_has_no_effect_under_sequential() -> None:
    assert holds(STALE, "sequential", skew=0)
    assert not holds([STALE[0], STALE[1] | {"process": 0}], "sequential", skew=100)


def test_orders_apply_within_the_skew() -> None:
    assert holds(hinted(STALE, 2, 1), skew=5)
    assert not holds(hinted(STALE, 1, 2), skew=5)


INTERRUPTED = [
    op(0, "write 1", 0, None),
    {"crash": True, "process": 0, "time": 10},
    op(1, "read null", 15, 20),
    op(1, "read 1", 21, 25),
]


def test_under_strict_a_crash_ends_an_operation_like_a_return() -> None:
    assert holds(INTERRUPTED, "durable")
    assert not holds(INTERRUPTED, "strict")
    assert not holds(INTERRUPTED, "strict", skew=4)
    assert holds(INTERRUPTED, "strict", skew=5)
    own = [*INTERRUPTED[:2], op(0, "read null", 12, 14), INTERRUPTED[3]]
    assert not holds(own, "strict", skew=100)  # the process that came back knows what it did
    assert holds(own, "durable", skew=100)


TOUCHING = [op(0, "write 1", 0, 10), op(1, "read null", 10, 20)]
LOSSY = ["strict", "recoverable", "durable", "buffered-durable"]


@pytest.mark.parametrize("condition", LOSSY)
def test_with_skew_a_crash_of_everything_does_not_separate_operations_touching_it(condition: str) -> None:
    crashed = [*TOUCHING, {"crash": True, "time": 10}]
    lost = condition == "buffered-durable"
    assert holds(crashed, condition) is lost
    assert holds([*crashed, op(2, "read 1", 30, 40)], condition) is False
    assert holds([*crashed, op(2, "read 1", 30, 40)], condition, skew=1) is not lost
    assert holds(crashed, "linearizable")


@pytest.mark.parametrize("condition", LOSSY)
def test_a_crash_does_not_separate_operations_of_other_processes(condition: str) -> None:
    for crash in ({"crash": True, "process": 7}, {"crash": True, "process": 1}, {"crash": "object"}):
        assert holds([*TOUCHING, {**crash, "time": 10}, op(2, "read 1", 30, 40)], condition)
    own = {"crash": True, "process": 0, "time": 10}  # it had returned by then
    assert not holds([*TOUCHING, own], condition)


@pytest.mark.random
def test_the_crash_of_an_idle_process_changes_no_verdict() -> None:
    rng = random.Random(f"{SEED} bystanders")
    histories = volume(1500)
    touching = 0
    for _ in range(histories):
        history, spec = random_history(
            rng, rng.choice(list(MAKERS)), crashes=rng.random() < 0.5, hints=rng.random() < 0.3, skew=rng.random() < 0.2
        )
        times = [time for each in history for time in (each.call, each.return_) if time is not None]
        bystanders = [Crash(rng.choice(times), process="bystander") for _ in range(rng.randint(1, 3))]
        crashed = History(history, crashes=(*history.crashes, *bystanders), clock_skew=history.clock_skew)
        touching += len(times) > len(set(times))
        condition = rng.choice(CONDITIONS)
        for checker in ("brute-force", "auto"):
            found = [linpoint.check(each, spec, condition=condition, checker=checker) for each in (history, crashed)]
            assert found[0].status is found[1].status
    assert touching > histories / 10


def test_skew_does_not_change_recorded_eras() -> None:
    crash = {"crash": True, "time": 10}
    lines = [op(0, "write 1", 0, 10), op(1, "write 2", 4, 9), crash, op(2, "read null", 10, 11)]
    assert holds(lines, "buffered-durable", skew=100)  # both are lost
    ahead = [op(0, "read 1", 0, 9), crash, op(1, "write 1", 10, 12)]
    assert holds(ahead, "durable", skew=1)
    assert not holds(ahead, "buffered-durable", skew=100)  # the era of the read had ended before the call of the write
    within = [op(0, "write 1", 0, 4), op(1, "write 2", 6, 7), op(2, "read 1", 9, 9), crash]
    assert not holds(within, "buffered-durable", skew=1)
    assert holds(within, "buffered-durable", skew=2)


def test_an_unknown_operation_precedes_nothing_with_any_skew() -> None:
    lines = [op(0, "write 1", 0, None), op(1, "read null", 50, 60), op(1, "read 1", 70, 80)]
    assert holds(lines)
    assert holds(lines, skew=5)
    assert not holds([op(1, "read 1", 50, 60), op(0, "write 1", 70, None)], skew=5)
    assert holds([op(1, "read 1", 50, 60), op(0, "write 1", 70, None)], skew=10)


def test_a_pass_is_not_called_vacuous_if_operations_overlap_within_the_skew() -> None:
    def warned(lines: Lines, skew: float) -> bool:
        history = linpoint.history(lines).with_clock_skew(skew)
        return any("overlap" in warning for warning in linpoint.check(history, "register").warnings)

    assert warned(STALE, 0)
    assert not warned(STALE, 5)
    assert warned([STALE[0], STALE[1] | {"process": 0}], 5)


# The oracle against its definition, and the usefulness of the random histories


def orders(history: History, positions: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every order of every choice of operations that includes all completed ones."""
    loose = [p for p in positions if history[p].outcome is Outcome.UNKNOWN]
    certain = [p for p in positions if p not in loose]
    for count in range(len(loose) + 1):
        for chosen in itertools.combinations(loose, count):
            yield from itertools.permutations([*certain, *chosen])


def legal(history: History, order: Sequence[int], spec: Spec) -> bool:
    states: list[dict[Any, Any]] = [{}]
    for position in order:
        operation = history[position]
        key = None if spec.key_argument else canonical(operation.key)
        states = [
            {**state, key: after}
            for state in states
            for after in spec.successors(state.get(key, spec.initial), operation)
        ]
    return bool(states)


def respects(history: History, order: Sequence[int], spec: Spec, condition: str) -> bool:
    """Whether no operation of the order had to precede one before it, as the documentation defines that."""

    def same_object(a: Operation, b: Operation) -> bool:
        key = (lambda op: spec.arguments(op)[0]) if spec.key_argument else (lambda op: op.key)
        return canonical(key(a)) == canonical(key(b))

    for late, early in itertools.combinations(order, 2):
        a, b = history[early], history[late]  # a comes after b in the order: did it have to come before?
        if a.order is not None and b.order is not None and a.order < b.order and same_object(a, b):
            return False
        certain = a.outcome is Outcome.OK
        if condition == "sequential":
            if a.process == b.process and (a.call, a.end, early) < (b.call, b.end, late):
                return False
            continue
        if certain and a.process == b.process and (a.call, a.end, early) < (b.call, b.end, late):
            return False
        if certain and a.end + history.clock_skew < b.call:
            return False
        own = [crash for crash in history.crashes if crash.covers(a.process)]
        ends_at_crash = any(a.call < crash.time == a.return_ <= b.call for crash in own)
        if condition != "linearizable" and certain and ends_at_crash and not history.clock_skew:
            return False
    return True


@pytest.mark.random
def test_the_oracle_agrees_with_the_definition() -> None:
    rng = random.Random(SEED)
    histories = volume(1500)
    seen = {True: 0, False: 0}
    for _ in range(histories):
        name = rng.choice(["register", "queue", "set", "map", "cas-register"])
        condition = rng.choice(["linearizable", "durable", "sequential"])
        history, spec = random_history(
            rng,
            name,
            operations=5,
            crashes=condition == "durable" and rng.random() < 0.5,
            keyed=name != "map" and rng.random() < 0.25,
            hints=rng.random() < 0.7,
            skew=rng.random() < 0.7,
        )
        positions = [p for p, each in enumerate(history) if each.outcome is not Outcome.FAILED]
        expected = any(
            respects(history, order, spec, condition) and legal(history, order, spec)
            for order in orders(history, positions)
        )
        found, witness = brute_force(history, positions, spec, condition)
        assert found is expected
        assert not found or respects(history, witness.order, spec, condition)
        seen[found] += 1
    assert min(seen.values()) > least_of(1 / 5, histories)


@pytest.mark.random
@pytest.mark.parametrize(("hints", "skew"), [(True, False), (False, True), (True, True)])
def test_random_histories_have_both_verdicts_and_depend_on_hints_and_skew(hints: bool, skew: bool) -> None:
    rng = random.Random(f"{SEED} {hints} {skew}")
    histories = volume(1000, least=600)  # the skew matters in one of thirty
    verdicts = {True: 0, False: 0}
    by_hints = by_skew = 0
    for _ in range(histories):
        condition = rng.choice(CONDITIONS)
        history, spec = random_history(
            rng, rng.choice(list(MAKERS)), crashes=rng.random() < 0.5, hints=hints, skew=skew
        )
        positions = [p for p, each in enumerate(history) if each.outcome is not Outcome.FAILED]
        found = brute_force(history, positions, spec, condition)[0]
        verdicts[found] += 1
        bare = History(
            [_without_order(each) for each in history], crashes=history.crashes, clock_skew=history.clock_skew
        )
        by_hints += brute_force(bare, positions, spec, condition)[0] is not found
        by_skew += brute_force(history.with_clock_skew(0), positions, spec, condition)[0] is not found
    assert min(verdicts.values()) > least_of(1 / 5, histories)
    assert by_hints > histories / 100 or not hints
    assert by_skew > 0 or not skew


def _without_order(each: Operation) -> Operation:
    fields = {name: getattr(each, name) for name in Operation.__slots__}
    return Operation(**(fields | {"order": None}))
