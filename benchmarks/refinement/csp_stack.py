# SPDX-License-Identifier: Apache-2.0
"""The paper's "stack of size S" as a transition system: only its height; also with given linearization points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.refinement.csp_product import Moves, replaced


class State(NamedTuple):
    """The height, the height that each process has read or written, and its place."""

    height: int
    mine: tuple[int, ...]
    places: tuple[str, ...]

    def to(self, me: int, place: str, mine: int, *, height: int | None = None) -> State:
        """After a step of a process."""
        now = self.height if height is None else height
        return State(now, replaced(self.mine, me, mine), replaced(self.places, me, place))


@dataclass(frozen=True)
class Stack:
    """Push returns the new height, at most ``most``, and pop the old one.

    With ``as_paper``, detecting an empty stack is a step, copying a changed height is another one, and old heights are
    kept. Reduced, nothing is copied.
    """

    most: int
    processes: int
    as_paper: bool = True
    reduced: bool = False

    @property
    def first(self) -> State:
        """Empty."""
        return State(0, (0,) * self.processes, ("idle",) * self.processes)

    @property
    def spec_first(self) -> State:
        """The spec has the same variables."""
        return self.first

    def moves(self, state: State) -> Moves:
        """Each process pushes and pops any number of times."""
        for me in range(self.processes):
            yield from self._call_and_return(state, me)
            yield from self._push(state, me)
            yield from self._pop(state, me)

    chosen = moves

    def _call_and_return(self, state: State, me: int) -> Moves:
        mine = state.mine[me]
        kept = mine if self.as_paper else 0
        match state.places[me]:
            case "idle":
                yield ("push", me), state.to(me, "pushing", mine)
                yield ("pop", me), state.to(me, "popping", mine)
            case "pushed":
                yield ("pushed", me, mine), state.to(me, "idle", kept)
            case "popped":
                yield ("popped", me, mine + 1), state.to(me, "idle", kept)
            case "none":
                yield ("popped", me, 0), state.to(me, "idle", kept)

    def _changed(self, state: State, me: int, place: str, height: int) -> State:
        copies = self.as_paper and not self.reduced
        return state.to(me, f"copies {place}" if copies else place, height, height=height)

    def _push(self, state: State, me: int) -> Moves:
        mine = state.mine[me]
        match state.places[me]:
            case "pushing":
                yield None, state.to(me, "push?", state.height)
            case "push?" if mine == state.height:
                yield None, self._changed(state, me, "pushed", min(state.height + 1, self.most))
            case "push?" if self.as_paper:
                yield None, state.to(me, "push?", state.height)
            case "push?":
                yield None, state.to(me, "pushing", 0)
            case "copies pushed":
                yield None, state.to(me, "pushed", mine)

    def _pop(self, state: State, me: int) -> Moves:
        mine = state.mine[me]
        match state.places[me]:
            case "popping" if self.as_paper:
                yield None, state.to(me, "empty?", state.height)
            case "popping":
                yield None, state.to(me, "pop?" if state.height else "none", state.height)
            case "empty?":
                yield None, state.to(me, "pop?" if mine else "none", mine)
            case "pop?" if mine == state.height:
                yield None, self._changed(state, me, "popped", state.height - 1)
            case "pop?" if self.as_paper:
                yield None, state.to(me, "empty?", state.height)
            case "pop?":
                yield None, state.to(me, "popping", 0)
            case "copies popped":
                yield None, state.to(me, "popped", mine)

    def spec_moves(self, state: State) -> Moves:
        """Call, take effect, return."""
        for me, place in enumerate(state.places):
            yield from self._call_and_return(state, me)
            if place == "pushing":
                higher = min(state.height + 1, self.most)
                yield None, state.to(me, "pushed", higher, height=higher)
            elif place == "popping" and state.height == 0:
                yield None, state.to(me, "none", state.mine[me])
            elif place == "popping":
                yield None, state.to(me, "popped", state.height - 1, height=state.height - 1)


@dataclass(frozen=True)
class StackWithPoints:
    """The same, where only linearization points are observable, each with its result."""

    most: int
    processes: int
    spec_first: int = 0

    @property
    def first(self) -> State:
        """Empty."""
        return State(0, (0,) * self.processes, ("idle",) * self.processes)

    def moves(self, state: State) -> Moves:
        """Calls and returns are not even steps."""
        for me in range(self.processes):
            yield from self._moves(state, me)

    chosen = moves

    def _moves(self, state: State, me: int) -> Moves:
        height, mine = state.height, state.mine[me]
        match state.places[me]:
            case "idle":
                yield None, state.to(me, "push?", height)
                yield None, state.to(me, "empty?", height)
            case "push?" if mine == height:
                yield ("push", me, height + 1), state.to(me, "idle", mine, height=min(height + 1, self.most))
            case "push?":
                yield None, state.to(me, "push again", mine)
            case "push again":
                yield None, state.to(me, "push?", height)
            case "empty?" if height == 0:
                yield ("pop", me, 0), state.to(me, "idle", mine)
            case "empty?":
                yield None, state.to(me, "pop?", mine)
            case "pop?" if mine == height:
                yield ("pop", me, height), state.to(me, "idle", mine, height=max(height - 1, 0))
            case "pop?":
                yield None, state.to(me, "pop again", mine)
            case "pop again":
                yield None, state.to(me, "empty?", height)

    def spec_moves(self, height: int) -> Moves:
        """One step for each operation."""
        for me in range(self.processes):
            yield ("push", me, height + 1), min(height + 1, self.most)
            yield ("pop", me, height), max(height - 1, 0)
