# SPDX-License-Identifier: Apache-2.0
"""A connection that is created on first use, and sometimes twice."""

from __future__ import annotations

import threading

import linpoint


class Connection:
    def __init__(self, number: int) -> None:
        self.number = number


class Pool:
    def __init__(self) -> None:
        self._made = 0
        self._connection: Connection | None = None

    def _connect(self) -> Connection:
        self._made += 1
        return Connection(self._made)

    def connection(self) -> Connection:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection


class LockedPool(Pool):
    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def connection(self) -> Connection:
        with self._lock:
            return super().connection()


@linpoint.spec
class OneConnection:
    """Every caller gets the first one."""

    initial = None

    def connection(state: None) -> tuple[int, None]:  # noqa: N805 - a step of a spec
        return 1, state


class TestPool(linpoint.ConcurrentTest):
    spec = OneConnection

    def setup(self) -> Pool:
        return Pool()

    @linpoint.operation
    def connection(self, pool: Pool) -> int:
        return pool.connection().number


class TestLockedPool(TestPool):
    def setup(self) -> Pool:
        return LockedPool()
