# SPDX-License-Identifier: Apache-2.0
"""Verdicts of the whole command against those of a naive enumerator of crashes, on tiny workloads of zoo structures."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.crash.naive_verdicts import enumerator, verdict_of
from tests.crash.zoo_twins import ZOO, Twin, twins

_COMMAND = str(Path(sys.executable).with_name("linpoint"))
_ONE_CRASH = "dl1,dl2,c2,exhaustive"
"""Crash tests with one thread, which the enumerator covers."""
_MAP = "get(1); get(2); get(3); remove(1); get(1); {0}(1, 9); get(1); get(2)"
_SET = "contains(1); contains(2); remove(1); contains(1); add(1); contains(1); contains(2)"
_QUEUE = "dequeue(); dequeue(); enqueue(9); dequeue(); dequeue()"
_LOG = "read(); append(196611); read()"
_TINY: dict[str, list[tuple[str, str]]] = {
    "dirty_mwcas.cpp": [
        (
            "mwcas([[0, 0, 1], [1, 0, 1]]); mwcas([[0, 1, 0], [1, 1, 0]])",
            "read([0]); read([1]); mwcas([[0, 1, 5]]); read([0, 1])",
        ),
        ("mwcas([[0, 0, 1]]); read([0]); mwcas([[0, 0, 2]])", "read([0]); mwcas([[0, 1, 5]]); read([0])"),
    ],
    "durable_queue.cpp": [
        ("enqueue(1); dequeue()", _QUEUE),
        ("enqueue(1); enqueue(2); dequeue()", _QUEUE),
        ("dequeue(); enqueue(1)", _QUEUE),
    ],
    "hash_table.cpp": [
        ("put(1, 1); put(1, 2); remove(1)", _MAP.format("put")),
        (
            "put(1, 1); put(2, 2); put(3, 3); put(4, 4); put(5, 5); put(6, 6); put(7, 7)",
            "get(1); get(4); get(6); get(7)",
        ),
    ],
    "linked_set.cpp": [("add(1); add(2); remove(1)", _SET), ("add(2); add(1)", _SET), ("remove(1); contains(1)", _SET)],
    "locked_counter.cpp": [("add(1); add(2)", "read(); add(1); read()"), ("read()", "read()")],
    "redo_map.cpp": [
        ("put(1, 1); put(1, 2); put(2, 2)", _MAP.format("put")),
        ("put(1, 1); remove(1)", _MAP.format("put")),
        ("put(1, 1)", "get(1)"),
    ],
    "ring_log.cpp": [("append(1); append(2)", _LOG), ("append(1); append(2); append(3); append(4); append(5)", _LOG)],
    "shifting_tree.cpp": [
        ("insert(1, 1); insert(2, 2); remove(1)", _MAP.format("insert")),
        ("insert(2, 2); insert(3, 3); insert(1, 1)", "get(1); get(2); get(3); remove(2); get(2); remove(3); get(3)"),
        (
            "insert(1, 1); insert(2, 2); insert(3, 3); insert(4, 4); insert(5, 5); insert(6, 6); insert(7, 7)",
            "get(1); get(4); get(5); get(6); get(7); remove(4); get(4); remove(6); get(6); remove(7); get(7)",
        ),
        (
            "insert(5, 5); insert(4, 4); insert(3, 3); insert(2, 2); insert(1, 1)",
            "get(1); get(2); get(3); get(4); get(5); insert(6, 6); get(6)",
        ),
    ],
    "skip_list.cpp": [("add(1); add(2); remove(1)", _SET), ("add(2); add(1); add(2)", _SET)],
    "torn_log.cpp": [("append(65537)", _LOG), ("append(65537); append(131074); append(196611)", _LOG)],
    "undo_array.cpp": [
        (
            'txn([["write", 0, 1], ["write", 8, 1]])',
            'txn([["read", 0, null], ["read", 8, null]]); txn([["write", 0, 3]]); txn([["read", 0, null]])',
        ),
        (
            'txn([["write", 0, 1]]); txn([["write", 0, 2], ["write", 8, 1]])',
            'txn([["read", 0, null], ["read", 8, null]])',
        ),
    ],
}
"""Workloads, and the probes after a crash in each."""
_BROKEN_ELSEWHERE = {"DL3", "recovery"}
"""Classes that need two threads or two crashes: such twins are correct here."""
_IN_CI = ("linked_set.cpp-whole", "linked_set.cpp-BUG_NODE")


def _lanes() -> list[Any]:
    return [
        pytest.param(twin, marks=[] if str(twin) in _IN_CI else [pytest.mark.long], id=str(twin)) for twin in twins()
    ]


def _command(twin: Twin, workload: str, probes: str) -> dict[str, Any]:
    words = [_COMMAND, "crash", twin.file, "--spec", twin.spec, "--json", "--budget", "120s", "--tests", _ONE_CRASH]
    words += ["--scenario", workload, "--probes", probes, *twin.words]
    done = subprocess.run(words, cwd=ZOO, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="it reads instructions of x86-64")
@pytest.mark.parametrize("twin", _lanes())
def test_verdicts_are_those_of_a_naive_enumerator(twin: Twin, tmp_path: Path) -> None:
    workloads, probes = zip(*_TINY[twin.file], strict=True)
    program = enumerator(twin, workloads, probes, tmp_path)
    broken = False
    for number, (workload, asked) in enumerate(_TINY[twin.file]):
        expected, outcomes = verdict_of(program, number, twin, workload, asked)
        assert outcomes > 1 or "(" not in workload.partition(";")[2], workload
        document = _command(twin, workload, asked)
        assert document["verdict"] == expected, (workload, expected, document)
        assert document["exhaustive"] or expected == "violation", workload
        broken = broken or expected == "violation"
    # Agreement that both find nothing would prove nothing.
    assert broken == bool(twin.classes - _BROKEN_ELSEWHERE), twin


def test_every_structure_has_tiny_workloads() -> None:
    assert _TINY.keys() == {twin.file for twin in twins()}
