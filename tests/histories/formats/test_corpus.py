# SPDX-License-Identifier: Apache-2.0
"""Real files: every history of the shared corpus loads, and converts to operation lines and back."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from linpoint.histories.formats import load, save
from linpoint.histories.history import History

CORPUS = (Path(__file__).parents[3] / "../shared/histories").resolve()
ONLY_NEMESIS = "mongodb-v0-ack-rollback-.edn"


def rows() -> list[dict[str, str]]:
    manifest = CORPUS / "manifest.tsv"
    if not manifest.exists():
        return []
    with open(manifest, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


ROWS = rows()
pytestmark = pytest.mark.skipif(not ROWS, reason=f"the corpus of histories is not there: {CORPUS}")


@pytest.mark.parametrize("row", ROWS, ids=[row["path"] for row in ROWS])
def test_every_file_loads(row: dict[str, str]) -> None:
    history = load(CORPUS / row["path"])
    if row["path"].endswith(ONLY_NEMESIS):
        assert (len(history), len(history.annotations)) == (0, 28)
        return
    assert len(history) > 0
    assert history.keyed == (row["path"].startswith("recorded/") or "/kv/" in row["path"])
    assert all(op.line is not None for op in history)


def data(history: History) -> list[tuple[object, ...]]:
    return [
        (op.process, op.name, op.args, op.result, op.call, op.return_, op.outcome, op.key, op.times) for op in history
    ]


@pytest.mark.parametrize("row", ROWS[::12], ids=[row["path"] for row in ROWS[::12]])
@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".csv", ".edn", ".json"])
def test_every_file_survives_conversion(row: dict[str, str], suffix: str, tmp_path: Path) -> None:
    history = load(CORPUS / row["path"])
    save(history, tmp_path / f"a{suffix}")
    again = load(tmp_path / f"a{suffix}")
    if suffix in (".edn", ".json"):  # an info without a known return is not written, so positions move
        assert [(op.process, op.args, op.result, op.outcome) for op in again] == [
            (op.process, op.args, op.result, op.outcome) for op in history
        ]
    else:
        assert data(again) == data(history)
    assert [note.text for note in again.annotations] == [note.text for note in history.annotations]
