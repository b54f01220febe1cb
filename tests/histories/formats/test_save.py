# SPDX-License-Identifier: Apache-2.0
"""Saved histories read back unchanged or are rejected; properties over random histories."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linpoint.errors import UsageError
from linpoint.histories.formats import FORMATS, load, save
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome
from linpoint.histories.values import canonical, freeze

SHARED_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=5
).map(freeze)
times = st.integers(0, 20) | st.floats(0, 20)
names = st.sampled_from(["read", "write", "cas", "add", "swap", "acquire", "try_acquire", "user-op", 'op "x"', "nil"])
keys = st.none() | st.integers(0, 3) | st.text(max_size=3) | st.tuples(st.integers(0, 3), st.text(max_size=1))


@st.composite
def histories(draw: st.DrawFn, *, crashes: bool = True, hints: bool = True) -> History:
    """Well-formed histories: the times of each process in order, an unknown outcome only at its end."""
    keyed = draw(st.booleans())
    operations = []
    for process in draw(st.lists(st.integers() | st.text(), unique=True, min_size=1, max_size=4)):
        instants = sorted(draw(st.lists(times, max_size=8)))
        spans = list(zip(instants[::2], instants[1::2], strict=False))
        for number, (call, return_) in enumerate(spans):
            last = number == len(spans) - 1
            outcome = draw(st.sampled_from(list(Outcome) if last else [Outcome.OK, Outcome.FAILED]))
            open_ended = outcome is Outcome.UNKNOWN and draw(st.booleans())
            operations.append(
                Operation(
                    process,
                    draw(names),
                    tuple(draw(st.lists(values, max_size=2))),
                    draw(values) if outcome is Outcome.OK else None,
                    call,
                    None if open_ended else return_,
                    outcome,
                    draw(keys.filter(lambda key: key is not None)) if keyed else None,
                    draw(st.none() | st.tuples(st.none() | times, st.none() | times)),
                    order=draw(st.none() | times | st.integers()) if hints else None,
                )
            )
    kinds = st.sampled_from([{}, {"process": "p"}, {"of_object": True}])
    fallen = [Crash(time, **draw(kinds)) for time in draw(st.lists(st.floats(21, 30), max_size=3))]
    notes = [
        Annotation(draw(st.text()), time, draw(st.none() | st.just(time + 1)))
        for time in draw(st.lists(times, max_size=2))
    ]
    return History(draw(st.permutations(operations)), crashes=fallen if crashes else (), annotations=notes)


def meaning(op: Operation) -> tuple[Any, ...]:
    exact = canonical((op.args, op.result, op.key))
    return (op.process, op.name, exact, op.outcome)


def exactly(history: History) -> Any:
    return (
        [(*meaning(op), op.call, op.return_, op.times, op.order) for op in history],
        [(crash.time, crash.process, crash.of_object) for crash in history.crashes],
        [(annotation.text, annotation.time, annotation.until) for annotation in history.annotations],
    )


@SHARED_FOLDER
@given(history=histories())
@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv", "a.csv.gz"])
def test_lossless_formats_read_back_unchanged(tmp_path: Path, name: str, history: History) -> None:
    if not history.operations and not history.crashes and not history.annotations:
        return
    save(history, tmp_path / name)
    assert exactly(load(tmp_path / name)) == exactly(history)


def precedence(history: History) -> set[tuple[Any, Any]]:
    """Real-time precedence among the operations that count; operations are named by process and number."""
    by_process: dict[Any, list[Operation]] = {}
    for op in sorted(history, key=lambda op: (op.call, op.call if op.return_ is None else op.return_)):
        by_process.setdefault(op.process, []).append(op)
    named = [
        ((process, i), op)
        for process, ops in by_process.items()
        for i, op in enumerate(ops)
        if op.outcome is not Outcome.FAILED
    ]
    order = {
        (name, other)
        for name, op in named
        for other, later in named
        if op.outcome is Outcome.OK and op.return_ is not None and op.return_ < later.call
    }
    return order | {(name, other) for (name, _), (other, _) in pairwise(named) if name[0] == other[0]}


@SHARED_FOLDER
@given(history=histories(hints=False))
@pytest.mark.parametrize("name", ["a.edn", "a.json", "a.edn.gz"])
def test_event_formats_keep_the_order_or_reject_the_history(tmp_path: Path, name: str, history: History) -> None:
    try:
        save(history, tmp_path / name)
    except UsageError as error:
        assert error.code == "LP-U005"
        assert error.remedy
        return
    again = load(tmp_path / name)
    assert precedence(again) == precedence(history)
    assert sorted(map(repr, map(event_meaning, again))) == sorted(map(repr, map(event_meaning, history)))
    kinds = [[repr((each.process, each.of_object)) for each in one.crashes] for one in (again, history)]
    assert sorted(kinds[0]) == sorted(kinds[1])


def event_meaning(op: Operation) -> tuple[Any, ...]:
    return (op.process, op.name, op.args, op.result, op.outcome, op.key)


@st.composite
def registers(draw: st.DrawFn) -> History:
    """Ordinary histories of a CAS register, at distinct times: event formats must accept each of them."""
    keyed = draw(st.booleans())
    instants = draw(st.permutations(range(12)))
    operations = []
    for process in range(3):
        mine = sorted(instants[4 * process : 4 * process + 4])
        for call, return_ in (mine[:2], mine[2:]):
            name, args, result = draw(
                st.sampled_from(
                    [
                        ("read", (), 1),
                        ("read", (), None),
                        ("write", (2,), None),
                        ("cas", (1, 2), True),
                        ("cas", (1, 2), False),
                    ]
                )
            )
            operations.append(
                Operation(process, name, args, result, call, return_, key=draw(st.integers(0, 2)) if keyed else None)
            )
    return History(operations, annotations=[Annotation('kill ["n1"]', 3), Annotation("pause of n2", 4, 7)])


@SHARED_FOLDER
@given(history=registers())
@pytest.mark.parametrize("name", ["a.edn", "a.json"])
def test_event_formats_accept_ordinary_histories(tmp_path: Path, name: str, history: History) -> None:
    save(history, tmp_path / name)
    again = load(tmp_path / name)
    assert precedence(again) == precedence(history)
    assert {meaning(op) for op in again} == {meaning(op) for op in history}
    assert [note.text for note in again.annotations] == ['kill ["n1"]', "pause of n2", "pause of n2"]
    assert {op.times for op in again} == {(op.call, op.return_) for op in history}


def test_at_one_instant_calls_precede_returns_except_within_a_process(tmp_path: Path) -> None:
    history = History(
        [
            Operation("a", "write", (1,), None, 0, 5),
            Operation("a", "write", (2,), None, 5, 9),
            Operation("b", "write", (3,), None, 5, 8),
            Operation("c", "write", (4,), None, 1, 5),
            Operation("d", "write", (5,), None, 5, 5),
        ]
    )
    save(history, tmp_path / "a.edn")
    assert precedence(load(tmp_path / "a.edn")) == precedence(history)


def test_two_processes_that_return_and_call_at_one_instant_are_rejected(tmp_path: Path) -> None:
    spans = [(0, 5), (5, 9)]
    history = History([Operation(process, "read", (), 0, *span) for process in "ab" for span in spans])
    with pytest.raises(UsageError, match=r"LP-U005.* both return and call at 5"):
        save(history, tmp_path / "a.edn")
    assert not (tmp_path / "a.edn").exists()


@pytest.mark.parametrize(
    ("history", "evidence"),
    [
        (
            History([Operation(0, "write", (1,), None, 3, None, Outcome.UNKNOWN)], crashes=[Crash(3, of_object=True)]),
            "the exact time of a crash of the object",
        ),
        (History([Operation(0, "put", ("k", 1), None, 0, 1)]), "2 arguments"),
        (History([Operation(0, "read", (1,), 1, 0, 1)]), "1 arguments"),
        (History([Operation(0, "cas", (1,), True, 0, 1)]), "1 arguments"),
        (History([Operation(0, "enqueue", (1,), False, 0, 1)]), "read back as enqueue(1)"),
        (History([Operation(0, "mine", (1,), 1, 0, 1)]), "read back as mine(1)"),
        (History([Operation(0, "write", ((1, 2),), None, 0, 1)]), "read back as [1] write(2)"),
        (History([Operation("nemesis", "write", (1,), None, 0, 1)]), "nemesis"),
        (History([Operation(0, "read", (), 1, 0, 1, order=7)]), "it has an order"),
    ],
)
def test_histories_that_event_formats_cannot_express_are_rejected(
    tmp_path: Path, history: History, evidence: str
) -> None:
    for name in ("a.edn", "a.json"):
        with pytest.raises(UsageError) as caught:
            save(history, tmp_path / name)
        assert caught.value.code == "LP-U005"
        assert evidence in caught.value.message
        assert "operation lines" in caught.value.remedy


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), object(), {1, 2}, "\ud800", 10**5000],
    ids=["nan", "inf", "object", "set", "surrogate", "digits"],
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.edn", "a.json", "a.csv"])
def test_values_that_are_not_json_are_rejected(tmp_path: Path, name: str, value: Any) -> None:
    history = History([Operation(0, "swap", (1,), value, 0, 1)])
    with pytest.raises(UsageError) as caught:
        save(history, tmp_path / name)
    assert caught.value.code == "LP-U005"
    assert caught.value.remedy


READ = History([Operation(0, "read", (), 1, 0, 1)])


@pytest.mark.parametrize(
    ("path", "options", "code"),
    [
        ("a.txt", {}, "LP-U005"),
        ("a", {}, "LP-U005"),
        ("no/such/folder/a.jsonl", {}, "LP-U005"),
        ("a.jsonl", {"format": "xml"}, "LP-U001"),
        ("a.jsonl", {"format": "porcupine"}, "LP-U001"),
    ],
)
def test_invalid_destinations_are_rejected(tmp_path: Path, path: str, options: dict[str, str], code: str) -> None:
    with pytest.raises(UsageError) as caught:
        save(READ, tmp_path / path, **options)
    assert caught.value.code == code
    assert caught.value.remedy


def test_an_empty_history_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="LP-U005"):
        save(History([]), tmp_path / "a.jsonl")


def test_saving_does_not_lose_a_clock_skew_silently(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.edn", "a.csv"):
        with pytest.raises(UsageError, match=r"LP-U005.*with_clock_skew\(0\)"):
            save(READ.with_clock_skew(5), tmp_path / name)
        assert not (tmp_path / name).exists()


def test_saving_to_standard_output_and_compressed_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(READ, "-")
    line = '{"process": 0, "op": "read", "args": [], "result": 1, "call": 0, "return": 1}\n'
    assert capsys.readouterr().out == line
    save(READ, tmp_path / "a.jsonl.gz")
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == line.encode()


def test_a_format_can_be_forced(tmp_path: Path) -> None:
    save(READ, tmp_path / "a", format="jepsen-edn")
    assert (tmp_path / "a").read_text().startswith("{:index 0, :process 0, :type :invoke, :f :read, :value nil")
    assert all(format.name == name for name, format in FORMATS.items())
