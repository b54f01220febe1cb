# SPDX-License-Identifier: Apache-2.0
"""The baseline tool: its inputs exist, runs are deterministic, and a comparison names the differences."""

import copy
import json
import sys
from pathlib import Path

from tools.baseline.__main__ import main
from tools.baseline.cases import cases
from tools.baseline.comparison import compare
from tools.baseline.inputs import SOURCES, source_of

ROOT = Path(__file__).parents[2]
LINPOINT = Path(sys.executable).with_name("linpoint")
WORDS = ("data/", "examples/", "python/", "cpp/", "programs/", "crash/", "stress/", "scripts/")


def test_files_of_commands_exist() -> None:
    missing = []
    for case in cases():
        for word in case.argv:
            name, _, rest = word.partition("/")
            if (
                word.startswith(WORDS)
                and "none." not in word
                and not (source_of(ROOT, name) / rest.split(":")[0]).is_file()
            ):
                missing.append(f"{case.name}: {word}")
    assert not missing
    assert all(source_of(ROOT, name).is_dir() for name in SOURCES)


def test_there_are_commands_of_each_kind() -> None:
    everything = cases()
    assert len(everything) >= 200
    assert len({each.name for each in everything}) == len(everything)
    commands = {each.argv[0] for each in everything}
    assert commands == {"check", "convert", "specs", "test", "explore", "refine", "crash", "replay", "report"}


def test_two_runs_give_the_same_baseline(tmp_path: Path, capsys) -> None:
    records = [tmp_path / "one.json", tmp_path / "two.json"]
    for record in records:
        common = ["--inputs", str(ROOT), "--directory", str(tmp_path / "inputs"), "-o", str(record)]
        assert main(["run", str(LINPOINT), "--only", "re*/check/*", *common]) == 0
    assert main(["compare", *map(str, records)]) == 0
    assert "no difference in" in capsys.readouterr().out
    record = json.loads(records[0].read_text())
    verdict = record["cases"]["check/keys.jsonl"]["stdout"]
    assert (verdict["verdict"], verdict["statistics"]["seconds"]) == ("violation", "<volatile>")
    assert record["cases"]["replay/check/text"]["exit_code"] == 1
    other = copy.deepcopy(record)
    other["cases"]["check/keys.jsonl"]["stdout"]["verdict"] = "linearizable"
    assert list(compare(record, other)) == ["check/keys.jsonl.stdout.verdict: 'violation' -> 'linearizable'"]
