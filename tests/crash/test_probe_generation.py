# SPDX-License-Identifier: Apache-2.0
"""Probes: legal after every crash, and sufficient to reveal every lost operation."""

from __future__ import annotations

import pytest

from linpoint.crash.crash_oracle import CrashOracle
from linpoint.crash.probe_generation import concurrent_reads, generated_probes
from linpoint.crash.workload_generation import WorkloadGenerator
from linpoint.histories.operation import Operation
from linpoint.scenarios.scenario import Call
from tests.crash.crash_test_descriptions import BOOL, INT, OPERATIONS, purposes


@pytest.mark.parametrize("spec", OPERATIONS)
def test_probes_are_legal_after_every_crash(spec: str) -> None:
    words = purposes(spec)
    workload = WorkloadGenerator(words, "3").calls(60)
    probes = generated_probes(words, workload)
    assert probes
    states = [words.spec.initial]
    for call in workload:
        states.append(words.spec.outcomes(states[-1], Operation(0, call.operation, call.args))[0][1])
    for at in range(len(workload)):
        for first in (states[at], states[at + 1]):
            state = first
            for probe in probes:
                if probe.since <= at:
                    operation = Operation(0, probe.call.operation, probe.call.args)
                    assert words.spec.complaint(operation) is None
                    outcomes = words.spec.outcomes(state, operation)
                    assert outcomes
                    state = outcomes[0][1]


@pytest.mark.parametrize("spec", [spec for spec in OPERATIONS if spec != "mutex"])
def test_every_lost_operation_changes_some_probe(spec: str) -> None:
    """After each update, an object without that update gives another answer to some probe."""
    words = purposes(spec)
    workload = WorkloadGenerator(words, "5").calls(40)
    probes = generated_probes(words, workload)

    def answers(state: object, at: int) -> list[object]:
        found = []
        for probe in probes:
            if probe.since <= at:
                result, state = words.spec.outcomes(state, Operation(0, probe.call.operation, probe.call.args))[0]
                found.append(result)
        return found

    state = words.spec.initial
    for at, call in enumerate(workload):
        after = words.spec.outcomes(state, Operation(0, call.operation, call.args))[0][1]
        if after != state:
            assert answers(state, at) != answers(after, at), f"{call} at {at}"
        state = after


def test_a_key_is_probed_only_after_an_operation_has_used_it() -> None:
    words = purposes("map")
    workload = [Call("insert", (5, 1)), Call("insert", (9, 1)), Call("get", (5,))]
    probes = generated_probes(words, workload)
    assert [probe.since for probe in probes if probe.call == Call("get", (9,))] == [1, 1, 1]
    about = [str(probe.call) for probe in probes if probe.call.args[0] == 9]
    assert [name.partition("(")[0] for name in about] == ["get", "erase", "get", "insert", "get"] or "put" in about[3]
    assert any(probe.call.args[0] not in (5, 9) for probe in probes)


def test_keys_of_concurrent_operations_are_probed_from_the_beginning() -> None:
    probes = generated_probes(purposes("set"), [Call("add", (1,))], [Call("add", (2,))])
    assert {probe.since for probe in probes if probe.call.args[0] == 2} == {0}


def test_an_object_without_reads_is_probed_by_updates() -> None:
    words = purposes("set", {"add": ([INT], BOOL), "remove": ([INT], BOOL)})
    probes = generated_probes(words, [Call("add", (1,))])
    assert [str(probe.call) for probe in probes[:1]] == ["remove(1)"]


def test_the_number_of_probes_is_limited() -> None:
    words = purposes("map")
    workload = WorkloadGenerator(words, "1").calls(2000)
    probes = generated_probes(words, workload)
    assert len(probes) < 2000
    keys = {call.args[0] for call in workload}
    assert {probe.call.args[0] for probe in probes if probe.call.operation == "get"} >= keys


def test_a_drain_is_long_enough_to_empty_the_object() -> None:
    words = purposes("queue")
    workload = [Call("enqueue", (1,)), Call("enqueue", (2,)), Call("dequeue"), Call("enqueue", (3,))]
    probes = generated_probes(words, workload)
    first = [probe for probe in probes if probe.call.operation == "dequeue" and probe.since <= 0]
    assert len(first) >= 2
    oracle = CrashOracle(words.spec, [*workload, *(probe.call for probe in probes)], [None, None, 1, None])
    assert oracle.before_any_crash().status.value == "linearizable"


@pytest.mark.parametrize("spec", OPERATIONS)
def test_concurrent_reads_accompany_updates_and_change_nothing(spec: str) -> None:
    words = purposes(spec)
    workload = WorkloadGenerator(words, "7").calls(30)
    for read in concurrent_reads(words, workload):
        assert not words.by_name[workload[read.since].operation].reads
        operation = Operation(0, read.call.operation, read.call.args)
        assert words.spec.complaint(operation) is None
        assert all(state == words.spec.initial for _, state in words.spec.outcomes(words.spec.initial, operation))


def test_a_concurrent_read_uses_the_key_of_the_update() -> None:
    workload = [Call("insert", (3, 1)), Call("get", (3,)), Call("erase", (4,))]
    found = [(read.call, read.since) for read in concurrent_reads(purposes("map"), workload)]
    assert found == [(Call("get", (3,)), 0), (Call("get", (4,)), 2)]
