# SPDX-License-Identifier: Apache-2.0
"""A cache of the least recently used entries on an OrderedDict: an entry is evicted while it is looked up."""

from __future__ import annotations

import threading
from collections import OrderedDict

import linpoint


class Cache:
    def __init__(self, capacity: int = 1) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[str, int] = OrderedDict()

    def get(self, key: str) -> int | None:
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key]

    def put(self, key: str, value: int) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._capacity:
            self._entries.popitem(last=False)


class LockedCache(Cache):
    def __init__(self, capacity: int = 1) -> None:
        super().__init__(capacity)
        self._lock = threading.RLock()

    def get(self, key: str) -> int | None:
        with self._lock:
            return super().get(key)

    def put(self, key: str, value: int) -> None:
        with self._lock:
            super().put(key, value)


class TestCache(linpoint.ConcurrentTest):
    spec = linpoint.sequential(Cache, methods=["get", "put"])
    operations = 1

    def setup(self) -> Cache:
        return Cache()

    @linpoint.operation(key="ab")
    def get(self, cache: Cache, key: str) -> int | None:
        return cache.get(key)

    @linpoint.operation(key="ab", value=[1])
    def put(self, cache: Cache, key: str, value: int) -> None:
        cache.put(key, value)


class TestLockedCache(TestCache):
    def setup(self) -> Cache:
        return LockedCache()
