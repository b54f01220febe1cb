# SPDX-License-Identifier: Apache-2.0
"""A bounded queue with one condition for producers and consumers: a notification wakes the wrong one and is lost."""

from __future__ import annotations

import threading
from collections import deque

import linpoint


class BoundedQueue:
    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._items: deque[int] = deque()
        self._changed = threading.Condition()

    def _tell(self) -> None:
        self._changed.notify()

    def put(self, item: int) -> None:
        with self._changed:
            while len(self._items) == self._capacity:
                self._changed.wait()
            self._items.append(item)
            self._tell()

    def take(self) -> int:
        with self._changed:
            while not self._items:
                self._changed.wait()
            item = self._items.popleft()
            self._tell()
            return item


class CarefulQueue(BoundedQueue):
    def _tell(self) -> None:
        self._changed.notify_all()


class TestBoundedQueue(linpoint.ConcurrentTest):
    """The queue itself, run sequentially, says when an operation waits. It is full initially."""

    scenarios = "put(2) | put(2) | take(); take()"

    def make(self) -> BoundedQueue:
        return BoundedQueue(1)

    def setup(self) -> BoundedQueue:
        queue = self.make()
        queue.put(1)
        return queue

    @linpoint.operation(item=[2], blocking=True)
    def put(self, queue: BoundedQueue, item: int) -> None:
        queue.put(item)

    @linpoint.operation(blocking=True)
    def take(self, queue: BoundedQueue) -> int:
        return queue.take()


class TestCarefulQueue(TestBoundedQueue):
    def make(self) -> BoundedQueue:
        return CarefulQueue(1)
