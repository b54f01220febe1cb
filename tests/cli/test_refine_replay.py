# SPDX-License-Identifier: Apache-2.0
"""Every finding of ``linpoint refine`` replays: same kind, same run, exit code 1; a run that no longer exists is
reported.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from linpoint.verdicts import replay_token
from tests.cli.conftest import Command
from tests.explain.checked_models import VIOLATIONS

SPEC = """
import linpoint

@linpoint.spec
class Own:
    initial = 0
    def increment(n): return None, n + 1
    def read(n): return n, n
"""


def words_of(name: str, tmp_path: Path) -> list[str]:
    file, model, constants, options = VIOLATIONS[name]
    shutil.copy(file, tmp_path)
    words = ["refine", f"{file.name}:{model}"]
    for constant, value in constants.items():
        words += ["--set", f"{constant}={str(value).lower()}"]
    for option, value in options.items():
        words += [f"--{option.replace('_', '-')}", str(value)]
    return words


@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_finding_replays(run: Command, tmp_path: Path, name: str) -> None:
    done = run(*words_of(name, tmp_path), "--json")
    (finding,) = done.json["findings"]
    again = run(*finding["replay"], "--json")
    assert again.code == 1
    (shown,) = again.json["findings"]
    assert shown["kind"] == finding["kind"]
    assert shown["explanation"]["trace"] == finding["explanation"]["trace"]
    assert shown["explanation"]["steps"] == finding["explanation"]["steps"]
    assert shown["replay"] == finding["replay"]
    assert not again.json["warnings"]


def test_a_replay_follows_the_run_without_searching(run: Command, tmp_path: Path) -> None:
    done = run(*words_of("array-queue", tmp_path), "--json")
    again = run(*done.json["findings"][0]["replay"])
    assert "Explored: only this run" in again.out
    assert done.json["findings"][0]["message"] in again.out


def test_a_finding_with_a_user_spec_and_roles_replays(run: Command, tmp_path: Path) -> None:
    (tmp_path / "spec.py").write_text(SPEC)
    words = words_of("lost", tmp_path)
    done = run(*words, "--spec", "spec.py:Own", "--without", "symmetry", "--json")
    again = run(*done.json["findings"][0]["replay"], "--json")
    assert (again.code, again.json["spec"]) == (1, "Own")
    assert again.json["bounds"] == done.json["bounds"]


def test_a_run_that_no_longer_exists_is_reported_and_searched_again(run: Command, tmp_path: Path) -> None:
    done = run(*words_of("lost", tmp_path), "--json")
    replay = done.json["findings"][0]["replay"]
    file = tmp_path / "kinds.py"
    file.write_text(file.read_text().replace("atomic = False", "atomic = True", 1))
    again = run(*replay, "--json")
    assert (again.code, again.json["verdict"]) == (0, "holds")
    assert "no longer has the run of the token" in again.json["warnings"][0]
    assert "no longer has the run of the token" in run(*replay).out


def test_a_replay_finds_another_mistake(run: Command, tmp_path: Path) -> None:
    done = run(*words_of("lost", tmp_path), "--json")
    file = tmp_path / "kinds.py"
    file.write_text(file.read_text().replace("return self.n.load()", "assert False", 1))
    again = run(*done.json["findings"][0]["replay"], "--json")
    assert (again.code, again.json["findings"][0]["kind"]) == (1, "assertion")
    assert "no longer has the run of the token" in again.json["warnings"][0]


def test_a_deleted_file_is_bad_input(run: Command, tmp_path: Path) -> None:
    done = run(*words_of("lost", tmp_path), "--json")
    replay = done.json["findings"][0]["replay"]
    (tmp_path / "kinds.py").write_text("x = 1")
    assert run(*replay, "--json").error["code"] == "LP-M016"
    (tmp_path / "kinds.py").unlink()
    assert run(*replay, "--json").error["code"] == "LP-M015"


GOOD = {"kind": "refine", "file": "kinds.py", "model": "Lost", "finding": "linearizability", "run": [[0, 0]]}


@pytest.mark.parametrize(
    "content",
    [
        {"kind": "refine"},
        GOOD | {"run": "all"},
        GOOD | {"run": [[0]]},
        GOOD | {"heap": "large"},
        GOOD | {"memory_model": 7},
        GOOD | {"room": [[10**9], 1, 0]},
        GOOD | {"room": [[], 3, 0]},
        GOOD | {"room": [[-1], 1, 0]},
        GOOD | {"room": [[], 1, 10**9]},
        GOOD | {"left_out": ["magic"]},
        GOOD | {"progress": "fast"},
        GOOD | {"constants": [1]},
    ],
)
def test_tokens_without_a_finding_are_rejected(run: Command, tmp_path: Path, content: dict[str, object]) -> None:
    words_of("lost", tmp_path)
    assert run("replay", replay_token.encode(content), "--json").error["code"] == "LP-U004"


@pytest.mark.parametrize(
    "content",
    [
        GOOD | {"run": [[10**6, 10**6]]},
        GOOD | {"run": [[-1, -5]]},
        GOOD | {"run": [[0, 2**32 - 1]]},
        GOOD | {"run": []},
        GOOD | {"room": [[1, 2, 3], 1, 0]},
        GOOD | {"room": [[], 4, 32]},
    ],
)
def test_runs_that_the_model_does_not_have_are_searched_again(
    run: Command, tmp_path: Path, content: dict[str, object]
) -> None:
    words_of("lost", tmp_path)
    done = run("replay", replay_token.encode(content), "--json")
    assert (done.code, done.json["findings"][0]["kind"]) == (1, "linearizability")
    assert done.json["warnings"]
