# SPDX-License-Identifier: Apache-2.0
"""zict: ``LRU`` over a dict, and ``Cache`` over two."""

import pytest

import linpoint
from tests.packages.expected_results import finding, threads_of

zict = pytest.importorskip("zict", reason="zict is not installed: pip install --group packages")


class EvictionTest(linpoint.ConcurrentTest):
    def setup(self):
        return zict.LRU(1, {})

    @linpoint.operation(key="ab")
    def set(self, cache, key):
        cache[key] = 1

    def observe(self, cache):
        return len(cache)


class PopTest(linpoint.ConcurrentTest):
    def setup(self):
        return zict.LRU(2, {"a": 1})

    @linpoint.operation(key="ab")
    def pop(self, cache, key):
        return cache.pop(key, None)


class CacheTest(linpoint.ConcurrentTest):
    spec = linpoint.specs.map

    def setup(self):
        return zict.Cache({}, {})

    @linpoint.operation(key="a", value=[1, 2])
    def put(self, cache, key, value):
        cache[key] = value

    @linpoint.operation(key="a")
    def get(self, cache, key):
        return cache.get(key)

    @linpoint.operation(key="a")
    def delete(self, cache, key):
        try:
            del cache[key]
        except KeyError:
            return False
        return True

    @linpoint.operation(key="a")
    def contains(self, cache, key):
        return key in cache


AFTER_DELETE = linpoint.Scenario.parse(
    'delete("a"); contains("a") | put("a", 2)', before='put("a", 1)', after='get("a")'
)


def test_two_threads_both_evict_for_one_insertion() -> None:
    found = finding(EvictionTest)
    assert threads_of(found) == ['set("a")', 'set("b")']
    assert found.message.endswith("; 0")


def test_pop_with_a_default_raises() -> None:
    found = finding(PopTest)
    assert found.kind == "exception"
    assert threads_of(found) == ['pop("a")', 'pop("a")']


def test_a_deleted_key_can_be_observed_again() -> None:
    assert finding(CacheTest, scenario=AFTER_DELETE).kind == "linearizability"


def test_without_deletions_a_cache_is_correct() -> None:
    result = linpoint.test(CacheTest, scenario='put("a", 1); get("a") | put("a", 2)', budget=60)
    assert result.status is linpoint.Status.LINEARIZABLE
