# SPDX-License-Identifier: Apache-2.0
"""token-bucket: ``Limiter`` over ``MemoryStorage``, with one token and a negligible refill rate."""

import pytest

import linpoint
from tests.packages.expected_results import finding, threads_of

token_bucket = pytest.importorskip("token_bucket", reason="token-bucket is not installed: pip install --group packages")


class LimiterTest(linpoint.ConcurrentTest):
    def setup(self):
        return token_bucket.Limiter(1e-6, 1, token_bucket.MemoryStorage())

    @linpoint.operation
    def consume(self, limiter):
        return limiter.consume("user")


def test_one_token_is_consumed_twice() -> None:
    found = finding(LimiterTest)
    assert threads_of(found) == ["consume()", "consume()"]
    assert [each.result for each in found.operations] == [True, True]
