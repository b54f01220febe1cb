# SPDX-License-Identifier: Apache-2.0
"""Probes: legal after every crash, and such that nothing that was lost stays hidden."""

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
def test_whatever_is_lost_shows(spec: str) -> None:
    """After each operation that changes the object, an object without it answers some probe in another way."""
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


def test_a_key_is_asked_about_only_when_somebody_has_named_it() -> None:
    words = purposes("map")
    workload = [Call("insert", (5, 1)), Call("insert", (9, 1)), Call("get", (5,))]
    probes = generated_probes(words, workload)
    assert [probe.since for probe in probes if probe.call == Call("get", (9,))] == [1, 1, 1]
    about = [str(probe.call) for probe in probes if probe.call.args[0] == 9]
    assert [name.partition("(")[0] for name in about] == ["get", "erase", "get", "insert", "get"] or "put" in about[3]
    assert any(probe.call.args[0] not in (5, 9) for probe in probes)


def test_what_runs_beside_is_asked_about_from_the_beginning() -> None:
    probes = generated_probes(purposes("set"), [Call("add", (1,))], [Call("add", (2,))])
    assert {probe.since for probe in probes if probe.call.args[0] == 2} == {0}


def test_an_object_that_only_changes_is_asked_by_changing_it() -> None:
    words = purposes("set", {"add": ([INT], BOOL), "remove": ([INT], BOOL)})
    probes = generated_probes(words, [Call("add", (1,))])
    assert [str(probe.call) for probe in probes[:1]] == ["remove(1)"]


def test_there_are_not_too_many() -> None:
    words = purposes("map")
    workload = WorkloadGenerator(words, "1").calls(2000)
    probes = generated_probes(words, workload)
    assert len(probes) < 2000
    keys = {call.args[0] for call in workload}
    assert {probe.call.args[0] for probe in probes if probe.call.operation == "get"} >= keys


def test_a_drain_is_as_long_as_it_must_be() -> None:
    words = purposes("queue")
    workload = [Call("enqueue", (1,)), Call("enqueue", (2,)), Call("dequeue"), Call("enqueue", (3,))]
    probes = generated_probes(words, workload)
    first = [probe for probe in probes if probe.call.operation == "dequeue" and probe.since <= 0]
    assert len(first) >= 2
    oracle = CrashOracle(words.spec, [*workload, *(probe.call for probe in probes)], [None, None, 1, None])
    assert oracle.before_any_crash().status.value == "linearizable"


@pytest.mark.parametrize("spec", OPERATIONS)
def test_reads_run_beside_what_changes_and_change_nothing(spec: str) -> None:
    words = purposes(spec)
    workload = WorkloadGenerator(words, "7").calls(30)
    for read in concurrent_reads(words, workload):
        assert not words.by_name[workload[read.since].operation].reads
        operation = Operation(0, read.call.operation, read.call.args)
        assert words.spec.complaint(operation) is None
        assert all(state == words.spec.initial for _, state in words.spec.outcomes(words.spec.initial, operation))


def test_a_read_is_about_the_key_that_it_runs_beside() -> None:
    workload = [Call("insert", (3, 1)), Call("get", (3,)), Call("erase", (4,))]
    found = [(read.call, read.since) for read in concurrent_reads(purposes("map"), workload)]
    assert found == [(Call("get", (3,)), 0), (Call("get", (4,)), 2)]
