# SPDX-License-Identifier: Apache-2.0
"""boltons: ``LRU`` of ``cacheutils``, alone and in pairs."""

import pytest

import linpoint
from tests.packages.expected_results import finding, passes_all, threads_of

cacheutils = pytest.importorskip("boltons.cacheutils", reason="boltons is not installed: pip install --group packages")


class LRUTest(linpoint.ConcurrentTest):
    def setup(self):
        return cacheutils.LRU(max_size=1)

    @linpoint.operation(key="ab")
    def set(self, cache, key):
        cache[key] = 1

    @linpoint.operation(key="ab")
    def get(self, cache, key):
        return cache.get(key)

    @linpoint.operation(key="ab")
    def pop(self, cache, key):
        return cache.pop(key, None)

    @linpoint.operation(key="ab")
    def setdefault(self, cache, key):
        return cache.setdefault(key, 2)

    def observe(self, cache):
        return dict(cache)


class CopyTest(linpoint.ConcurrentTest):
    def setup(self):
        return cacheutils.LRU(max_size=2, values={"a": 1})

    @linpoint.operation(key="a")
    def pop(self, cache, key):
        return cache.pop(key, None)

    @linpoint.operation
    def copy(self, cache):
        return dict(cache.copy())


class StatisticsTest(linpoint.ConcurrentTest):
    def setup(self):
        return cacheutils.LRU(max_size=2)

    @linpoint.operation
    def get(self, cache):
        return cache.get("a")

    def observe(self, cache):
        return [cache.hit_count, cache.miss_count, cache.soft_miss_count]


class TwoCachesTest(linpoint.ConcurrentTest):
    def setup(self):
        return [cacheutils.LRU(values={"a": 1}), cacheutils.LRU(values={"b": 2})]

    @linpoint.operation(into=[0, 1])
    def update(self, caches, into):
        caches[into].update(caches[1 - into])


def test_one_cache_is_correct() -> None:
    passes_all(LRUTest, operations=1)


def test_copy_raises_while_a_key_is_popped() -> None:
    found = finding(CopyTest)
    assert found.kind == "exception"
    assert threads_of(found) == ["copy()", 'pop("a")']


def test_soft_misses_are_lost_without_a_global_lock() -> None:
    assert threads_of(finding(StatisticsTest, gil=False)) == ["get()", "get()"]


def test_two_caches_updated_from_each_other_deadlock() -> None:
    found = finding(TwoCachesTest)
    assert found.kind == "deadlock"
    assert threads_of(found) == ["update(0)", "update(1)"]
