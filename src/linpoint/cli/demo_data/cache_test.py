# SPDX-License-Identifier: Apache-2.0
"""A cache that threads share, and a test of it."""

from collections import OrderedDict

import linpoint


class Cache:
    """A cache with the most recently used items last."""

    def __init__(self) -> None:
        self.items: OrderedDict[str, int] = OrderedDict()

    def get(self, key: str) -> int | None:
        """Return the value of a key, or None."""
        if key not in self.items:
            return None
        self.items.move_to_end(key)
        return self.items[key]

    def put(self, key: str, value: int) -> None:
        """Store a value."""
        self.items[key] = value

    def delete(self, key: str) -> bool:
        """Remove a key; return whether it had a value."""
        return self.items.pop(key, None) is not None


class TestCache(linpoint.ConcurrentTest):
    """The cache must behave like a map, whatever the threads do."""

    spec = "map"

    def setup(self) -> Cache:
        """Construct a fresh cache for each run."""
        return Cache()

    @linpoint.operation(key="ab")
    def get(self, cache: Cache, key: str) -> int | None:
        """Look up a key."""
        return cache.get(key)

    @linpoint.operation(key="ab", value=[1, 2])
    def put(self, cache: Cache, key: str, value: int) -> None:
        """Store a value."""
        cache.put(key, value)

    @linpoint.operation(key="ab")
    def delete(self, cache: Cache, key: str) -> bool:
        """Remove a key."""
        return cache.delete(key)
