# SPDX-License-Identifier: Apache-2.0
"""urllib3: ``RecentlyUsedContainer``, in which a ``PoolManager`` keeps its pools."""

import pytest

import linpoint
from tests.packages.expected_results import finding, passes_all, threads_of

collections = pytest.importorskip(
    "urllib3._collections", reason="urllib3 is not installed: pip install --group packages"
)


class ContainerTest(linpoint.ConcurrentTest):
    def setup(self):
        return collections.RecentlyUsedContainer(1)

    @linpoint.operation(key="ab")
    def set(self, container, key):
        container[key] = 1

    @linpoint.operation(key="ab")
    def get(self, container, key):
        return container.get(key)

    @linpoint.operation
    def keys(self, container):
        return sorted(container.keys())


class PopTest(linpoint.ConcurrentTest):
    def setup(self):
        container = collections.RecentlyUsedContainer(2)
        container["a"] = 1
        return container

    @linpoint.operation(key="a")
    def pop(self, container, key):
        return container.pop(key, None)


class SetDefaultTest(linpoint.ConcurrentTest):
    def setup(self):
        return collections.RecentlyUsedContainer(2)

    @linpoint.operation(value=[1, 2])
    def setdefault(self, container, value):
        return container.setdefault("a", value)


def test_its_own_methods_are_correct() -> None:
    passes_all(ContainerTest, operations=1)


def test_pop_with_a_default_raises() -> None:
    found = finding(PopTest)
    assert found.kind == "exception"
    assert threads_of(found) == ['pop("a")', 'pop("a")']


def test_setdefault_gives_two_values() -> None:
    assert threads_of(finding(SetDefaultTest)) == ["setdefault(1)", "setdefault(2)"]
