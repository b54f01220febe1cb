# SPDX-License-Identifier: Apache-2.0
"""Histories of real systems with known verdicts, if they are available."""

import csv
import gzip
import json
from pathlib import Path

import pytest

import linpoint

FOLDER = Path(__file__).parents[3] / "shared" / "histories"
EXPECTED = {"ok": linpoint.Status.LINEARIZABLE, "violation": linpoint.Status.VIOLATION}
HARD = "redis-aof-always-1key-50c"  # one hot key, fifty clients, a pause of the server


def rows() -> list[dict[str, str]]:
    manifest = FOLDER / "manifest.tsv"
    if not manifest.exists():
        return []
    with manifest.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


ROWS = rows()
pytestmark = pytest.mark.skipif(not ROWS, reason="the folder of shared histories is not beside the project")


@pytest.mark.parametrize("row", ROWS, ids=[row["path"] for row in ROWS])
def test_histories_have_their_verdicts(row: dict[str, str]) -> None:
    spec = linpoint.specs.BUILT_IN[row["spec"]]
    if row["initial"]:
        spec = spec(initial=json.loads(row["initial"]))
    verdict = linpoint.check(linpoint.load(FOLDER / row["path"]), spec, budget="60s")
    if verdict.status is linpoint.Status.UNKNOWN:
        assert HARD in row["path"]
    elif row["verdict"] in EXPECTED:
        assert verdict.status is EXPECTED[row["verdict"]]


@pytest.mark.parametrize("row", [row for row in ROWS if " of " in row["note"]], ids=lambda row: row["path"])
def test_keys_in_violation(row: dict[str, str]) -> None:
    bad, _, every = row["note"].partition(";")[0].removesuffix(" keys").split()
    verdict = linpoint.check(linpoint.load(FOLDER / row["path"]), row["spec"], budget="60s")
    assert len(verdict.keys) == int(every)
    assert sum(key.status is linpoint.Status.VIOLATION for key in verdict.keys) == int(bad)


# Logs of killed servers whose clients continued


KILL = '"process":"nemesis","type":"info","f":"kill","value":["n1"]'
KILLED = [row for row in ROWS if "kill9" in row["path"]]


def with_crashes(path: Path, crash: str) -> str:
    """A log in which each kill of the server is a crash."""
    text = gzip.decompress(path.read_bytes()).decode()
    assert KILL in text
    return text.replace(KILL, f'"crash":{crash}')


@pytest.mark.parametrize("condition", ["durable", "strict", "recoverable"])
@pytest.mark.parametrize("row", KILLED, ids=lambda row: row["path"])
def test_clients_continue_after_a_crash_of_the_server(row: dict[str, str], condition: str, tmp_path: Path) -> None:
    path = tmp_path / "killed.jsonl"
    path.write_text(with_crashes(FOLDER / row["path"], '"object"'))
    history = linpoint.load(path)
    assert all(crash.of_object for crash in history.crashes)
    verdict = linpoint.check(history, row["spec"], condition=condition, budget="60s")
    assert verdict.status is EXPECTED[row["verdict"]]


@pytest.mark.parametrize("row", KILLED, ids=lambda row: row["path"])
def test_clients_do_not_continue_after_a_crash_of_everything(row: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "killed.jsonl"
    path.write_text(with_crashes(FOLDER / row["path"], "true"))
    with pytest.raises(linpoint.HistoryError, match="LP-H003"):
        linpoint.load(path)
