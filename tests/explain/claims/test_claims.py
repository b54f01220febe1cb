# SPDX-License-Identifier: Apache-2.0
"""No explanation has a false sentence: regressions, and random violations whose claims are all evaluated again."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest

import linpoint
from linpoint.explain.history.claim import CLAIMS
from tests.explain.claims.claim_evaluator import judge
from tests.explain.claims.random_violations import violations
from tests.timed_histories import timed
from tests.volume import seeds

DAY_BATCHES, BATCH = 4, 100
LONG_BATCHES, LONG_BATCH = 1_000, 1_000
MAX_UNDECIDED_SHARE = 0.01


def explained(history: Any, spec: Any, **options: Any) -> linpoint.Explanation:
    """The explanation of a violation; all of its claims are true."""
    verdict = linpoint.check(history, spec, **options)
    assert verdict.status is linpoint.Status.VIOLATION
    found = verdict.explain()
    for kind, said, true in judge(found):
        assert true, (kind, said, found.text)
    return found


def writes_and_a_stale_read(count: int, seen: int) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [
        {"process": 0, "op": "write", "args": [n], "result": None, "call": 10 * n, "return": 10 * n + 5}
        for n in range(count)
    ]
    at = 10 * count
    return [*lines, {"process": 1, "op": "read", "result": seen, "call": at, "return": at + 5}]


def test_allowed_results_of_a_long_history_are_based_on_all_operations() -> None:
    found = explained(writes_and_a_stale_read(50, 7), "register")
    assert found.culprit is not None
    assert (found.culprit.allowed, found.culprit.complete, found.culprit.at_return) == ((49,), True, False)
    assert "returned 7; every valid order requires 49." in found.text


def test_with_further_violations_allowed_results_are_based_on_operations_called_by_then() -> None:
    lines = writes_and_a_stale_read(30, 7)
    at = lines[-1]["return"] + 1
    found = explained([*lines, {"process": 1, "op": "read", "result": 3, "call": at, "return": at + 5}], "register")
    assert found.culprit is not None
    assert (found.culprit.allowed, found.culprit.at_return) == ((29,), True)
    assert "returned 7; every valid order of the operations called by then requires 29." in found.text


def test_operations_that_can_be_removed_are_not_called_irremovable() -> None:
    found = explained("A: |--write(1)--| |--write(2)--| |--read()->1--|", "register")
    assert len(found.core) == 3
    assert not found.irreducible  # without write(1) no operation wrote the 1 that was read
    assert "can be removed" not in found.text
    assert "is needed: if its outcome were unknown, these operations would have a valid order." in found.text


def test_operations_of_which_none_can_be_removed_are_called_irremovable() -> None:
    found = explained("A: |--increment()--| |--read()->0--|", "counter")
    assert found.irreducible
    assert "and none of them can be removed:" in found.text


def test_a_value_that_a_concurrent_operation_returned_was_seen() -> None:
    history = timed(
        """
        enqueue(1) [0, 1]
        dequeue() [5, 8]
        peek()->1 [4, 9]
        """
    )
    text = explained(history, "queue").text
    assert "No later operation" not in text
    assert "Nobody" not in text


@pytest.mark.parametrize("text", ["start workload", "stop nemesis", "no crash here", "powerful client joins"])
def test_without_a_crash_no_loss_in_a_crash_is_reported(text: str) -> None:
    lines = [
        {"process": 0, "op": "write", "args": [1], "result": None, "call": 0, "return": 5},
        {"process": 0, "op": "write", "args": [2], "result": None, "call": 10, "return": 15},
        {"annotation": text, "time": 20},
        {"process": 1, "op": "read", "result": 1, "call": 40, "return": 45},
    ]
    found = explained(lines, "register")
    assert "lost-after-crash" not in [cause.cause for cause in found.causes]


def test_a_crash_of_a_client_is_not_blamed_for_a_loss_in_the_server() -> None:
    lines = [
        {"process": 0, "op": "write", "args": [1], "result": None, "call": 0, "return": 5},
        {"process": 0, "op": "write", "args": [2], "result": None, "call": 10, "return": 15},
        {"crash": True, "process": 7, "time": 20},
        {"process": 1, "op": "read", "result": 1, "call": 40, "return": 45},
    ]
    found = explained(lines, "register")
    assert "lost-after-crash" not in [cause.cause for cause in found.causes]


def test_a_value_that_was_never_removed_is_not_reported_as_removed_late() -> None:
    found = explained("A: |--enqueue(1)--| |--enqueue(2)--| |--dequeue()->2--|", "queue", checker="monitor")
    assert found.pattern is None or "1 was dequeued" not in found.pattern.sentence


def test_text_json_and_page_make_the_same_claims() -> None:
    verdicts = violations("pages")
    for _, verdict in zip(range(40), verdicts, strict=False):
        found = verdict.explain()
        document = json.loads(json.dumps(found.as_dict()))
        page = re.sub(r"\s+", " ", found.as_html())
        assert [claim["kind"] for claim in document["claims"]] == [claim.kind for claim in found.claims]
        assert document["irreducible"] is found.irreducible
        assert ("can be removed" in found.text) == found.irreducible
        assert ("can be removed" in page.partition("</section>")[0]) == found.irreducible
        assert ("is needed: if its outcome" in found.text) == (
            "is needed: if its outcome" in page.partition("</section>")[0]
        )
        assert ("culprit" in document) == (found.culprit is not None)
        assert ("called by then" in found.text) == ("called by then" in page.partition("</section>")[0])


def test_every_kind_of_claim_is_defined() -> None:
    for _, verdict in zip(range(60), violations("kinds"), strict=False):
        assert {claim.kind for claim in verdict.explain().claims} <= set(CLAIMS)


@pytest.mark.parametrize("seed", seeds(DAY_BATCHES, "claims"))
def test_every_claim_of_400_explanations_is_true(seed: str) -> None:
    every_claim_is_true(seed, BATCH, share_long=0.01)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG_BATCHES, "claims long"))
def test_every_claim_of_1_000_000_explanations_is_true(seed: str) -> None:
    every_claim_is_true(seed, LONG_BATCH, share_long=0.02)


def every_claim_is_true(seed: str, count: int, *, share_long: float) -> None:
    """Evaluate every claim of ``count`` explanations. Few of them may be too large for the evaluator."""
    judged = undecided = 0
    for _, verdict in zip(range(count), violations(seed, share_long=share_long), strict=False):
        found = verdict.explain()
        for kind, said, true in judge(found):
            assert true is not False, (kind, said, found.text)
            judged += 1
            undecided += true is None
    assert undecided <= MAX_UNDECIDED_SHARE * judged + 3


def test_a_step_of_a_monitor_holds_whatever_the_other_operations_did() -> None:
    drawn = itertools.islice(violations("3ea82818458b claims 1", share_long=0.01), 18, None)
    assert all(true is not False for _, _, true in judge(next(drawn).explain()))
