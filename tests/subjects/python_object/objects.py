# SPDX-License-Identifier: Apache-2.0
"""Objects under test, correct and broken, and tests of them."""

from __future__ import annotations

import random
import threading
from typing import Any

import linpoint


class Cache:
    """Broken: another thread may add the key between the check and the write."""

    def __init__(self) -> None:
        self.items: dict[str, int] = {}

    def get(self, key: str) -> int | None:
        return self.items.get(key)

    def add(self, key: str, value: int) -> bool:
        if key in self.items:
            return False
        self.items[key] = value
        return True


class LockedCache(Cache):
    """Correct."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def get(self, key: str) -> int | None:
        with self.lock:
            return super().get(key)

    def add(self, key: str, value: int) -> bool:
        with self.lock:
            return super().add(key, value)


class DicedCache(LockedCache):
    """Correct, and it uses the global random numbers."""

    def add(self, key: str, value: int) -> bool:
        random.random()
        return super().add(key, value)


class CacheTest(linpoint.ConcurrentTest):
    threads = 3
    operations = 3

    def setup(self) -> Cache:
        return Cache()

    @linpoint.operation(key="ab")
    def get(self, cache: Cache, key: str) -> Any:
        return cache.get(key)

    @linpoint.operation(key="ab", value=[1, 2])
    def add(self, cache: Cache, key: str, value: int) -> bool:
        return cache.add(key, value)


class LockedCacheTest(CacheTest):
    threads = 2
    operations = 1

    def setup(self) -> Cache:
        return LockedCache()


class DicedCacheTest(LockedCacheTest):
    def setup(self) -> Cache:
        return DicedCache()
