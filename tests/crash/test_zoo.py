# SPDX-License-Identifier: Apache-2.0
"""Persistent structures of the zoo: each broken twin is found, with its class and its line; correct structures pass."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.crash.zoo_twins import ZOO, Twin, twins

_COMMAND = str(Path(sys.executable).with_name("linpoint"))
_TWINS = twins()
_IN_CI = ("linked_set.cpp",)
"""Correct structures that are not left to the long lane."""


def crash(twin: Twin, *options: str, seconds: int = 60) -> dict[str, Any]:
    """The document of a test of a twin."""
    words = [_COMMAND, "crash", twin.file, "--spec", twin.spec, "--json"]
    words += ["--budget", f"{seconds}s", *options, *twin.words]
    done = subprocess.run(words, cwd=ZOO, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def _lanes(chosen: list[Twin]) -> list[Any]:
    """One structure of each file in CI, the others in the long lane."""
    seen: set[str] = set()
    lanes = []
    for twin in chosen:
        first = twin.file not in seen and (bool(twin.bug) or twin.file in _IN_CI)
        marks = [] if first else [pytest.mark.long]
        seen |= {twin.file} if first else set()
        lanes.append(pytest.param(twin, marks=marks, id=str(twin)))
    return lanes


@pytest.mark.parametrize("twin", _lanes([twin for twin in _TWINS if not twin.bug]))
def test_a_correct_structure_passes(twin: Twin) -> None:
    document = crash(twin, "--operations", "1000")
    assert document["verdict"] == "holds", document
    assert document["findings"] == []
    assert document["statistics"]["crash_tests"] > 500
    tiny = crash(twin, "--operations", "4", "--exhaustive")
    assert tiny["verdict"] == "holds", tiny


@pytest.mark.parametrize("twin", _lanes([twin for twin in _TWINS if twin.bug]))
def test_a_broken_twin_is_found_and_blamed(twin: Twin) -> None:
    options = ["--scenario", twin.scenario] if twin.scenario else ["--operations", "300"]
    document = crash(twin, *options)
    assert document["verdict"] == "violation", document
    found = [(each["class"], each.get("place")) for each in document["findings"] if each["kind"] == "durability"]
    assert any(twin.kind in classes and place in twin.blamed for classes, place in found), found
    assert len({place for _, place in found}) == len(found), found


@pytest.mark.long
def test_a_read_absent_from_the_workload_runs_concurrently_with_the_store() -> None:
    (twin,) = (twin for twin in _TWINS if twin.bug == "BUG_READ_LINK")
    findings = crash(twin, "--operations", "300")["findings"]
    assert [(each["class"], each["place"]) for each in findings] == [(["DL3"], next(iter(twin.blamed)))]


@pytest.mark.long
def test_a_remedy_names_the_flushes_that_miss_the_line() -> None:
    (twin,) = (each for each in _TWINS if str(each) == "hash_table.cpp-BUG_CHAIN")
    chain = "put(1, 1); put(5, 5); put(9, 9); put(13, 13); put(17, 17); put(21, 21); put(2, 2)"
    document = crash(twin, "--tests", "dl1", "--scenario", chain)
    remedies = [each["explanation"]["remedy"] for each in document["findings"]]
    lines = (ZOO / "hash_table.c").read_text(encoding="utf-8").splitlines()
    loop = next(
        number for number, line in enumerate(lines, 1) if "each != NULL; each = atomic_load(&each->next)) flush" in line
    )
    flush = next(number for number, line in enumerate(lines, 1) if "clflush %0" in line)
    near = [f"the flushes up to hash_table.c:{flush}, called at line {number}," for number in range(loop - 4, loop + 1)]
    assert any(each in remedy for remedy in remedies for each in near), remedies


def test_every_broken_twin_declares_its_classes_and_lines() -> None:
    bugs = [twin for twin in _TWINS if twin.bug]
    assert len(bugs) > 25
    assert all(twin.classes and twin.blamed for twin in bugs)
