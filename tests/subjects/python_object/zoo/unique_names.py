# SPDX-License-Identifier: Apache-2.0
"""A set of names, each of which may be taken once: two threads add the same one."""

from __future__ import annotations

import threading

import linpoint


class Names:
    def __init__(self) -> None:
        self._taken: set[str] = set()

    def add(self, name: str) -> bool:
        if name in self._taken:
            return False
        self._taken.add(name)
        return True

    def contains(self, name: str) -> bool:
        return name in self._taken


class LockedNames(Names):
    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def add(self, name: str) -> bool:
        with self._lock:
            return super().add(name)


class TestNames(linpoint.ConcurrentTest):
    spec = linpoint.specs.set
    operations = 1

    def setup(self) -> Names:
        return Names()

    @linpoint.operation(value="ab")
    def add(self, names: Names, value: str) -> bool:
        return names.add(value)

    @linpoint.operation(value="ab")
    def contains(self, names: Names, value: str) -> bool:
        return names.contains(value)

    def observe(self, names: Names) -> list[str]:
        return [each for each in "ab" if names.contains(each)]


class TestLockedNames(TestNames):
    def setup(self) -> Names:
        return LockedNames()
