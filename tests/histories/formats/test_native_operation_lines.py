# SPDX-License-Identifier: Apache-2.0
"""The native reader of operation lines against the Python one: the same history or the same error for every file."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint import History
from linpoint.histories.formats import file_content, operation_lines
from linpoint.histories.formats import native_reading as native
from linpoint.histories.integer_columns import NO_INTEGER, columns_of
from linpoint.histories.lazy_operations import LazyOperations
from linpoint.histories.values import canonical
from tests.histories.compare_readers import blocks, compare
from tests.robustness.test_fuzz_readers import mutate
from tests.volume import seeds, volume

DATA = Path(__file__).parents[2] / "data"
SHARED = Path(__file__).parents[4] / "shared" / "histories"


# Existing files

FILES = sorted(path for folder in (DATA, SHARED) for path in folder.rglob("*.jsonl*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_are_read_alike(path: Path) -> None:
    if path.stat().st_size < 2_000_000:
        compare(path)


# Random files

TEXTS = ["a", "x1", "", "käse", "\U0001f600", 'q"', "back\\", "tab\t", "\u2028", "null", "1", "\x7f", "e\u0301"]


def value(rng: random.Random, depth: int = 0) -> Any:
    kinds: list[Callable[[], Any]] = [
        lambda: None,
        lambda: rng.random() < 0.5,
        lambda: rng.randint(-3, 3),
        lambda: rng.choice([2**31, -(2**40), 2**62, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**18, 10**19, 10**30]),
        lambda: rng.choice(TEXTS),
        lambda: rng.choice([1.0, 2.0, 0.5, -0.0, 1e30, 1e-7, 3.25]),
        lambda: [value(rng, depth + 1) for _ in range(rng.randint(0, 3))],
        lambda: {rng.choice(TEXTS): value(rng, depth + 1) for _ in range(rng.randint(0, 3))},
    ]
    return rng.choice(kinds if depth < 3 else kinds[:6])()


def dumped(rng: random.Random, item: Any) -> str:
    space = rng.choice([(", ", ": "), (",", ":"), (" ,\t", " : ")])
    return json.dumps(item, ensure_ascii=rng.random() < 0.5, separators=space)


def operation(rng: random.Random, at: int, *, keyed: bool, plain: bool) -> dict[str, Any]:
    process = rng.choice([rng.randint(0, 3), rng.choice(["a", "b"])])
    some = (lambda: rng.randint(0, 5)) if plain else (lambda: value(rng))
    item: dict[str, Any] = {"process": process, "op": "größe" if rng.random() < 0.02 else rng.choice(["read", "write"])}
    if rng.random() < 0.8:
        item["args"] = [some() for _ in range(rng.randint(0, 2))]
    item["call"] = 10 * at
    if rng.random() < 0.9:
        item["return"] = 10 * at + rng.choice([0, 5, 9])
        item["result"] = some()
    else:  # a process makes no call after an unknown outcome
        item["process"] = 1000 + at
        if rng.random() < 0.5:
            item["return"] = None
    if rng.random() < 0.1:
        item["outcome"] = rng.choice(["ok", "failed", "unknown", "failed"])
        if item["outcome"] == "unknown":
            item["process"] = 2000 + at
    if keyed:
        item["key"] = rng.choice([1, "k", 1.0, some()])
    if rng.random() < 0.03:
        item[rng.choice(["extra", "time", "käse"])] = value(rng)
    if rng.random() < 0.03:
        item["order"] = rng.choice([at, None, -at])
    if not plain and rng.random() < 0.01:
        item.update(rng.choice([{"call": 0.5}, {"process": True}, {"op": ""}, {"args": None}]))
    if rng.random() < 0.03:
        item["times"] = rng.choice(
            [[at, at + 1], [0.5, None], [None, 2**62], [None, None], [1], [1, 2, 3], "x", [True, 1], [[], 1]]
        )
    if not plain and rng.random() < 0.01:
        item["times"] = rng.choice([[2**70, 1], [-0.0, 1], [1e300, -5]])
    return item


def times(rng: random.Random, item: dict[str, Any]) -> dict[str, Any]:
    """The same item with some times as floats."""
    odd = {"call": rng.choice([0.0, 0.25, 1e-3]), "return": rng.choice([0.0, 0.5]), "time": 0.125}
    return {name: each + odd[name] if name in odd and type(each) is int else each for name, each in item.items()}


def text_of(rng: random.Random) -> str:
    lines = []
    keyed, plain, floats = rng.random() < 0.3, rng.random() < 0.3, rng.choice([0, 0, 0.1, 1])
    first = rng.choice([0, 0, 0, -50, 17_000_000_000, 1 << 53, -(2**62) + 5])
    for at in range(rng.randint(1, 12)):
        item = operation(rng, at, keyed=keyed, plain=plain)
        item |= {name: item[name] + first for name in ("call", "return") if type(item.get(name)) is int}
        items = [*(times(rng, item) if rng.random() < floats else item).items()]
        if rng.random() < 0.5:
            rng.shuffle(items)
        lines.append(dumped(rng, dict(items)))
        if rng.random() < 0.05:
            lines.append(rng.choice(["", "  ", "\t", "\r"]))
        if rng.random() < 0.03:
            crash = {"crash": True, "time": first + 10 * at + rng.choice([9, 9.5, 10**30])} | rng.choice(
                [{}, {"process": rng.choice([0, 77, "a"])}, {"crash": "object"}, {"crash": "object", "process": 0}]
            )
            lines.append(dumped(rng, crash))
        if rng.random() < 0.03:
            lines.append(dumped(rng, {"annotation": rng.choice(TEXTS), "time": rng.choice([1, 2.5]), "until": 10**3}))
    return rng.choice(["\n", "\n", "\r\n"]).join(lines) + rng.choice(["", "\n", "\n\n"])


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(8)))
def test_random_files_are_read_alike(seed: str, tmp_path: Path) -> None:
    rng = random.Random(seed)
    path = tmp_path / "random.jsonl"
    alone = 0
    for _ in range(400):
        path.write_text(text_of(rng), newline="")
        alone += compare(path)
    assert alone > 200


def damage(rng: random.Random, path: Path, files: int) -> None:
    for _ in range(files):
        data = mutate(rng, text_of(rng).encode())
        path.write_bytes(data[: rng.randint(0, len(data))] if rng.random() < 0.2 else data)
        compare(path, format="operations" if rng.random() < 0.5 else None)


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(8)))
def test_damaged_files_are_read_alike(seed: str, tmp_path: Path) -> None:
    damage(random.Random(seed), tmp_path / "damaged.jsonl", 400)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(2, "long"))
def test_many_damaged_files_are_read_alike(seed: str, tmp_path: Path) -> None:
    damage(random.Random(seed), tmp_path / "damaged.jsonl", 200_000)


# Operations on a natively read history

LINE = '{{"process": {0}, "op": "write", "args": [{1}], "result": null, "call": {2}, "return": {3}}}\n'


def loaded(path: Path, text: str) -> History:
    path.write_text(text)
    history = linpoint.load(path)
    assert isinstance(history.operations, LazyOperations)
    return history


def test_lines_may_cross_blocks(tmp_path: Path) -> None:
    """Blocks end anywhere: within names, numbers and characters of several bytes."""
    rng = random.Random(5)
    text = "".join(LINE.format(at % 7, json.dumps(rng.choice(TEXTS), ensure_ascii=False), at, at) for at in range(300))
    whole = loaded(tmp_path / "whole.jsonl", text)
    data = memoryview(text.encode())
    for size in (1, 2, 3, 7, 64, 1000):
        found = native.read_columns(operation_lines.make_reader, [blocks(data, size)], len(data))
        assert found is not None
        assert found.operations == whole.operations


def test_a_large_file_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file on disk and one in memory, split near the middle; and a line too long to find its end."""
    text = "".join(LINE.format(at % 7, at % 50, at, at) for at in range(300))
    whole = loaded(tmp_path / "whole.jsonl", text)
    monkeypatch.setattr(file_content, "_LARGE_FILE_BYTES", 1000)
    monkeypatch.setattr(file_content, "_BLOCK_BYTES", 333)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    (tmp_path / "h.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    for path in (tmp_path / "whole.jsonl", tmp_path / "h.jsonl.gz"):
        assert len(file_content.FileContent(str(path)).parts()) == 2
        assert [*map(repr, linpoint.load(path))] == [*map(repr, whole)]
    monkeypatch.setattr(file_content, "HEAD_BYTES", 10)
    assert len(file_content.FileContent(str(tmp_path / "whole.jsonl")).parts()) == 1


def test_gzip_and_standard_input_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = loaded(tmp_path / "h.jsonl", LINE.format(0, 1, 2, 3))
    (tmp_path / "h.jsonl.gz").write_bytes(gzip.compress((tmp_path / "h.jsonl").read_bytes()))
    assert linpoint.load(tmp_path / "h.jsonl.gz") == plain
    with (tmp_path / "h.jsonl").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert linpoint.load("-") == plain


def test_copies_selections_and_replacements_are_correct(tmp_path: Path) -> None:
    history = loaded(tmp_path / "h.jsonl", "".join(LINE.format(at, at, at, at + 5) for at in range(6)))
    assert pickle.loads(pickle.dumps(history)) == history
    assert copy.deepcopy(history) == history
    assert pickle.loads(pickle.dumps(history.operations)) == tuple(history.operations)
    assert [op.args for op in history.select([4, 2])] == [(4,), (2,)]
    assert history.replace(1, history[3])[1] == history[3]
    assert history[-1].args == (5,)
    assert [op.line for op in history[1:3]] == [2, 3]
    with pytest.raises(IndexError):
        history[6]
    assert history != linpoint.history([])
    assert history.operations != [*history.operations]


@pytest.mark.parametrize("fraction", [0, 0.25])
@pytest.mark.parametrize("skew", [0, 1, 2.25, 3.5, 2**62 - 1, 2**62, 1e200])
def test_clock_skew_has_the_same_effect_as_in_python(skew: float, fraction: float, tmp_path: Path) -> None:
    text = (
        "".join(LINE.format(at, at, 4 * at, 4 * at + 2 + fraction) for at in range(6)) + '{"crash": true, "time": 50}\n'
    )
    history = loaded(tmp_path / "h.jsonl", text)
    skewed = history.with_clock_skew(skew)
    assert (skewed.columns is history.columns) == (skew == 0)
    expected = History(tuple(history), crashes=history.crashes, clock_skew=skew)
    assert skewed == expected
    assert skewed.columns.native.overlaps() == expected.columns.native.overlaps()
    verdicts = [linpoint.check(each, "register", condition="durable").status for each in (skewed, expected)]
    assert verdicts[0] is verdicts[1]


def test_values_are_constructed_one_by_one(tmp_path: Path) -> None:
    history = loaded(tmp_path / "h.jsonl", "".join(LINE.format(at, at * 0.5, at, at) for at in range(4)))
    columns = history.columns
    assert columns.values[:3] == (None, True, False)
    assert columns.numbers[canonical(1.0)] == columns.numbers[1]
    assert columns.values[columns.numbers[0.5]] == 0.5
    assert 2**70 not in columns.numbers
    assert "\ud800" not in columns.numbers
    assert list(columns.integers) == [NO_INTEGER] * 3 + [0, NO_INTEGER, 1, NO_INTEGER]


def test_integers_of_other_histories() -> None:
    results = [True, 2**62, 2.0, 0.5, -(2**63), 2**63, "1", [1], float("nan"), float("inf"), -(2**63) + 1]
    lines = [
        {"process": 0, "op": "read", "result": r, "call": 2 * i, "return": 2 * i} for i, r in enumerate(results[:8])
    ]
    columns = linpoint.history(lines).columns
    assert list(columns.integers[3:]) == [2**62, 2, NO_INTEGER, NO_INTEGER, NO_INTEGER, NO_INTEGER, NO_INTEGER]
    ops = [linpoint.Operation(0, "read", (), result) for result in results[8:]]
    assert list(columns_of(ops, (), 0).integers[3:]) == [NO_INTEGER, NO_INTEGER, -(2**63) + 1]
