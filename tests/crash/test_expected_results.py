# SPDX-License-Identifier: Apache-2.0
"""The expected results that the host compares are exactly those that the oracle allows."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from linpoint.crash import expected_results
from linpoint.crash.crash_oracle import CrashOracle
from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.probe_generation import Probe
from linpoint.hosts.crash_messages import CrashQuestion
from linpoint.scenarios.scenario import Call
from linpoint.specs.spec_lookup import find


def call(name: str, *args: Any) -> Call:
    return Call(name, args)


PLAN = CrashPlan(
    "T",
    (call("put", 1, 10), call("put", 2, 20), call("delete", 1), call("get", 2)),
    (
        Probe(call("get", 1)),
        Probe(call("get", 2), since=1),
        Probe(call("delete", 1)),
        Probe(call("get", 1)),
        Probe(call("get", 3)),
    ),
)
RESULTS = [None, None, True, 20]


def oracle(spec: str = "map", plan: CrashPlan = PLAN, results: list[Any] | None = None) -> CrashOracle:
    return CrashOracle(find(spec), plan.calls, RESULTS if results is None else results)


def sections(script: bytes) -> list[dict[int, Any]]:
    """The expected results before and after each operation, by probe number."""
    known: dict[int, Any] = {}
    found: list[dict[int, Any]] = []
    for line in script.decode().split("\n"):
        if line in ("before", "after"):
            found.append(known := dict(known))
            continue
        number, _, result = line.partition(" ")
        known[int(number)] = msgspec.json.decode(result) if result else "?"
    return found


def test_expected_results_cover_probes_before_and_after_each_operation():
    told = sections(oracle().expected_results(PLAN.probe_numbers))
    absent = {4: None, 6: False, 7: None, 8: None}
    one = {4: 10, 6: True, 7: None, 8: None}
    assert told[:4] == [absent, one, {**one, 5: None}, {**one, 5: 20}]
    assert told[4:] == [{**one, 5: 20}, *[{**absent, 5: 20}] * 3]


def test_expected_results_are_allowed_and_others_are_judged():
    judge, told = oracle(), sections(oracle().expected_results(PLAN.probe_numbers))
    for moment, expected in enumerate(told):
        operation, returned = divmod(moment, 2)
        numbers = [number for number, since in PLAN.probe_numbers if since <= operation]
        for opened in ([], [operation]) if returned else ([operation],):
            asked = CrashQuestion(
                "DL1",
                operation + returned * (not opened),
                opened,
                [],
                "complete",
                msgspec.Raw(msgspec.json.encode(numbers)),
                msgspec.Raw(msgspec.json.encode([[expected[number]] for number in numbers])),
            )
            assert judge.allows(asked)
    assert judge.checked == 0


def test_only_changed_results_are_sent():
    lines = oracle().expected_results(PLAN.probe_numbers).split(b"\n")
    assert lines == [
        *(b"before", b"4 null", b"6 false", b"7 null", b"8 null"),
        *(b"after", b"4 10", b"6 true"),
        *(b"before", b"5 null"),
        *(b"after", b"5 20"),
        *(b"before", b"after", b"4 null", b"6 false"),
        *(b"before", b"after"),
    ]


def test_nondeterministic_results_are_left_open():
    plan = CrashPlan("T", (call("push", 1),), (Probe(call("pop")), Probe(call("pop"))))
    told = sections(
        oracle("tests.crash.test_expected_results:EITHER", plan, [None]).expected_results(plan.probe_numbers)
    )
    assert told == [{1: "?", 2: "?"}, {1: "?", 2: "?"}]


def test_results_that_take_too_long_are_not_computed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(expected_results, "_MAX_SPEC_STEPS", 3)
    assert oracle().expected_results(PLAN.probe_numbers) == b""


class _Either:
    """A bag: the taken value may be any of its items, or nothing."""

    initial = ()

    def push(state: tuple[int, ...], value: int) -> Any:  # noqa: N805 - as specs are written
        return None, (*state, value)

    def pop(state: tuple[int, ...]) -> Any:  # noqa: N805
        return [(None, state), (1, state)]


import linpoint  # noqa: E402 - after what it is given

EITHER = linpoint.spec(_Either)
