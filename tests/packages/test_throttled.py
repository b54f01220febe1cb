# SPDX-License-Identifier: Apache-2.0
"""throttled-py: ``MemoryStore``, and a limit on top of it."""

import pytest

import linpoint
from tests.packages.expected_results import finding, threads_of

throttled = pytest.importorskip("throttled", reason="throttled-py is not installed: pip install --group packages")


class StoreTest(linpoint.ConcurrentTest):
    def setup(self):
        return throttled.MemoryStore()

    @linpoint.operation(key="a", value=[1, 2])
    def set(self, store, key, value):
        store.set(key, value, 60)

    @linpoint.operation(key="a")
    def get(self, store, key):
        return store.get(key)

    @linpoint.operation(key="a")
    def ttl(self, store, key):
        return store.ttl(key)


class LimitTest(linpoint.ConcurrentTest):
    def setup(self):
        quota = throttled.rate_limiter.per_hour(1)
        return throttled.Throttled(key="user", using="fixed_window", quota=quota, store=throttled.MemoryStore())

    @linpoint.operation
    def limit(self, throttle):
        return throttle.limit().limited


def test_a_key_can_be_observed_without_its_expiry() -> None:
    found = finding(StoreTest)
    assert threads_of(found) == ['set("a", 1)', 'ttl("a")']
    assert -1 in [each.result for each in found.operations]


def test_the_limit_holds() -> None:
    result = linpoint.test(LimitTest, scenario="limit() | limit()", budget=60)
    assert result.status is linpoint.Status.LINEARIZABLE
