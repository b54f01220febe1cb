# SPDX-License-Identifier: Apache-2.0
"""cachetools: a bare ``LRUCache``, and ``cached`` with a lock or a condition."""

import threading

import pytest

import linpoint
from tests.packages.expected_results import finding, passes_all, threads_of

cachetools = pytest.importorskip("cachetools", reason="cachetools is not installed: pip install --group packages")


class Loader:
    """A cached function, and how often it was called."""

    def __init__(self, **options) -> None:
        self.calls = 0
        self.counting = threading.Lock()
        self.get = cachetools.cached(cachetools.LRUCache(2), **options)(self.load)

    def load(self, key):
        with self.counting:
            self.calls += 1
        return key.upper()


class BareTest(linpoint.ConcurrentTest):
    def setup(self):
        return cachetools.LRUCache(2)

    @linpoint.operation(key="ab")
    def set(self, cache, key):
        cache[key] = 1

    @linpoint.operation(key="ab")
    def pop(self, cache, key):
        return cache.pop(key, None)


class LockTest(linpoint.ConcurrentTest):
    def setup(self):
        return Loader(lock=threading.Lock())

    @linpoint.operation(key="ab")
    def get(self, loader, key):
        return loader.get(key)


class LoadsTest(LockTest):
    def observe(self, loader):
        return loader.calls


class ConditionTest(LoadsTest):
    def setup(self):
        return Loader(condition=threading.Condition())


def test_a_bare_cache_is_not_thread_safe_as_documented() -> None:
    found = finding(BareTest)
    assert found.kind == "exception"
    assert threads_of(found) == ['pop("a")', 'set("a")']


def test_with_a_lock_results_are_correct() -> None:
    passes_all(LockTest, operations=1)


def test_with_a_lock_the_function_may_be_called_twice_as_documented() -> None:
    assert threads_of(finding(LoadsTest)) == ['get("a")', 'get("a")']


def test_with_a_condition_the_function_is_called_once() -> None:
    passes_all(ConditionTest, operations=1)
