# SPDX-License-Identifier: Apache-2.0
"""The outcomes of litmus programs under SC, x86-TSO and PSO, by visiting every state without any reduction.

A state consists of program positions, values read, memory, mutex owners, and store buffers. Under TSO the stores of a
thread leave its buffer in order. Under PSO only those of one variable do, and stores after a barrier wait for all
stores before it: a release store follows a barrier, a release fence is one. A load takes the youngest store of its
variable in its own buffer, else the value in memory. As on x86, read-modify-writes, mutex operations, and seq_cst
fences and stores need an empty buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.hosts.litmus import MUTEXES, VARIABLES, Op, Program, printed

MODELS = ("sc", "tso", "pso")
_BARRIER = (-1, 0)
_FREE = -1

Entry = tuple[int, int]
"""A variable and its value, or a barrier."""


@dataclass(frozen=True, slots=True)
class State:
    """The state between two steps."""

    at: tuple[int, ...]
    results: tuple[tuple[int, ...], ...]
    buffers: tuple[tuple[Entry, ...], ...]
    memory: tuple[int, ...] = (0,) * len(VARIABLES)
    owners: tuple[int, ...] = (_FREE,) * len(MUTEXES)


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The possible outputs of the interpreter, and how it can get stuck: by ``deadlock``, ``livelock``, or both."""

    outcomes: frozenset[str]
    stuck: frozenset[str]


def behaviour(program: Program, model: str) -> Behaviour:
    """The behaviour of all executions."""
    count = len(program)
    start = State((0,) * count, ((),) * count, ((),) * count)
    seen = {start}
    todo = [start]
    outcomes: set[str] = set()
    stuck: set[str] = set()
    while todo:
        state = todo.pop()
        following = list(_steps(program, state, model))
        for each in following:
            if each not in seen:
                seen.add(each)
                todo.append(each)
        if not following:
            waiting = {thread[at].kind for thread, at in zip(program, state.at, strict=True) if at < len(thread)}
            if not waiting:
                outcomes.add(printed(state.results, state.memory))
            else:
                stuck.add("livelock" if waiting & set("ENW") else "deadlock")
    return Behaviour(frozenset(outcomes), frozenset(stuck))


def _steps(program: Program, state: State, model: str) -> Iterator[State]:
    for number, thread in enumerate(program):
        yield from _flushes(state, number, model)
        if state.at[number] < len(thread):
            following = _step(state, number, thread[state.at[number]], model)
            if following is not None:
                yield following


def _flushes(state: State, number: int, model: str) -> Iterator[State]:
    buffer = state.buffers[number]
    passed: set[int] = set()
    for index, (variable, value) in enumerate(buffer):
        if (variable, value) == _BARRIER or (model == "tso" and index > 0):
            return
        if variable not in passed:
            memory = _with(state.memory, variable, value)
            rest = _normal(buffer[:index] + buffer[index + 1 :])
            yield replace(state, memory=memory, buffers=_with(state.buffers, number, rest))
        passed.add(variable)


def _step(state: State, number: int, op: Op, model: str) -> State | None:
    """The state after a step; None if the step must wait, or if waiting once more would change nothing."""
    buffer = state.buffers[number]
    if _drains(op) and buffer:
        return None
    done = replace(state, at=_with(state.at, number, state.at[number] + 1))
    found = _load(state, number, op.place) if op.kind not in "MUF" else 0
    match op.kind:
        case "S":
            return _stored(done, number, op, op.value, model)
        case "I":
            return _stored(done, number, op, state.results[number][-1] + 1, model)
        case "L":
            return _read(done, number, found)
        case "F":
            stays = model == "pso" and op.order in ("release", "acq_rel")
            return replace(done, buffers=_with(done.buffers, number, _normal((*buffer, _BARRIER)))) if stays else done
        case "X":
            return _read(_written(done, op.place, op.value), number, found)
        case "A":
            return _read(_written(done, op.place, found + op.value), number, found)
        case "C":
            succeeds = found == op.expected
            return _read(_written(done, op.place, op.value) if succeeds else done, number, int(succeeds))
        case "E":
            return done if found == op.value else None
        case "N":
            return done if found != op.value else None
        case "W":
            if found == op.expected:
                return _written(done, op.place, op.value)
            return _written(state, op.place, op.value) if found != op.value else None
        case "M":
            return replace(done, owners=_with(done.owners, op.place, number)) if state.owners[op.place] < 0 else None
        case _:
            return replace(done, owners=_with(done.owners, op.place, _FREE))


def _drains(op: Op) -> bool:
    return op.kind in "XACWMU" or (op.kind in "SIF" and op.order == "seq_cst")


def _load(state: State, number: int, variable: int) -> int:
    own = [value for each, value in state.buffers[number] if each == variable]
    return own[-1] if own else state.memory[variable]


def _stored(state: State, number: int, op: Op, value: int, model: str) -> State:
    if model == "sc" or op.order == "seq_cst":
        return _written(state, op.place, value)
    before = (_BARRIER,) if model == "pso" and op.order == "release" else ()
    buffer = _normal((*state.buffers[number], *before, (op.place, value)))
    return replace(state, buffers=_with(state.buffers, number, buffer))


def _written(state: State, variable: int, value: int) -> State:
    return replace(state, memory=_with(state.memory, variable, value))


def _read(state: State, number: int, value: int) -> State:
    return replace(state, results=_with(state.results, number, (*state.results[number], value)))


def _normal(buffer: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The state without barriers that no store precedes."""
    first = next((index for index, entry in enumerate(buffer) if entry != _BARRIER), len(buffer))
    return buffer[first:]


def _with(values: tuple, at: int, value: object) -> tuple:
    return (*values[:at], value, *values[at + 1 :])


def executions(program: Program) -> int:
    """The number of executions under SC that differ in the source of a load or in the order of stores.

    It tries every interleaving. The number is how many schedules a search needs that runs no equivalent executions.
    """
    shown: set[frozenset[object]] = set()

    def go(at: tuple[int, ...], last: tuple[object, ...], order: frozenset[object]) -> None:
        if all(each == len(thread) for each, thread in zip(at, program, strict=True)):
            shown.add(order)
        for number, thread in enumerate(program):
            if at[number] < len(thread):
                op = thread[at[number]]
                assert op.kind in "SIL"
                event = (number, at[number])
                after = _with(last, op.place, event) if op.kind in "SI" else last
                go(_with(at, number, at[number] + 1), after, order | {(event, last[op.place])})

    go((0,) * len(program), (None,) * len(VARIABLES), frozenset())
    return len(shown)
