# SPDX-License-Identifier: Apache-2.0
"""Natively read lists and objects: equal to those of the Python reader, and compared only on request."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint import History
from linpoint.histories.formats import file_content
from linpoint.histories.integer_columns import IntegerColumns
from linpoint.histories.lazy_operations import LazyOperations
from linpoint.histories.lazy_values import RecordedNumbering
from linpoint.histories.value_numbering import Equated
from linpoint.histories.values import MAX_NESTING_DEPTH, canonical, freeze
from tests.histories.compare_readers import compare, same_history, same_values_as_read
from tests.robustness.test_fuzz_readers import mutate
from tests.volume import seeds, volume

PLAIN = [None, True, False, 0, 1, -7, 2**40, 2**63 - 1, "", "a", "b", "käse", "null"]
ODD = [1.0, 0.5, -0.0, 2**63, -(2**63), 10**30, 'q"', "tab\t", "back\\"]


def nested(rng: random.Random, scalars: list[Any], depth: int = 0) -> Any:
    """A list or an object of these values, with any values next to each other."""
    if depth and rng.random() < 0.15 * depth + 0.4:
        return rng.choice(scalars)
    items = [nested(rng, scalars, depth + 1) for _ in range(rng.choice([0, 1, 2, 2, 3, 12 if depth < 2 else 1]))]
    if rng.random() < 0.6:
        return items
    names = rng.sample(["a", "b", "c", "at", "", "ä", "z1", "z2", "z3", "z4", "z5", "z6"], len(items))
    return dict(zip(names, items, strict=True))


def written(rng: random.Random, value: Any) -> str:
    space = rng.choice([(", ", ": "), (",", ":"), (" ,\t", " : ")])
    return json.dumps(value, ensure_ascii=rng.random() < 0.2, separators=space)


def line(at: int, args: str, result: str = "null", *, key: str | None = None) -> str:
    named = "" if key is None else f', "key": {key}'
    return f'{{"process": {at % 5}, "op": "f", "args": [{args}], "result": {result}, "call": {at}, "return": {at}{named}}}\n'


def text_of(rng: random.Random) -> str:
    scalars = rng.choice([PLAIN, PLAIN, PLAIN + ODD, PLAIN * 9 + ODD])
    keyed = rng.random() < 0.2
    pool = [written(rng, nested(rng, scalars)) for _ in range(rng.randint(1, 6))]
    pool += [json.dumps(rng.choice(scalars)), '{"a": 1, "a": 2}' if rng.random() < 0.1 else "[]"]
    lines = []
    for at in range(rng.randint(1, 15)):
        args = ", ".join(rng.choices(pool, k=rng.randint(0, 3)))
        lines.append(line(at, args, rng.choice(pool), key=rng.choice(pool) if keyed else None))
        if rng.random() < 0.05:
            lines.append(f'{{"crash": true, "args": [[{at}, [8]]], "time": {at}}}\n')
    return "".join(lines)


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(8)))
def test_random_lists_are_read_alike(seed: str, tmp_path: Path) -> None:
    rng = random.Random(seed)
    path = tmp_path / "lists.jsonl"
    alone = 0
    for _ in range(200):
        path.write_text(text_of(rng))
        alone += compare(path, format="operations")
    assert alone > 120


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(4)))
def test_damaged_lists_are_read_alike(seed: str, tmp_path: Path) -> None:
    rng = random.Random(seed)
    path = tmp_path / "damaged.jsonl"
    for _ in range(400):
        path.write_bytes(mutate(rng, text_of(rng).encode()))
        compare(path, format="operations")


def loaded(path: Path, *values: str) -> History:
    """One operation for each value, as its argument and its result."""
    path.write_text("".join(line(at, value, value) for at, value in enumerate(values)))
    history = linpoint.load(path, format="operations")
    assert isinstance(history.operations, LazyOperations)
    compare(path, format="operations")
    return history


def sharing(history: History) -> list[int]:
    """For each operation, the first one with an equal result."""
    returned = [history.columns.native.numbers_at(position)[1] for position in range(len(history))]
    assert min(returned) >= 0
    return [returned.index(number) for number in returned]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["[1, 2]", "[2, 1]", "[1,2]", "[[1, 2]]", "[1, [2]]", "[[1], 2]"], [0, 1, 0, 3, 4, 5]),
        (["[]", "{}", "[[]]", "[{}]", "[]", "{}"], [0, 1, 2, 3, 0, 1]),
        (['{"a": 1, "b": 2}', '{"b": 2, "a": 1}', '{"a": 2, "b": 1}', '["a", 1, "b", 2]'], [0, 0, 2, 3]),
        (['[{"a": [1, {"x": 1, "y": 2}], "b": 0}]', '[{"b": 0, "a": [1, {"y": 2, "x": 1}]}]'], [0, 0]),
        (["[1]", "[true]", '["1"]', "[null]", "[false]", "[0]", "1"], [0, 1, 2, 3, 4, 5, 6]),
        (["[1, 2]", "[1.0, 2]", "[1.0, 2.0]", "[1, 2]", "[1.5]", "[15e-1]"], [0, 0, 0, 0, 4, 4]),
        (["[1.0, 2]", "[1, 2]", "1.0", "1"], [0, 0, 2, 2]),
        (['["a"]', '["\\u0061"]', '{"a": 1}', '{"\\u0061": 1}', '{"a": 2, "a": 1}'], [0, 0, 2, 2, 2]),
        (["7", "7.0", "[7]", "8", "[7, 7]", "[7]"], [0, 0, 2, 3, 4, 2]),
    ],
)
def test_equal_values_share_a_number(values: list[str], expected: list[int], tmp_path: Path) -> None:
    history = loaded(tmp_path / "h.jsonl", *values)
    assert sharing(history) == expected
    columns = history.columns
    for position, op in enumerate(history):
        assert columns.numbers[canonical(op.result)] == columns.native.numbers_at(position)[1]
    same_values_as_read(history)


def test_objects_keep_the_order_of_their_names(tmp_path: Path) -> None:
    history = loaded(tmp_path / "h.jsonl", '{"b": 1, "a": [2]}', '{"a": [2], "b": 1}')
    assert [list(op.result) for op in history] == [["b", "a"], ["a", "b"]]
    assert [type(op.result).__name__ for op in history] == ["FrozenObject"] * 2
    assert type(history[0].result["a"]) is tuple


@pytest.mark.parametrize("what", ["args", "result"])
def test_depth_is_limited(what: str, tmp_path: Path) -> None:
    for begin, end in [("[", "]"), ('{"a":', "}")]:
        for depth in (MAX_NESTING_DEPTH, MAX_NESTING_DEPTH + 1):
            value = begin * (depth - 1) + "[1]" + end * (depth - 1)
            path = tmp_path / "deep.jsonl"
            path.write_text(line(0, value) if what == "args" else line(0, "", value))
            assert compare(path) == (depth <= MAX_NESTING_DEPTH)


def test_list_keys_share_numbers_with_arguments(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    path.write_text(line(0, "[1]", key="[1]") + line(1, "[2]", key="[1.0]") + line(2, "[1]", key='{"a": [1]}'))
    assert compare(path)
    history = linpoint.load(path)
    objects = [history.columns.native.object_at(position, False) for position in range(3)]
    assert objects[0] == objects[1] == history.columns.native.numbers_at(0)[0][0] != objects[2]
    assert history.columns.as_read.object_at(0, False) == objects[0]


def test_lists_in_both_parts_of_a_large_file_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    path = tmp_path / "large.jsonl"
    values = [written(rng, nested(rng, PLAIN)) for _ in range(40)]
    path.write_text("".join(line(at, rng.choice(values), rng.choice(values)) for at in range(400)))
    whole = linpoint.load(path)
    monkeypatch.setattr(file_content, "_LARGE_FILE_BYTES", 1000)
    monkeypatch.setattr(file_content, "_BLOCK_BYTES", 333)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert len(file_content.FileContent(str(path)).parts()) == 2
    same_history(linpoint.load(path), whole)


# When lists are compared

TEXT = "".join(line(at, f"[{at}, [7, {at % 3}]]", f'{{"at": {at % 2}}}') for at in range(20))


def test_loading_compares_no_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: RecordedNumbering) -> Equated:
        raise AssertionError("somebody compares lists")

    monkeypatch.setattr(RecordedNumbering, "_equate", refuse)
    path = tmp_path / "h.jsonl"
    path.write_text(TEXT + '{"crash": true, "time": 30}\n')
    for history in (linpoint.load(path), linpoint.load(path).with_clock_skew(3)):
        assert (len(history), history.processes, history.keyed) == (20, (0, 1, 2, 3, 4), False)
        assert history[3].args == ((3, (7, 0)),)
        assert [op.result["at"] for op in history] == [0, 1] * 10
        columns = history.columns
        assert columns.names == ("f",)
        assert columns.as_read.lists == 40
        assert columns.as_read.overlaps() == columns.timed.overlaps() == (history.clock_skew > 0)
        assert [columns.scalar_number(value) for value in (None, True, False)] == [0, 1, 2]
        numbers = {columns.scalar_number(value) for value in [*range(20), "at"]}
        assert len(numbers) == 21
        assert numbers == set(range(3, len(columns.scalars)))
        assert columns.scalar_number(7.0) == columns.scalar_number(7)
        assert [columns.scalar_number(value) for value in (99, "b", 0.5, 2**70)] == [-1] * 4
        with pytest.raises(AssertionError, match="compares lists"):
            columns.native  # noqa: B018 - it is made by asking


def test_a_text_that_equals_an_integer_renumbers_lists_too(tmp_path: Path) -> None:
    """Equal scalars are found without comparing lists, and lists hold the new numbers."""
    history = loaded(tmp_path / "h.jsonl", "1.0", "[2, 3]", "1", "3", "0.5", "[4]", "3.0")
    columns = history.columns
    assert len(columns.scalars) == 3 + 5  # 1, 2, 3, 0.5, 4
    assert columns.scalar_number(0.5) == columns.numbers[0.5]
    same_values_as_read(history)


def test_lists_are_compared_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[RecordedNumbering] = []
    equate = RecordedNumbering._equate

    def slowly(self: RecordedNumbering) -> Equated:
        found.append(self)
        time.sleep(0.05)
        return equate(self)

    monkeypatch.setattr(RecordedNumbering, "_equate", slowly)
    path = tmp_path / "h.jsonl"
    path.write_text(TEXT)
    history = linpoint.load(path)
    late = history.with_clock_skew(2)
    answers: list[Any] = []
    ways: list[Callable[[], Any]] = [
        lambda: len(history.columns.native),
        lambda: len(late.columns.native),
        lambda: len(history.columns.values),
        lambda: history.columns.integers,
    ]
    threads = [threading.Thread(target=lambda way=way: answers.append(way())) for way in ways]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1
    assert len(answers) == len(ways)


# Histories constructed in Python


def made(*values: Any) -> IntegerColumns:
    ops = [linpoint.Operation(0, "f", (value,), value, 2 * at, 2 * at + 1) for at, value in enumerate(values)]
    history = History(ops)
    same_values_as_read(history)
    return history.columns


def test_histories_constructed_in_python_have_lists_as_tokens() -> None:
    columns = made((1, 2.5), [1.0, 2.5], {"b": (True,), "a": 1}, 1, (), frozenset({3}))
    assert columns.as_read.lists == 3
    first, second, *_ = (columns.as_read.numbers_at(position) for position in range(6))
    assert first == second == ([-2], -2)
    assert columns.as_read.tokens(0) == [-4, columns.scalar_number(1), columns.scalar_number(2.5)]
    assert columns.scalar_number(frozenset({3})) == columns.numbers[canonical(frozenset({3}))]
    assert columns.scalar_number("a") >= len(columns.values)
    assert columns.scalar_number("c") == -1


def test_histories_without_lists_have_one_form() -> None:
    columns = made(1, "a", 1.5, None)
    assert columns.as_read is columns.native is columns.timed
    assert list(columns.scalars) == list(columns.values)


def test_inconsistent_lists_are_rejected() -> None:
    from array import array

    native = made(7, 8).native

    def listed(slots: list[int], first: list[int], tokens: list[int]) -> list[int]:
        with_lists = native.with_lists(array("i", slots), array("q", first), array("i", tokens))
        return with_lists.numbers_at(1)[0]

    slots = [-1, -1, -1, -1, 0]
    pair, entry = -(2**30) - 2, -(2**30) - 1
    assert listed(slots, [0, 3], [-4, 7, 8]) == [-2]
    assert listed(slots, [0, 5], [-3, entry, 1, -3, 2]) == [-2]
    for wrong in (
        (slots[:4], [0, 3], [-4, 7, 8]),
        ([*slots[:4], 1], [0, 3], [-4, 7, 8]),
        (slots, [], []),
        (slots, [1, 3], [-4, 7, 8]),
        (slots, [0, 2], [-4, 7, 8]),
        (slots, [0, 3], [-5, 7, 8]),
        (slots, [0, 3], [-3, 7, 8]),
        (slots, [0, 3, 3], [-4, 7, 8]),
        (slots, [0, 2], [-3, -1]),
        (slots, [0, 1], [7]),
        (slots, [0, 3], [entry, -2, 7]),
        (slots, [0, 4], [pair, 1, 2, 3]),
    ):
        with pytest.raises(ValueError, match="do not fit together"):
            listed(*wrong)
    again = native.with_lists(array("i", slots), array("q", [0, 1]), array("i", [-2]))
    with pytest.raises(ValueError, match="do not fit together"):
        again.with_lists(array("i", slots), array("q", [0, 1]), array("i", [-2]))
    with pytest.raises(ValueError, match="do not fit together"):
        again.tokens(1)


# Keys: equal values are one object, in any notation


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[1, 2]", "[1,2]"),
        ("[1]", "[1.0]"),
        ("1", "1.0"),
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
        ('"a"', '"\\u0061"'),
        ('["a"]', '["\\u0061"]'),
    ],
)
def test_equal_keys_are_one_object(tmp_path: Path, one: str, other: str) -> None:
    file = tmp_path / "keyed.jsonl"
    write = '{"process": 0, "op": "write", "args": [5], "result": null, "call": 1, "return": 2, "key": %s}\n'
    read = '{"process": 0, "op": "read", "result": %s, "call": 3, "return": 4, "key": %s}\n'
    third = '{"process": 0, "op": "write", "args": [5.0], "result": null, "call": 5, "return": 6, "key": "third"}\n'
    for result, expected in (("5", "linearizable"), ("null", "violation")):
        file.write_text(write % one + read % (result, other) + third)
        verdict = linpoint.check(linpoint.load(file), "register")
        assert verdict.status.value == expected
        assert [key.key for key in verdict.keys] == [freeze(json.loads(one)), "third"]


def test_a_key_equals_a_value_with_another_spelling(tmp_path: Path) -> None:
    file = tmp_path / "keyed.jsonl"
    file.write_text(
        '{"process": 0, "op": "cas", "args": [1.0, 2], "result": false, "call": 1, "return": 2, "key": 1}\n'
    )
    verdict = linpoint.check(linpoint.load(file), "cas-register")
    assert (verdict.status.value, verdict.keys[0].key) == ("linearizable", 1)
