# SPDX-License-Identifier: Apache-2.0
"""Seats of a theatre in a dict: two people book a seat that both have seen free."""

from __future__ import annotations

import threading

import linpoint


class Theatre:
    def __init__(self) -> None:
        self._bookings: dict[str, str] = {}

    def book(self, seat: str, name: str) -> bool:
        if seat in self._bookings:
            return False
        self._bookings[seat] = name
        return True

    def booked_by(self, seat: str) -> str | None:
        return self._bookings.get(seat)


class LockedTheatre(Theatre):
    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def book(self, seat: str, name: str) -> bool:
        with self._lock:
            return super().book(seat, name)


class TestTheatre(linpoint.ConcurrentTest):
    spec = linpoint.specs.map
    operations = 1

    def setup(self) -> Theatre:
        return Theatre()

    @linpoint.operation(name="insert", seat=["A1", "A2"], who=["eve", "mel"])
    def book(self, theatre: Theatre, seat: str, who: str) -> bool:
        return theatre.book(seat, who)

    @linpoint.operation(seat=["A1", "A2"])
    def get(self, theatre: Theatre, seat: str) -> str | None:
        return theatre.booked_by(seat)


class TestLockedTheatre(TestTheatre):
    def setup(self) -> Theatre:
        return LockedTheatre()
