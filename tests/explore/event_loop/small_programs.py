# SPDX-License-Identifier: Apache-2.0
"""Small programs of coroutines: as real ones for the controlled loop, and for an oracle that does not use asyncio."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, replace

MARK, LOAD, STORE, TURN, SLEEP, ACQUIRE, RELEASE = "mark", "load", "store", "turn", "sleep", "acquire", "release"

Line = tuple[str, int]
Program = tuple[tuple[Line, ...], ...]
"""The lines of each coroutine: an action with a variable, a lock or a number of seconds."""


def random_program(choice: random.Random, *, coroutines: int, lines: int) -> Program:
    return tuple(tuple(_lines(choice, choice.randint(1, lines))) for _ in range(coroutines))


def _lines(choice: random.Random, count: int) -> list[Line]:
    found: list[Line] = []
    held: list[int] = []
    while len(found) < count:
        what = choice.choice((MARK, LOAD, STORE, TURN, TURN, SLEEP, ACQUIRE, RELEASE))
        number = choice.randint(0, 1)
        if what == ACQUIRE and number not in held:
            held.append(number)
            found.append((ACQUIRE, number))
        elif what == RELEASE and held:
            found.append((RELEASE, held.pop()))
        elif what == SLEEP:
            found.append((SLEEP, 1 + number))
        elif what not in {ACQUIRE, RELEASE}:
            found.append((what, number))
    return found + [(RELEASE, number) for number in held if choice.random() < 0.8]


class Real:
    """The program on asyncio: what coroutines do to shared variables and a log."""

    def __init__(self) -> None:
        self.variables = [0, 0]
        self.log: list[int] = []
        self.locks = [asyncio.Lock(), asyncio.Lock()]

    async def run(self, who: int, lines: tuple[Line, ...]) -> int:
        seen = 0
        for what, number in lines:
            if what == MARK:
                self.log.append(who)
            elif what == LOAD:
                seen = self.variables[number]
            elif what == STORE:
                self.variables[number] = seen + 1
            elif what == TURN:
                await asyncio.sleep(0)
            elif what == SLEEP:
                await asyncio.sleep(number)
            elif what == ACQUIRE:
                await self.locks[number].acquire()
            else:
                self.locks[number].release()
        return seen

    def outcome(self, results: tuple[int | None, ...]) -> object:
        return tuple(self.variables), tuple(self.log), results


@dataclass(frozen=True)
class _State:
    at: tuple[int, ...]
    seen: tuple[int, ...]
    ready: frozenset[int]
    variables: tuple[int, int] = (0, 0)
    log: tuple[int, ...] = ()
    held: frozenset[int] = frozenset()
    queues: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """The waiters of each lock; a woken one stays in front until it continues."""
    timers: tuple[tuple[int, int, int], ...] = ()
    """Deadline, number, coroutine."""
    ended: frozenset[int] = frozenset()
    now: int = 0
    made: int = 0


def outcomes(program: Program, most: int) -> Counter[object] | None:
    """Every outcome with the number of schedules that give it; None if there are more than ``most`` schedules."""
    found: Counter[object] = Counter()
    count = len(program)
    todo = [_State((0,) * count, (0,) * count, frozenset(range(count)))]
    while todo:
        state = todo.pop()
        following = [_run(program, state, who) for who in state.ready]
        if len(state.ended) == count:
            following = []
        elif state.timers:
            following.append(_fire(state))
        if not following:
            results = tuple(seen if who in state.ended else None for who, seen in enumerate(state.seen))
            found[state.variables, state.log, results] += 1
            if found.total() > most:
                return None
        todo += following
    return found


def _fire(state: _State) -> _State:
    when, _, who = min(state.timers)
    timers = tuple(each for each in state.timers if each[2] != who)
    return replace(state, timers=timers, now=max(state.now, when), ready=state.ready | {who})


def _run(program: Program, state: _State, who: int) -> _State:
    """The next step of a coroutine: until it has to wait, or yields its turn."""
    state = replace(state, ready=state.ready - {who})
    for number, queue in enumerate(state.queues):
        if queue[:1] == (who,):  # woken: it now holds the lock
            state = _with_queue(replace(state, held=state.held | {number}), number, queue[1:])
    while state.at[who] < len(program[who]):
        what, number = program[who][state.at[who]]
        state = replace(state, at=_put(state.at, who, state.at[who] + 1))
        if what == MARK:
            state = replace(state, log=(*state.log, who))
        elif what == LOAD:
            state = replace(state, seen=_put(state.seen, who, state.variables[number]))
        elif what == STORE:
            state = replace(state, variables=_put(state.variables, number, state.seen[who] + 1))
        elif what == TURN:
            return replace(state, ready=state.ready | {who})
        elif what == SLEEP:
            timer = (state.now + number, state.made, who)
            return replace(state, timers=(*state.timers, timer), made=state.made + 1)
        elif what == RELEASE:
            state = replace(state, held=state.held - {number}, ready=state.ready | set(state.queues[number][:1]))
        elif number in state.held or state.queues[number]:
            return _with_queue(state, number, (*state.queues[number], who))
        else:
            state = replace(state, held=state.held | {number})
    return replace(state, ended=state.ended | {who})


def _with_queue(state: _State, number: int, queue: tuple[int, ...]) -> _State:
    return replace(state, queues=_put(state.queues, number, queue))


def _put(parts: tuple, at: int, value: object) -> tuple:
    return (*parts[:at], value, *parts[at + 1 :])
