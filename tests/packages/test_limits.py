# SPDX-License-Identifier: Apache-2.0
"""limits: strategies over ``MemoryStorage``, with a limit of one per hour."""

import pytest

import linpoint
from tests.packages.expected_results import finding, threads_of

limits = pytest.importorskip("limits", reason="limits is not installed: pip install --group packages")


@linpoint.spec
class AtMostOne:
    """A limiter that may refuse at any time but allows only one hit."""

    initial = 0

    def hit(state):  # noqa: N805 - a step has the state first
        return [(False, state), (True, 1)] if state == 0 else [(False, state)]


class FixedWindowTest(linpoint.ConcurrentTest):
    spec = AtMostOne

    def setup(self):
        return limits.strategies.FixedWindowRateLimiter(limits.storage.MemoryStorage())

    @linpoint.operation
    def hit(self, limiter):
        return limiter.hit(limits.RateLimitItemPerHour(1), "user")


class SlidingWindowTest(FixedWindowTest):
    def setup(self):
        return limits.strategies.SlidingWindowCounterRateLimiter(limits.storage.MemoryStorage())


class MovingWindowTest(FixedWindowTest):
    def setup(self):
        return limits.strategies.MovingWindowRateLimiter(limits.storage.MemoryStorage())


@pytest.mark.parametrize("test", [FixedWindowTest, SlidingWindowTest])
def test_two_hits_are_allowed_where_the_limit_is_one(test) -> None:
    found = finding(test)
    assert threads_of(found) == ["hit()", "hit()"]
    assert [each.result for each in found.operations] == [True, True]


@pytest.mark.long
def test_two_threads_start_one_timer() -> None:
    result = linpoint.test(MovingWindowTest, budget=300)
    assert result.findings[0].kind == "exception"
