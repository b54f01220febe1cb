# SPDX-License-Identifier: Apache-2.0
"""Kinds of objects in published packages: containers with methods of their own, and objects that start threads."""

from __future__ import annotations

import threading
from collections import OrderedDict

import pytest

import linpoint


class LockedDict(OrderedDict):
    """Its methods take a lock, so reading it takes steps."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.RLock()
        self.misses = 0

    def __getitem__(self, key):
        with self.lock:
            return super().__getitem__(key)

    def __setitem__(self, key, value):
        with self.lock:
            super().__setitem__(key, value)

    def __len__(self):
        with self.lock:
            return super().__len__()

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self.misses += 1
            return default

    def add(self, key, value):
        if self.get(key) is None:
            self[key] = value
            return True
        return False


class LockedList(list):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()
        self.pair = [self]

    def __len__(self):
        with self.lock:
            return super().__len__()

    def __iter__(self):
        with self.lock:
            return super().__iter__()

    def add(self, value):
        size = len(self.pair[0])
        self.append(value)
        return size


@pytest.mark.parametrize(
    ("subject", "calls"),
    [(LockedDict, {"add": {"key": "a", "value": [1]}}), (LockedList, {"add": {"value": [1]}})],
)
def test_reporting_a_finding_adds_no_steps(subject, calls) -> None:
    result = linpoint.test(subject, calls)
    assert result.status is linpoint.Status.VIOLATION
    (finding,) = result.findings
    assert finding.kind == "linearizability"
    assert finding.trace is not None


def test_attributes_of_a_dict_are_reported_with_their_values() -> None:
    result = linpoint.test(LockedDict, {"get": {"key": "a"}}, observe=lambda cache: cache.misses)
    steps = result.findings[0].trace.steps
    assert {step.value for step in steps if step.location == "misses"} == {0, 1}


class Expiring:
    """Starts a thread when constructed, as caches and limiters do to expire entries."""

    def __init__(self) -> None:
        self.count = 0
        self.timer = threading.Timer(60, int)
        self.timer.start()

    def add(self):
        self.count += 1
        return self.count


def test_threads_of_the_object_are_numbered_after_those_of_the_scenario() -> None:
    result = linpoint.test(Expiring, ["add"], scenario="add() | add()")
    assert result.status is linpoint.Status.VIOLATION
    assert [each.result for each in result.findings[0].operations] == [1, 1]


def test_a_thread_started_by_setup_is_alive_and_joins_with_a_timeout() -> None:
    def setup():
        subject = Expiring()
        subject.timer.join(1)
        assert subject.timer.is_alive()
        return subject

    result = linpoint.test(setup, {"look": lambda subject: subject.count}, scenario="look() | look()")
    assert result.status is linpoint.Status.LINEARIZABLE


def test_a_setup_that_waits_for_its_own_thread_is_reported() -> None:
    def setup():
        subject = Expiring()
        subject.timer.join()
        return subject

    with pytest.raises(linpoint.LinpointError, match="LP-T014"):
        linpoint.test(setup, ["add"])
