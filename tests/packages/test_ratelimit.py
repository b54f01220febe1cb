# SPDX-License-Identifier: Apache-2.0
"""ratelimit: the decorator, with one call per minute."""

import pytest

import linpoint
from tests.packages.expected_results import passes_all

ratelimit = pytest.importorskip("ratelimit", reason="ratelimit is not installed: pip install --group packages")


class DecoratorTest(linpoint.ConcurrentTest):
    def setup(self):
        return ratelimit.limits(calls=1, period=60, raise_on_limit=False)(lambda: "called")

    @linpoint.operation
    def call(self, limited):
        return limited()


def test_the_limit_holds() -> None:
    passes_all(DecoratorTest)
