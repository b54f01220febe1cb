# SPDX-License-Identifier: Apache-2.0
"""An iteration over listeners while another thread subscribes: the dict changes its size during the loop."""

from __future__ import annotations

import threading

import linpoint


class Listeners:
    def __init__(self) -> None:
        self._seen: dict[str, int] = {"log": 0}

    def subscribe(self, name: str) -> None:
        self._seen[name] = 0

    def emit(self) -> list[str]:
        return [name.upper() for name in self._seen]


class LockedListeners(Listeners):
    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def subscribe(self, name: str) -> None:
        with self._lock:
            super().subscribe(name)

    def emit(self) -> list[str]:
        with self._lock:
            return super().emit()


class TestListeners(linpoint.ConcurrentTest):
    def setup(self) -> Listeners:
        return Listeners()

    @linpoint.operation({"name": ["mail"]})
    def subscribe(self, listeners: Listeners, name: str) -> None:
        listeners.subscribe(name)

    @linpoint.operation
    def emit(self, listeners: Listeners) -> list[str]:
        return listeners.emit()


class TestLockedListeners(TestListeners):
    def setup(self) -> Listeners:
        return LockedListeners()
