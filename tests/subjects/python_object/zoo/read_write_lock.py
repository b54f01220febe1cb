# SPDX-License-Identifier: Apache-2.0
"""A hand-written read-write lock that counts its readers too late: a writer enters during a read."""

from __future__ import annotations

import threading

import linpoint


class ReadWriteLock:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._writing = False

    def acquire_read(self) -> None:
        with self._changed:
            while self._writing:
                self._changed.wait()
        self._readers += 1

    def acquire_write(self) -> None:
        with self._changed:
            while self._writing or self._readers:
                self._changed.wait()
            self._writing = True


class CarefulReadWriteLock(ReadWriteLock):
    def acquire_read(self) -> None:
        with self._changed:
            while self._writing:
                self._changed.wait()
            self._readers += 1


class TestReadWriteLock(linpoint.ConcurrentTest):
    """No lock is released: the test asks only which operations may hold the lock together."""

    spec = linpoint.specs.rw_lock
    operations = 1
    threads = 3

    def setup(self) -> ReadWriteLock:
        return ReadWriteLock()

    @linpoint.operation(blocking=True)
    def acquire_read(self, lock: ReadWriteLock) -> None:
        lock.acquire_read()

    @linpoint.operation(blocking=True)
    def acquire_write(self, lock: ReadWriteLock) -> None:
        lock.acquire_write()


class TestCarefulReadWriteLock(TestReadWriteLock):
    def setup(self) -> ReadWriteLock:
        return CarefulReadWriteLock()
