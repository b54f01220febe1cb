# SPDX-License-Identifier: Apache-2.0
"""Violations recorded on real servers: few operations, a cycle to follow, and the known cause."""

from __future__ import annotations

from pathlib import Path

import pytest

import linpoint
from linpoint.checkers.brute_force import brute_force
from linpoint.explain.history.explain_verdict import explain

FOLDER = Path(__file__).parents[3] / "shared" / "histories" / "recorded"
KNOWN = {
    "redis-aof-always-kill9-driverretry": ("hidden-retry", 4),
    "redis-splitbrain": ("split-brain", 8),
    "redis-rdb-kill9": ("lost-after-crash", 8),
    "zk3-localreads": ("stale-read", 3),
    "etcd3-serializable-reads": ("stale-read", 6),
}

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the folder of shared histories is not beside the project")


@pytest.mark.parametrize("name", KNOWN)
def test_recorded_violations_need_at_most_8_operations_and_list_their_cause_first(name: str) -> None:
    cause, keys = KNOWN[name]
    verdict = linpoint.check(linpoint.load(FOLDER / f"{name}.jsonl.gz"), "cas-register")
    bad = [key for key in verdict.keys if key.status is linpoint.Status.VIOLATION]
    assert len(bad) == keys
    for key in bad:
        found = explain(verdict, key=key)
        assert found.minimal
        assert found.verified
        assert len(found.core) <= 8, found.text
        assert not brute_force(verdict.history, list(found.core), verdict.spec, verdict.condition)[0]
        assert found.causes[0].cause == cause, found.text
        assert found.steps
        assert len(found.core) == 1 or "However, " in found.text


def test_the_key_with_the_fewest_needed_operations_is_explained() -> None:
    verdict = linpoint.check(linpoint.load(FOLDER / "redis-splitbrain.jsonl.gz"), "cas-register")
    bad = [key for key in verdict.keys if key.status is linpoint.Status.VIOLATION]
    fewest = min(len(explain(verdict, key=key, seconds=300).core) for key in bad)
    assert len(explain(verdict, seconds=300).core) == fewest == 3
