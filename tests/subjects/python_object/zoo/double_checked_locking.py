# SPDX-License-Identifier: Apache-2.0
"""Double-checked locking that publishes an object before it is ready."""

from __future__ import annotations

import threading

import linpoint


class Session:
    def __init__(self) -> None:
        self.is_open = False

    def open(self) -> None:
        self.is_open = True


class Registry:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: Session | None = None

    def session(self) -> Session:
        if self._session is None:
            with self._lock:
                if self._session is None:
                    self._session = Session()
                    self._session.open()
        return self._session


class CarefulRegistry(Registry):
    def session(self) -> Session:
        if self._session is None:
            with self._lock:
                if self._session is None:
                    session = Session()
                    session.open()
                    self._session = session
        return self._session


class TestRegistry(linpoint.ConcurrentTest):
    def setup(self) -> Registry:
        return Registry()

    @linpoint.operation
    def session_is_open(self, registry: Registry) -> bool:
        return registry.session().is_open


class TestCarefulRegistry(TestRegistry):
    def setup(self) -> Registry:
        return CarefulRegistry()
