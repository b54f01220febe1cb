# SPDX-License-Identifier: Apache-2.0
"""Judging runs against specs: waiting operations, the observed state, and certificates of the fast search's passes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers.certify import certify_witness
from linpoint.checkers.small_history_checker import SmallHistoryChecker
from linpoint.errors import CertificateError
from linpoint.histories.operation import Operation
from linpoint.judging import spec_judge
from linpoint.judging.spec_judge import SpecJudge
from linpoint.scenarios import definition_of
from linpoint.specs import BUILT_IN
from linpoint.verdicts.result import Result
from tests.subjects.cpp_object.zoo.inhabitants import INHABITANTS as CPP_INHABITANTS
from tests.subjects.python_object.objects import CacheTest, LockedCache
from tests.subjects.python_object.run_object_test import run, run_definition
from tests.subjects.python_object.zoo.inhabitants import INHABITANTS

BUDGET_S = 10.0


class Lock:
    """A spec that is an object with ``apply``, not a class of pure functions."""

    initial = None

    def apply(self, state: Any, op: Operation) -> Any:
        if op.name == "release":
            return [(None, None)]
        return [] if state is not None else [(None, op.process)]


class LockTest(linpoint.ConcurrentTest):
    __test__ = False
    spec = Lock()

    def setup(self) -> Any:
        return threading.Semaphore()

    @linpoint.operation
    def acquire(self, lock: Any) -> None:
        lock.acquire()

    @linpoint.operation
    def release(self, lock: Any) -> None:
        lock.release()


class ObservedLockTest(LockTest):
    def observe(self, lock: Any) -> int:
        return int(lock._value)


class LockThatIsNeverFree(LockTest):
    def setup(self) -> Any:
        return threading.Semaphore(0)


def test_a_spec_with_apply_can_allow_waiting() -> None:
    """Asking whether every thread may wait once left the spec without its steps, so each wait was a deadlock."""
    result = run(LockTest, "acquire() | acquire()")
    assert result.status is Status.LINEARIZABLE, result.findings
    assert result.exhaustive


def test_a_spec_with_apply_can_forbid_waiting() -> None:
    (finding,) = run(LockThatIsNeverFree, "acquire() | acquire()").findings
    assert finding.kind == "deadlock"


def test_a_spec_with_apply_and_an_observed_state() -> None:
    """No operation once had a legal step there."""
    result = run(ObservedLockTest, "acquire(); release() | acquire(); release()")
    assert result.status is Status.LINEARIZABLE, result.findings


class Certificates:
    """Counts the certificates, and those that the certifier rejects."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.passes = self.certified = 0
        self.refused: list[str] = []
        find_order = SmallHistoryChecker.find_order

        def counted(checker: SmallHistoryChecker, operations: Sequence[Operation]) -> list[int] | None:
            order = find_order(checker, operations)
            self.passes += order is not None
            return order

        monkeypatch.setattr(SmallHistoryChecker, "find_order", counted)
        monkeypatch.setattr(spec_judge, "certify_witness", self._certify)

    def _certify(self, *args: Any) -> None:
        try:
            certify_witness(*args)
        except CertificateError as error:
            self.refused.append(str(error))
            raise
        self.certified += 1


@pytest.fixture
def certificates(monkeypatch: pytest.MonkeyPatch) -> Certificates:
    return Certificates(monkeypatch)


class RightCache(CacheTest):
    __test__ = False
    threads = 2
    operations = 2

    def setup(self) -> LockedCache:
        return LockedCache()


def test_a_sample_of_passes_is_certified(certificates: Certificates) -> None:
    assert run(RightCache).status is Status.LINEARIZABLE
    assert not certificates.refused
    assert certificates.certified == -(-certificates.passes // spec_judge.PASSES_PER_CERTIFICATE)
    assert certificates.certified > 1


def test_all_passes_can_be_certified(certificates: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec_judge, "PASSES_PER_CERTIFICATE", 1)
    assert run(RightCache).status is Status.LINEARIZABLE
    assert certificates.certified == certificates.passes > 50
    assert not certificates.refused


def test_check_decides_when_a_certificate_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that returns wrong orders."""
    monkeypatch.setattr(SmallHistoryChecker, "find_order", lambda _, operations: [*range(len(operations))])
    lost = [Operation("a", "write", (1,), None, 0, 1), Operation("a", "read", (), None, 2, 3)]
    late = [Operation("a", "read", (), 1, 0, 5), Operation("b", "write", (1,), None, 1, 2)]
    register = BUILT_IN["register"]
    assert not SpecJudge(register)._has_order(lost, register)
    assert not SpecJudge(register)._has_order(late, register)  # an order exists, but another one


def _certified(
    test: type[linpoint.ConcurrentTest], certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> Result:
    monkeypatch.setattr(spec_judge, "PASSES_PER_CERTIFICATE", 1)
    definition = definition_of(test)
    result = run_definition(definition, budget=BUDGET_S, scenarios=definition.scenarios, gil_verdict=False)
    assert certificates.certified == certificates.passes
    assert not certificates.refused
    return result


@pytest.mark.long
@pytest.mark.parametrize("name", INHABITANTS)
def test_every_pass_of_the_zoo_is_certified(
    name: str, certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _certified(INHABITANTS[name].broken, certificates, monkeypatch).status is Status.VIOLATION
    assert not _certified(INHABITANTS[name].fixed, certificates, monkeypatch).findings
    assert certificates.certified > 0


@pytest.mark.long
@pytest.mark.parametrize("name", CPP_INHABITANTS)
def test_every_pass_of_the_cpp_zoo_is_certified(
    name: str, certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spec_judge, "PASSES_PER_CERTIFICATE", 1)
    inhabitant = CPP_INHABITANTS[name]
    inhabitant.test("tso")
    for twin in inhabitant.twins:
        inhabitant.test("tso", flaw=twin.flaw, scenario=twin.given, races=twin.races)
    assert certificates.certified == certificates.passes > 0
    assert not certificates.refused
