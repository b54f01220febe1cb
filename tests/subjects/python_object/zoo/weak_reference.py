# SPDX-License-Identifier: Apache-2.0
"""A weak reference that is called twice: to check that its object lives, and for the object, which is dead by then."""

from __future__ import annotations

import weakref

import linpoint


class Leader:
    def __init__(self, name: str) -> None:
        self.name = name


class Team:
    def __init__(self) -> None:
        self._members = [Leader("ada")]
        self._leader = weakref.ref(self._members[0])

    def leave(self) -> None:
        self._members.clear()

    def leader(self) -> str | None:
        if self._leader() is None:
            return None
        return self._leader().name  # type: ignore[union-attr]


class CarefulTeam(Team):
    def leader(self) -> str | None:
        leader = self._leader()
        return None if leader is None else leader.name


class TestTeam(linpoint.ConcurrentTest):
    operations = 1

    def setup(self) -> Team:
        return Team()

    @linpoint.operation
    def leader(self, team: Team) -> str | None:
        return team.leader()

    @linpoint.operation
    def leave(self, team: Team) -> None:
        team.leave()


class TestCarefulTeam(TestTeam):
    def setup(self) -> Team:
        return CarefulTeam()
