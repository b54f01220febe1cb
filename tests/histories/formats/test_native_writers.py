# SPDX-License-Identifier: Apache-2.0
"""Native writers against the Python writers: the same text, character by character."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint import History
from linpoint.histories.formats import FORMATS, native_writing
from linpoint.histories.lazy_operations import LazyOperations
from tests.histories.formats import test_native_csv, test_native_events, test_native_operation_lines
from tests.volume import seeds, volume


def in_python(history: History) -> History:
    return History(
        tuple(history.operations),
        crashes=history.crashes,
        annotations=history.annotations,
        source=history.source,
        by_position=history.by_position,
    )


def content(history: History, name: str, folder: Path) -> Any:
    """The text, or the items of a binary format; natively an integer in an unusual notation makes a text column."""
    write = FORMATS[name].write
    assert write is not None
    pieces = list(write(history))
    if name not in ("parquet", "arrow"):
        return "".join(pieces)  # type: ignore[arg-type]
    (folder / "written").write_bytes(b"".join(pieces))  # type: ignore[arg-type]
    again = linpoint.load(folder / "written")
    return [*map(repr, (*again, *again.crashes, *again.annotations))]


SOURCES: list[tuple[Callable[[random.Random], str], str]] = [
    (test_native_operation_lines.text_of, "operations"),
    (test_native_csv.text_of, "csv"),
    (test_native_events.edn_text, "jepsen-edn"),
]


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(4)))
@pytest.mark.parametrize(("make", "source"), SOURCES)
@pytest.mark.parametrize("target", ["operations", "csv", "parquet", "arrow"])
def test_native_and_python_writers_agree(
    make: Callable[[random.Random], str], source: str, target: str, seed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(native_writing, "OPERATIONS_PER_PIECE", 3)
    rng = random.Random(f"{seed} {source} {target}")
    path = tmp_path / "source"
    compared = 0
    for _ in range(100):
        path.write_text(make(rng), newline="", encoding="utf-8")
        try:
            history = linpoint.load(path, format=source)
        except linpoint.LinpointError:
            continue
        if isinstance(history.operations, LazyOperations):
            assert content(history, target, tmp_path) == content(in_python(history), target, tmp_path)
            compared += 1
    assert compared > 3
