# SPDX-License-Identifier: Apache-2.0
"""A token bucket that two threads refill concurrently: it gives away more tokens than it has. Time is virtual."""

from __future__ import annotations

import threading
import time

import linpoint


class TokenBucket:
    def __init__(self, capacity: int = 1, per_second: float = 1.0) -> None:
        self._capacity = capacity
        self._per_second = per_second
        self._tokens = float(capacity)
        self._filled = time.monotonic()

    def _fill(self) -> None:
        now = time.monotonic()
        self._tokens = min(self._capacity, self._tokens + (now - self._filled) * self._per_second)
        self._filled = now

    def try_acquire(self) -> bool:
        self._fill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class LockedTokenBucket(TokenBucket):
    def __init__(self, capacity: int = 1, per_second: float = 1.0) -> None:
        super().__init__(capacity, per_second)
        self._lock = threading.Lock()

    def try_acquire(self) -> bool:
        with self._lock:
            return super().try_acquire()


class TestTokenBucket(linpoint.ConcurrentTest):
    """No time passes by itself, so the bucket is a semaphore; resting for a second returns a token."""

    spec = linpoint.specs.semaphore(1)
    operations = 1

    def setup(self) -> TokenBucket:
        return TokenBucket()

    @linpoint.operation
    def try_acquire(self, bucket: TokenBucket) -> bool:
        return bucket.try_acquire()


class TestLockedTokenBucket(TestTokenBucket):
    def setup(self) -> TokenBucket:
        return LockedTokenBucket()
