# SPDX-License-Identifier: Apache-2.0
"""Small files of every format with known verdicts, plain and compressed, through the real command."""

import csv
import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "data"
EXIT = {"linearizable": 0, "violation": 1}

with (FOLDER / "manifest.tsv").open(newline="") as file:
    ROWS = list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['path']}-{row['condition']}-{row['initial']}")
def test_sample_histories_have_their_verdicts(
    row: dict[str, str],
    compressed: bool,
    tmp_path: Path,
    linpoint_command: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    path = FOLDER / row["path"]
    if compressed:
        path = tmp_path / (path.name + ".gz")
        path.write_bytes(gzip.compress((FOLDER / row["path"]).read_bytes()))
    options = ["--spec", row["spec"], "--json"]
    options += ["--initial", row["initial"]] if row["initial"] else []
    options += ["--condition", row["condition"]] if row["condition"] else []
    run = linpoint_command("check", str(path), *options)
    assert json.loads(run.stdout)["verdict"] == row["verdict"], run.stdout + run.stderr
    assert run.returncode == EXIT[row["verdict"]]
    assert run.stderr == ""
