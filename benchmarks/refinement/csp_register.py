# SPDX-License-Identifier: Apache-2.0
"""The paper's K-valued register as a transition system, in the steps of CSP# or in those of linpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from benchmarks.refinement.csp_product import Event, Moves, replaced

IDLE: Final = ("idle",)


class State(NamedTuple):
    """Bits, and the places of readers and the writer. ``("down", i, v)`` reads bit i next, and has found v."""

    bits: tuple[bool, ...]
    readers: tuple[tuple[Any, ...], ...]
    writer: tuple[Any, ...]

    def reader(self, me: int, *place: Any) -> State:
        """After a step of a reader."""
        return self._replace(readers=replaced(self.readers, me, place))

    def writes(self, *place: Any, bit: int | None = None, value: bool = False) -> State:
        """After a step of the writer."""
        return self._replace(writer=place, bits=self.bits if bit is None else replaced(self.bits, bit, value))


class Abstract(NamedTuple):
    """The spec: the value, a buffer for each reader's result, the readers' places, and the writer's value or "done"."""

    value: int
    buffers: tuple[int, ...]
    readers: tuple[str, ...]
    writer: Any


@dataclass(frozen=True)
class Register:
    """One writer. With ``as_paper`` tests are steps and buffers keep old results; ``reduced`` takes tests alone."""

    values: int
    readers: int = 1
    as_paper: bool = True
    reduced: bool = False

    @property
    def first(self) -> State:
        """The last bit is set."""
        return State((*[False] * (self.values - 1), True), (IDLE,) * self.readers, IDLE)

    @property
    def spec_first(self) -> Abstract:
        """The last value is current."""
        return Abstract(self.values - 1, (0,) * self.readers, ("idle",) * self.readers, None)

    def moves(self, state: State) -> Moves:
        """Readers first."""
        for me in range(self.readers):
            yield from self._reads(state, me)
        yield from self._writes(state)

    def _reads(self, state: State, me: int) -> Moves:
        match state.readers[me]:
            case ("idle",):
                yield ("read", me), state.reader(me, "up", 0)
            case ("up", i) if state.bits[i]:
                yield None, state.reader(me, "down", i - 1, i)
            case ("up", i):
                yield None, state.reader(me, "up", i + 1)
            case ("down", -1, v) if self.as_paper:
                yield None, state.reader(me, "found", v)
            case ("down", -1, v) | ("found", v):
                yield ("was", me, v), state.reader(me, *IDLE)
            case ("down", i, v):
                yield None, state.reader(me, "down", i - 1, i if state.bits[i] else v)

    def _writes(self, state: State) -> Moves:
        match state.writer:
            case ("idle",):
                yield from ((("write", v), state.writes("set", v)) for v in range(self.values))
            case ("set", i):
                yield None, state.writes("scan", i - 1, bit=i, value=True)
            case ("scan", -1) if self.as_paper:
                yield None, state.writes("written")
            case ("scan", -1) | ("written",):
                yield ("wrote",), state.writes(*IDLE)
            case ("scan", i) if self.as_paper:
                yield None, state.writes("clear", i)
            case ("scan" | "clear", i):
                yield None, state.writes("scan", i - 1, bit=i, value=False)

    def spec_moves(self, state: Abstract) -> Moves:
        """Call, take effect, return."""
        for me, where in enumerate(state.readers):
            if where == "idle":
                yield ("read", me), state._replace(readers=replaced(state.readers, me, "pending"))
            elif where == "pending":
                buffers, readers = replaced(state.buffers, me, state.value), replaced(state.readers, me, "done")
                yield None, state._replace(buffers=buffers, readers=readers)
            else:
                kept = state.buffers if self.as_paper else replaced(state.buffers, me, 0)
                after = state._replace(buffers=kept, readers=replaced(state.readers, me, "idle"))
                yield ("was", me, state.buffers[me]), after
        if state.writer is None:
            yield from ((("write", v), state._replace(writer=v)) for v in range(self.values))
        elif state.writer == "done":
            yield ("wrote",), state._replace(writer=None)
        else:
            yield None, state._replace(value=state.writer, writer="done")

    def chosen(self, state: State) -> list[tuple[Event, State]]:
        """All moves; or, reduced, only that of a process which only tests a variable of its own."""
        every = [*self.moves(state)]
        if not self.reduced:
            return every
        for me, where in enumerate(state.readers):
            if where[:2] == ("down", -1):
                return [each for each in every if each[1].readers[me] != where]
        if state.writer[0] == "scan":
            return [each for each in every if each[1].writer != state.writer]
        return every
