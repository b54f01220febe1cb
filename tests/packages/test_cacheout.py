# SPDX-License-Identifier: Apache-2.0
"""cacheout: ``LRUCache``, with one key and with many."""

import pytest

import linpoint
from tests.packages.expected_results import finding, passes_all, threads_of

cacheout = pytest.importorskip("cacheout", reason="cacheout is not installed: pip install --group packages")


class CacheTest(linpoint.ConcurrentTest):
    def setup(self):
        return cacheout.LRUCache(maxsize=1)

    @linpoint.operation(key="ab")
    def set(self, cache, key):
        cache.set(key, 1)

    @linpoint.operation(key="ab")
    def get(self, cache, key):
        return cache.get(key)

    @linpoint.operation(key="ab")
    def delete(self, cache, key):
        return cache.delete(key)


class ManyTest(linpoint.ConcurrentTest):
    def setup(self):
        return cacheout.LRUCache(maxsize=4)

    @linpoint.operation
    def add_many(self, cache):
        cache.add_many({"a": 1, "b": 1})

    @linpoint.operation
    def get_many(self, cache):
        return cache.get_many(["a", "b"])


class SetManyTest(ManyTest):
    add_many = None

    @linpoint.operation
    def set_many(self, cache):
        cache.set_many({"a": 1, "b": 1})


def test_single_keys_are_correct() -> None:
    passes_all(CacheTest, operations=1)


def test_set_many_is_atomic() -> None:
    passes_all(SetManyTest, operations=1)


def test_add_many_can_be_observed_half_done() -> None:
    found = finding(ManyTest)
    assert threads_of(found) == ["add_many()", "get_many()"]
