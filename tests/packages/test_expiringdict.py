# SPDX-License-Identifier: Apache-2.0
"""expiringdict: ``ExpiringDict``, which locks its own methods and inherits others."""

import pytest

import linpoint
from tests.packages.expected_results import finding, passes_all, threads_of

expiringdict = pytest.importorskip("expiringdict", reason="expiringdict is not installed: pip install --group packages")


class OwnMethodsTest(linpoint.ConcurrentTest):
    def setup(self):
        return expiringdict.ExpiringDict(max_len=1, max_age_seconds=60)

    @linpoint.operation(key="ab")
    def set(self, cache, key):
        cache[key] = 1

    @linpoint.operation(key="ab")
    def get(self, cache, key):
        return cache.get(key)

    @linpoint.operation(key="ab")
    def pop(self, cache, key):
        return cache.pop(key)


class SetDefaultTest(linpoint.ConcurrentTest):
    def setup(self):
        return expiringdict.ExpiringDict(max_len=2, max_age_seconds=60)

    @linpoint.operation(value=[1, 2])
    def setdefault(self, cache, value):
        return cache.setdefault("a", value)


def test_its_own_methods_are_correct() -> None:
    passes_all(OwnMethodsTest, operations=1)


def test_setdefault_gives_two_values() -> None:
    assert threads_of(finding(SetDefaultTest)) == ["setdefault(1)", "setdefault(2)"]
