# SPDX-License-Identifier: Apache-2.0
"""A dict wrapper with its own ``setdefault`` in two steps: two callers keep different values."""

from __future__ import annotations

import linpoint


class Wrapper:
    def __init__(self) -> None:
        self._data: dict[str, int] = {}

    def setdefault(self, key: str, value: int) -> int:
        try:
            return self._data[key]
        except KeyError:
            self._data[key] = value
            return value


class AtomicWrapper(Wrapper):
    def setdefault(self, key: str, value: int) -> int:
        return self._data.setdefault(key, value)


class TestWrapper(linpoint.ConcurrentTest):
    spec = linpoint.sequential(dict, methods=["setdefault"])

    def setup(self) -> Wrapper:
        return Wrapper()

    @linpoint.operation(key=["a"], value=[1, 2])
    def setdefault(self, wrapper: Wrapper, key: str, value: int) -> int:
        return wrapper.setdefault(key, value)


class TestAtomicWrapper(TestWrapper):
    def setup(self) -> Wrapper:
        return AtomicWrapper()
