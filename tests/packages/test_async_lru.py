# SPDX-License-Identifier: Apache-2.0
"""async-lru: ``alru_cache``, overlapping calls, and a call that fails after an invalidation."""

import asyncio
import contextlib

import pytest

import linpoint
from tests.packages.expected_results import finding, passes_all

async_lru = pytest.importorskip("async_lru", reason="async-lru is not installed: pip install --group packages")


class Loader:
    """Each load has a number; the first one may fail."""

    def __init__(self, *, first_fails: bool) -> None:
        self.calls = 0
        self.first_fails = first_fails
        self.get = async_lru.alru_cache(maxsize=2)(self.load)

    async def load(self, key):
        self.calls += 1
        number = self.calls
        await asyncio.sleep(1)
        if number == 1 and self.first_fails:
            raise ConnectionError
        return number


class OneLoadTest(linpoint.ConcurrentTest):
    def setup(self):
        return Loader(first_fails=False)

    @linpoint.operation(key="ab")
    async def get(self, loader, key):
        return await loader.get(key)


class ReloadTest(linpoint.ConcurrentTest):
    def setup(self):
        return Loader(first_fails=True)

    @linpoint.operation
    async def get(self, loader):
        with contextlib.suppress(ConnectionError):
            await loader.get("a")

    @linpoint.operation
    async def reload(self, loader):
        """Whether a loaded value is there afterwards."""
        loader.get.cache_invalidate("a")
        try:
            loaded = await loader.get("a")
        except ConnectionError:
            return True
        return loaded == await loader.get("a")


def test_overlapping_calls_share_one_load() -> None:
    passes_all(OneLoadTest, operations=1)


def test_a_failing_old_load_removes_the_new_value() -> None:
    found = finding(ReloadTest, scenario="get() | reload()")
    assert False in [each.result for each in found.operations]
