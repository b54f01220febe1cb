# SPDX-License-Identifier: Apache-2.0
"""A counter with lost increments: it is read and written in two steps."""

from __future__ import annotations

import threading

import linpoint


class Counter:
    def __init__(self) -> None:
        self._value = 0

    def increment(self) -> None:
        self._value += 1

    def value(self) -> int:
        return self._value


class LockedCounter(Counter):
    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def increment(self) -> None:
        with self._lock:
            super().increment()


class TestCounter(linpoint.ConcurrentTest):
    spec = linpoint.specs.counter

    def setup(self) -> Counter:
        return Counter()

    @linpoint.operation
    def increment(self, counter: Counter) -> None:
        counter.increment()

    @linpoint.operation
    def read(self, counter: Counter) -> int:
        return counter.value()


class TestLockedCounter(TestCounter):
    def setup(self) -> Counter:
        return LockedCounter()
