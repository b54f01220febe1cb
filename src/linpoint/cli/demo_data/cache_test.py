# SPDX-License-Identifier: Apache-2.0
"""A cache that people share between threads, and a test of it."""

from collections import OrderedDict

import linpoint


class Cache:
    """Keeps what was used last."""

    def __init__(self) -> None:
        self.items: OrderedDict[str, int] = OrderedDict()

    def get(self, key: str) -> int | None:
        """The value, or None."""
        if key not in self.items:
            return None
        self.items.move_to_end(key)
        return self.items[key]

    def put(self, key: str, value: int) -> None:
        """Keep a value."""
        self.items[key] = value

    def delete(self, key: str) -> bool:
        """Whether there was a value."""
        return self.items.pop(key, None) is not None


class TestCache(linpoint.ConcurrentTest):
    """The cache must behave like a map, whatever threads do."""

    spec = "map"

    def setup(self) -> Cache:
        """A fresh one for each run."""
        return Cache()

    @linpoint.operation(key="ab")
    def get(self, cache: Cache, key: str) -> int | None:
        """Look up."""
        return cache.get(key)

    @linpoint.operation(key="ab", value=[1, 2])
    def put(self, cache: Cache, key: str, value: int) -> None:
        """Keep."""
        cache.put(key, value)

    @linpoint.operation(key="ab")
    def delete(self, cache: Cache, key: str) -> bool:
        """Forget."""
        return cache.delete(key)
