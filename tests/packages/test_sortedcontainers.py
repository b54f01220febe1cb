# SPDX-License-Identifier: Apache-2.0
"""sortedcontainers: ``SortedDict``, which makes no promise about threads, for contrast."""

import pytest

import linpoint
from tests.packages.expected_results import finding, threads_of

sortedcontainers = pytest.importorskip(
    "sortedcontainers", reason="sortedcontainers is not installed: pip install --group packages"
)


class SortedDictTest(linpoint.ConcurrentTest):
    def setup(self):
        return sortedcontainers.SortedDict()

    @linpoint.operation(key="ab")
    def set(self, mapping, key):
        mapping[key] = 1

    @linpoint.operation
    def items(self, mapping):
        return list(mapping.items())


def test_a_key_can_be_observed_without_its_value() -> None:
    found = finding(SortedDictTest)
    assert found.kind == "exception"
    assert threads_of(found) == ["items()", 'set("a")']
