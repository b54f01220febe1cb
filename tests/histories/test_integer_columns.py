# SPDX-License-Identifier: Apache-2.0
"""Histories as integers: which values share a number, how times compare, and which histories are well formed."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import linpoint
from linpoint import Annotation, Crash, History, HistoryError, Operation, Outcome
from linpoint.histories.history import _restored, _validate
from linpoint.histories.integer_columns import FALSE, NEVER_RANK, NULL, TRUE, IntegerColumns, _Times
from linpoint.histories.values import canonical, equal_values, freeze
from tests.volume import seeds, volume

# Values

ODD: list[Any] = [
    None,
    True,
    False,
    1,
    1.0,
    0,
    0.0,
    -0.0,
    "1",
    "true",
    "",
    2**70,
    float(2**70),
    1e300,
    float("nan"),
    [],
    [1],
    [1.0],
    [True],
    {},
    {"a": 1},
    {"a": 1.0},
    {"a": True},
    [[], {"a": [None]}],
]
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from([0, 1, 1.0])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=1), inner, max_size=2)
).map(freeze)


def history_of(results: Sequence[Any]) -> History:
    return History(Operation(0, "read", (), freeze(result), 2 * at, 2 * at + 1) for at, result in enumerate(results))


def numbers(columns: IntegerColumns, values: Sequence[Any]) -> list[int]:
    return [columns.numbers[canonical(freeze(value))] for value in values]


def by_result(history: History) -> list[list[int]]:
    """The positions of operations with equal results, as the native core groups them."""
    native = history.columns.native
    return native.classify([0], result=True).split(range(len(history)))


def test_null_true_and_false_have_their_numbers_in_every_history() -> None:
    assert (NULL, TRUE, FALSE) == (0, 1, 2)
    for results in ([], [1, 0, 1.0], [False, True, None], ["null", "true"]):
        columns = history_of(results).columns
        assert numbers(columns, [None, True, False]) == [0, 1, 2]
        assert columns.values[:3] == (None, True, False)


def test_booleans_differ_from_numbers_and_whole_floats_equal_integers() -> None:
    columns = history_of([True, 1, 1.0, False, 0, 0.0, -0.0, "1"]).columns
    assert numbers(columns, [True, 1, 1.0, False, 0, 0.0, -0.0, "1"]) == [1, 3, 3, 2, 4, 4, 4, 5]
    assert by_result(history_of([True, 1, 1.0, "1", [1], [1.0], [True]])) == [[0], [1, 2], [3], [4, 5], [6]]


def test_the_start_of_a_column_does_not_matter() -> None:
    """Columns of plain integers and strings have a fast path."""
    for results in itertools.permutations([1, True, 1.0, "a", None], 4):
        expected = [[b for b in range(4) if equal_values(results[a], results[b])] for a in range(4)]
        assert by_result(history_of(results)) == [group for at, group in enumerate(expected) if group[0] == at]


@given(st.lists(values | st.sampled_from(ODD).map(freeze), max_size=12))
def test_values_share_a_number_iff_they_are_equal(results: list[Any]) -> None:
    history = history_of(results)
    columns = history.columns
    groups = by_result(history)
    for a, b in itertools.combinations(range(len(results)), 2):
        together = any(a in group and b in group for group in groups)
        assert together == equal_values(results[a], results[b])
    assert len(columns.values) == len(columns.numbers) == len(set(columns.numbers.values()))
    assert all(
        equal_values(columns.values[number], columns.values[columns.numbers[form]])
        for form, number in columns.numbers.items()
    )
    assert all(canonical(columns.values[number]) == form for form, number in columns.numbers.items())


def test_arguments_results_and_keys_have_one_numbering() -> None:
    ops = [
        Operation(0, "cas", (1.0, "x"), True, 0, 1, key="x"),
        Operation(0, "cas", (True, 1), None, 2, 3, key=1),
        Operation(0, "cas", (True, 1), 1, 4, 5, key=True),
    ]
    native = History(ops).columns.native
    assert native.classify([0], arguments=True).split([0, 1, 2]) == [[0], [1, 2]]
    assert native.classify([0], key=True).split([0, 1, 2]) == [[0], [1], [2]]
    assert native.by_object(False).split([0, 1, 2]) == [[0], [1], [2]]
    unkeyed = History(Operation(0, op.name, op.args, op.result, op.call, op.return_) for op in ops).columns.native
    assert unkeyed.by_object(False).split([0, 1, 2]) == [[0, 1, 2]]
    assert unkeyed.by_object(True).split([0, 1, 2]) == [[0], [1, 2]]
    assert unkeyed.by_first_argument().split([2, 1, 0]) == [[2, 1], [0]]


def test_operation_classes_depend_on_all_their_fields() -> None:
    ops = [
        Operation("a", "put", ("k", 1), None, 0, 1),
        Operation("b", "put", ("k", 1), None, 2, 3),
        Operation("b", "put", ("k", 1), True, 4, 5),
        Operation("b", "put", ("k",), True, 6, 7),
        Operation("b", "get", ("k",), None, 8, 9),
        Operation("b", "get", ("k",), None, 10, None, Outcome.UNKNOWN),
    ]
    native = History(ops).columns.native
    every = range(len(ops))
    assert native.classify([0, 1]).split(every) == [[0, 1, 2, 3], [4, 5]]
    assert native.classify([0, 0]).split(every) == [[0, 1, 2, 3, 4, 5]]
    assert native.classify([0, 1], arity=True).split(every) == [[0, 1, 2], [3], [4, 5]]
    assert native.classify([0, 1], arguments=True).split(every) == [[0, 1, 2], [3], [4, 5]]
    assert native.classify([0, 1], result=True).split(every) == [[0, 1], [2, 3], [4], [5]]
    assert native.classify([0, 1], process=True).split(every) == [[0], [1, 2, 3], [4, 5]]
    assert native.effective() == [0, 1, 2, 3, 4, 5]


def test_arguments_of_different_lengths_differ() -> None:
    """The field after the arguments in the key of a class must not be mistaken for an argument."""
    ops = [
        Operation(0, "f", args, result, 2 * at, 2 * at + 1)
        for at, (args, result) in enumerate([((1, 2), 3), ((1,), 2)])
    ]
    native = History(ops).columns.native
    assert native.classify([0], arguments=True, result=True).split([0, 1]) == [[0], [1]]
    ops = [Operation(0, "f", (), 5, 0, 1), Operation(0, "f", (5,), None, 2, None, Outcome.UNKNOWN)]
    native = History(ops).columns.native
    assert native.classify([0], arguments=True, result=True).split([0, 1]) == [[0], [1]]


def test_inconsistent_columns_are_rejected() -> None:
    from array import array

    from linpoint.histories._native_columns import Columns as NativeColumns

    def made(**changes: Any) -> NativeColumns:
        int32, int64 = array("i", [0, 0]), array("q", [0, 0])
        columns: dict[str, Any] = dict.fromkeys(["process", "key", "name", "result"], int32)
        columns |= dict.fromkeys(["call", "ret", "end"], int64) | {"outcome": array("B", [0, 0])}
        columns |= {"arity": array("i", [1, 0]), "arguments": array("i", [0]), "hint": array("q")}
        columns |= dict.fromkeys(["crash_time", "crash_begin", "crash_end"], array("q"))
        columns |= {"crash_process": array("i"), "skewed": False}
        return NativeColumns(**(columns | changes))

    assert len(made()) == 2
    for wrong in (
        {"process": array("i", [0])},
        {"ret": array("q", [0])},
        {"arity": array("i", [1, 1])},
        {"arity": array("i", [2, -1])},
        {"arguments": array("i")},
        {"arguments": array("i", [-2])},
        {"result": array("i", [0, -2])},
        {"hint": array("q", [0])},
        {"crash_time": array("q", [0])},
        {"crash_begin": array("q", [0])},
    ):
        with pytest.raises(ValueError, match="do not fit together"):
            made(**wrong)
    with pytest.raises(TypeError):
        made(call=array("d", [0.0, 0.0]))


# Times

BIG = 2**62
small = st.integers(-5, 5)
edges = st.sampled_from(
    [
        0,
        1,
        -1,
        2**53,
        2**53 + 1,
        BIG - 1,
        BIG,
        BIG + 1,
        -BIG,
        1 - BIG,
        NEVER_RANK - 1,
        NEVER_RANK,
        NEVER_RANK + 1,
        -NEVER_RANK,
    ]
)
finite = st.floats(-1e300, 1e300, allow_nan=False)
clocks = st.sampled_from(
    [
        small,
        st.integers(-(10**19), 10**19),
        small | edges,
        edges | st.integers(-(2**80), 2**80),
        finite,
        small | st.floats(-5, 5),
        edges | finite | small,
    ]
)
skews = st.sampled_from([0, 0, 1, 3, 0.5, 2**61, BIG, NEVER_RANK, 2**70, 1e17])


@st.composite
def timed(draw: st.DrawFn) -> tuple[list[Operation], list[Crash], Any]:
    clock = draw(clocks)
    ops = []
    for process in range(draw(st.integers(1, 5))):
        call, return_ = sorted([draw(clock), draw(clock)])
        outcome = draw(st.sampled_from([Outcome.OK, Outcome.OK, Outcome.FAILED, Outcome.UNKNOWN]))
        ends = outcome is Outcome.OK or (outcome is Outcome.FAILED and draw(st.booleans()))
        ops.append(Operation(process, "read", (), None, call, return_ if ends else None, outcome))
    crashes = [Crash(draw(clock)) for _ in range(draw(st.integers(0, 2)))]
    return ops, crashes, draw(skews)


def sign(a: Any, b: Any) -> int:
    return (a > b) - (a < b)


def later(time: Any, skew: Any) -> Any:
    """The sum, where it is exact: rounding of other sums is not tested here."""
    assume(Fraction(time) + Fraction(skew) == Fraction(time + skew))
    return time + skew


@settings(max_examples=volume(400))
@given(timed())
def test_encoded_times_keep_their_order(drawn: tuple[list[Operation], list[Crash], Any]) -> None:
    ops, crashes, skew = drawn
    times = _Times(ops, crashes, skew)
    recorded: list[Any] = []
    made: list[int] = []
    for at, op in enumerate(ops):
        recorded.append(op.call)
        made.append(times.call[at])
        if op.return_ is None and op.outcome is not Outcome.FAILED:
            assert times.return_[at] == times.end[at] == NEVER_RANK
            continue
        returned = op.call if op.return_ is None else op.return_
        recorded += [returned, later(returned, skew)]
        made += [times.return_[at], times.end[at]]
    for at, crash in enumerate(crashes):
        recorded += [later(crash.time, -skew), crash.time, later(crash.time, skew)]
        made += [times.crash_begin[at], times.crash[at], times.crash_end[at]]
    for (a, x), (b, y) in itertools.combinations(zip(recorded, made, strict=True), 2):
        assert sign(a, b) == sign(x, y), (a, b, x, y)
    assert all(number <= NEVER_RANK for number in made)


def apart(history: History) -> bool:
    """Whether the first operation precedes the second, determined by a check."""
    write, read = history
    assert (write.name, read.name, read.result) == ("write", "read", None)
    return linpoint.check(history, "register", checker="dfs").status is linpoint.Status.VIOLATION


@settings(max_examples=volume(200))
@given(clocks.flatmap(lambda clock: st.tuples(clock, clock, clock, clock)), skews)
def test_precedence_follows_the_times(drawn: tuple[Any, Any, Any, Any], skew: Any) -> None:
    """End to end, with any numbers: a read that missed a write is wrong iff it was called later."""
    written, read = sorted(drawn[:2]), sorted(drawn[2:])
    ops = [Operation(0, "write", (1,), None, *written), Operation(1, "read", (), None, *read)]
    assert apart(History(ops, clock_skew=skew)) == (later(written[1], skew) < read[0])


def test_a_fractional_skew_is_exact_for_large_times() -> None:
    """One float cannot hold both nanoseconds since 1970 and half a nanosecond."""
    now = 1_700_000_000_000_000_000
    for gap, skew in [(100, 100.5), (101, 100.5), (100, 99.5), (3, 2.5), (2, 2.5), (1, 0.5), (1, 1.5)]:
        ops = [
            Operation(0, "write", (1,), None, now, now + 1),
            Operation(1, "read", (), None, now + 1 + gap, now + 500),
        ]
        expected = Fraction(gap) > Fraction(skew)
        assert apart(History(ops, clock_skew=skew)) == expected, (gap, skew)
        oracle = linpoint.check(History(ops, clock_skew=skew), "register", checker="brute-force").status
        assert (oracle is linpoint.Status.VIOLATION) == expected, (gap, skew)


def test_an_operation_may_return_at_the_largest_time() -> None:
    """Such an operation differs from one that never returned."""
    ops = [
        Operation(0, "write", (1,), None, 0, NEVER_RANK),
        Operation(1, "write", (2,), None, 0, 5),
        Operation(2, "read", (), 1, NEVER_RANK + 1, NEVER_RANK + 2),
    ]
    for last, status in (
        (1, linpoint.Status.LINEARIZABLE),
        (2, linpoint.Status.LINEARIZABLE),
        (3, linpoint.Status.VIOLATION),
    ):
        changed = [*ops[:2], Operation(2, "read", (), last, NEVER_RANK + 1, NEVER_RANK + 2)]
        for checker in ("dfs", "linear", "wing-gong", "brute-force"):
            assert linpoint.check(changed, "register", checker=checker).status is status
            shorter = [ops[0], Operation(2, "read", (), last, 7, NEVER_RANK)]
            assert (linpoint.check(shorter, "register", checker=checker).status is linpoint.Status.LINEARIZABLE) == (
                last == 1
            )


def test_encoded_hints_keep_their_order() -> None:
    for smaller, larger in [
        (1, 2),
        (1, 1.5),
        (-(2**70), 2**70),
        (2**53, 2**53 + 1),
        (float(2**53), 2**53 + 1),
        (-1, 0),
    ]:
        ops = [
            Operation(0, "write", (1,), None, 0, 10, order=larger),
            Operation(1, "write", (2,), None, 0, 10, order=smaller),
            Operation(2, "read", (), 2, 20, 30),
        ]
        assert linpoint.check(ops, "register", checker="dfs").status is linpoint.Status.VIOLATION
        assert linpoint.check([*ops[:2], Operation(2, "read", (), 1, 20, 30)], "register", checker="dfs").status is (
            linpoint.Status.LINEARIZABLE
        )


# Pickles and variants


def full() -> History:
    return History(
        [
            Operation(0, "cas", ({"a": [1]}, True), True, 1, 2.5, key=("x",), order=3, line=7),
            Operation("p", "read", (), None, 2, None, Outcome.UNKNOWN, key=1),
        ],
        crashes=[Crash(9), Crash(4, 0, line=8)],
        annotations=[Annotation("fault", 1, 3)],
        source="here",
        clock_skew=0.5,
    )


@pytest.mark.parametrize("clone", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
def test_a_history_survives_pickling(clone: Any) -> None:
    history = full()
    for made_before in (False, True):
        if made_before:
            assert history.columns is history.columns
        again = clone(history)
        assert again == history
        assert hash(again) == hash(history)
        assert (again.source, again.by_position, again.annotations) == ("here", False, history.annotations)
        assert again.columns.numbers.keys() == history.columns.numbers.keys()
        assert again.columns.native.effective() == [0, 1]
        assert linpoint.check(again, "cas-register").status is linpoint.check(history, "cas-register").status


def test_pickled_positions_stay_positions() -> None:
    history = History([Operation(0, "read", (), None, 0, 1)], by_position=True)
    again = pickle.loads(pickle.dumps(history))
    with pytest.raises(linpoint.UsageError, match="LP-U006"):
        again.with_clock_skew(1)


def test_variants_have_columns_of_their_own() -> None:
    history = history_of([1, 2, 3])
    assert len(history.columns.native) == 3
    assert len(history.select([0, 2]).columns.native) == 2
    assert history.select([2]).columns.values[3:] == (3,)
    changed = history.replace(1, Operation(0, "read", (), 9, 2, 3))
    assert changed.columns.values[3:] == (1, 9, 3)
    close = History([Operation(0, "a", (), None, 0, 1), Operation(1, "a", (), None, 2, 3)])
    assert not close.columns.native.overlaps()
    assert close.with_clock_skew(1).columns.native.overlaps()


# Well-formed histories


def sound(ops: Sequence[Operation], crashes: Sequence[Crash]) -> bool:
    """The definition of well formed, pair by pair."""

    def follows(before: Operation, after: Operation) -> bool:
        if before.outcome is Outcome.UNKNOWN:
            ends = [c for c in crashes if c.of_object or c.process in (None, before.process)]
            return any(before.call < c.time <= after.call for c in ends)
        return before.end <= after.call

    if any(op.return_ is not None and op.return_ < op.call for op in ops):
        return False
    if any(op.return_ is None and op.outcome is Outcome.OK for op in ops):
        return False
    if len({op.key is None for op in ops}) > 1:
        return False
    for a, b in itertools.combinations(ops, 2):
        if a.process == b.process and not follows(a, b) and not follows(b, a):
            return False
    return not any(
        op.outcome is Outcome.OK and op.return_ is not None and c.covers(op.process) and op.call < c.time < op.return_
        for op in ops
        for c in crashes
    )


def scrambled(rng: random.Random) -> tuple[list[Operation], list[Crash]]:
    """Operations that are well formed about half of the time."""
    scale = rng.choice([1, 1, 0.5, 2**62, 2**70, -1])
    disorder = rng.choice([0.0, 0.2, 0.3])

    def time(low: int, high: int) -> Any:
        return rng.randint(low, high) * scale

    processes: list[Any] = rng.sample([0, 1, "a", "1"], rng.randint(1, 3))
    free = dict.fromkeys(processes, 0)
    crashes = [Crash(time(0, 12), rng.choice([None, *processes, "nobody"])) for _ in range(rng.choice([0, 0, 1, 2]))]
    crashes += [Crash(time(0, 12), of_object=True) for _ in range(rng.choice([0, 0, 1]))]
    ops = []
    for _ in range(rng.randint(0, 6)):
        process = rng.choice(processes)
        begin = rng.randint(0, 12) if rng.random() < disorder else free[process] + rng.randint(0, 2)
        finish = begin + rng.choice([0, 1, 2, 2])
        free[process] = finish
        call, return_ = sorted([begin * scale, finish * scale])
        if rng.random() < disorder / 4:
            call, return_ = return_, call
        outcome = rng.choices([Outcome.OK, Outcome.FAILED, Outcome.UNKNOWN], [6, 1, 1])[0]
        left_open = outcome is Outcome.UNKNOWN or rng.random() < 0.05
        ops.append(
            Operation(
                process,
                rng.choice("fg"),
                (),
                None,
                call,
                None if left_open and rng.random() < 0.95 else return_,
                outcome,
                key=None if rng.random() < disorder / 4 or scale == 0.5 else "k",
            )
        )
    rng.shuffle(ops)
    return ops, crashes


def complaint(ops: Sequence[Operation], crashes: Sequence[Crash]) -> str | None:
    """The complaint of the Python rules."""
    in_time = tuple(sorted(crashes, key=lambda crash: crash.time))
    unchecked = _restored(tuple(ops), in_time, (), "history", 0, False)
    try:
        _validate(unchecked)
    except HistoryError as error:
        return str(error)
    return None


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(4)))
def test_exactly_the_malformed_histories_are_rejected(seed: str) -> None:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(3000):
        ops, crashes = scrambled(rng)
        expected = complaint(ops, crashes)
        assert (expected is None) == sound(ops, crashes), (ops, crashes, expected)
        try:
            History(ops, crashes=crashes)
        except HistoryError as error:
            assert str(error) == expected, (ops, crashes)
            seen[error.code] += 1
        else:
            assert expected is None, (ops, crashes)
            seen["fine"] += 1
    assert {"LP-H004", "LP-H005", "LP-H006", "LP-H013", "LP-H014", "fine"} <= set(seen)
    assert min(seen["fine"], seen["LP-H004"]) > 300
    assert min(seen.values()) > 20


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(4)))
def test_the_native_rule_accepts_ordinary_histories(seed: str) -> None:
    """Python checks again what the native rule rejects; ordinary histories must not need that."""
    rng = random.Random(seed)
    for _ in range(2000):
        ops, crashes = scrambled(rng)
        usual = all((op.return_ is None) == (op.outcome is Outcome.UNKNOWN) for op in ops)
        if sound(ops, crashes) and usual:
            assert History(ops, crashes=crashes).columns.native.well_formed()
