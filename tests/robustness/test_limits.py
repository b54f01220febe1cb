# SPDX-License-Identifier: Apache-2.0
"""Budgets hold, also inside a user's spec that never ends."""

import subprocess
import sys
from pathlib import Path

import pytest

import linpoint
from tests.processor_time import ProcessorTime

LINPOINT = str(Path(sys.executable).parent / "linpoint")


def hopeless(operations: int = 60) -> list[dict[str, object]]:
    """Overlapping enqueues and dequeues of few values, and a dequeue that no order explains: every order fails."""
    lines: list[dict[str, object]] = []
    for number in range(operations):
        lines.append(
            {
                "process": number,
                "op": "enqueue",
                "args": [number % 3],
                "result": None,
                "call": number,
                "return": 1000 + number,
            }
        )
        lines.append(
            {
                "process": 100 + number,
                "op": "dequeue",
                "result": number * 7 % 3,
                "call": 500 + number,
                "return": 2000 + number,
            }
        )
    return [*lines, {"process": 999, "op": "dequeue", "result": 9, "call": 3000, "return": 3001}]


ENDLESS = {
    "in Python": "while True:\n            pass",
    "outside Python": "import time\n        time.sleep(3600)",
    "swallowing exceptions": "while True:\n            try:\n                pass\n            except Exception:\n                pass",
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
def test_the_budget_ends_a_spec_that_never_returns(body: str, tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(
        f"import linpoint\n\n@linpoint.spec\nclass Endless:\n    initial = 0\n    def write(state, v):\n        {body}\n"
    )
    (tmp_path / "h.jsonl").write_text(
        '{"process": 0, "op": "write", "args": [1], "result": null, "call": 0, "return": 1}\n'
    )
    with ProcessorTime() as spent:
        run = subprocess.run(
            [LINPOINT, "check", "h.jsonl", "--spec", "endless.py:Endless", "--budget", "1s"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert run.returncode == 3
    assert run.stdout.startswith("UNKNOWN: the time budget ran out")
    assert run.stderr == ""
    assert spent.seconds < 4


def test_the_deadline_ends_the_search_and_reports_its_progress() -> None:
    with ProcessorTime() as spent:
        verdict = linpoint.check(hopeless(), "queue", budget=0.5)
    assert verdict.status is linpoint.Status.UNKNOWN
    assert "time budget" in verdict.why
    assert "longest legal prefix" in verdict.why
    assert spent.seconds < 3


@pytest.mark.parametrize("checker", ["dfs", "linear", "auto"])
def test_the_memory_limit_ends_the_search(checker: str) -> None:
    """The memory of each search is counted: its tables, and the states that native steps have numbered."""
    code = (
        "import linpoint, sys; sys.path.insert(0, '.');"
        "from tests.robustness.test_limits import hopeless;"
        f"v = linpoint.check(hopeless(), 'queue', checker={checker!r}, budget=60, max_memory='150M');"
        "print(v.status.value, v.why.split(':')[0], v.statistics.peak_memory_bytes)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    status, *why, peak = run.stdout.split()
    assert (status, " ".join(why)) == ("unknown", "the memory budget ran out")
    assert int(peak) < 170 * 2**20


def test_a_violation_of_one_key_ends_the_search_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linpoint.checkers.check._OTHER_KEYS_GRACE_S", 0.2)
    lines = [{**line, "key": "hard"} for line in hopeless()]
    lines.append({"process": 5000, "op": "dequeue", "result": 1, "call": 0, "return": 1, "key": "bad"})
    verdict = linpoint.check(lines, "queue", budget=30)
    assert verdict.status is linpoint.Status.VIOLATION
    assert {key.key: key.status.value for key in verdict.keys} == {"hard": "unknown", "bad": "violation"}
    assert "another key" in next(key.why for key in verdict.keys if key.key == "hard")
