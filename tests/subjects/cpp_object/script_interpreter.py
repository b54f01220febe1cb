# SPDX-License-Identifier: Apache-2.0
"""Every interleaving of scripts on a shared memory, and their histories: a tiny interpreter, for comparison.

It shares nothing with the code it is compared with. An operation lasts from its first visible event to its last: an
access of memory, a store that goes to the buffer, a fence after stores at the end of an operation or before a store;
without any visible event it is a single moment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

Script = str
History = tuple[tuple[int, ...], tuple[frozenset[int], ...]]
"""The results of all operations by thread, and for each operation those that had ended when it began."""


@dataclass(frozen=True)
class Thread:
    """The state of a thread: its operation, the instruction, its register, its buffered stores."""

    operation: int = 0
    at: int = 0
    kept: int = 0
    begun: bool = False
    fenced: bool = False
    stored: bool = False
    """Whether it has stored since the last event that had to wait for the buffer."""
    buffer: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class State:
    """All threads, the memory, the results so far, which threads had ended when each operation began, and which have
    ended.
    """

    threads: tuple[Thread, ...]
    memory: tuple[int, ...]
    results: tuple[int | None, ...]
    before: tuple[frozenset[int] | None, ...]
    ended: frozenset[int] = frozenset()


def histories(scenario: list[list[Script]], *, tso: bool) -> set[History]:
    """The histories of all interleavings."""
    count = sum(map(len, scenario))
    first = [sum(map(len, scenario[:number])) for number in range(len(scenario))]
    start = State(tuple(Thread() for _ in scenario), (0, 0, 0), (None,) * count, (None,) * count)
    todo, seen, found = [start], {start}, set()
    while todo:
        state = todo.pop()
        following = [
            after
            for number, scripts in enumerate(scenario)
            for after in _steps(state, number, scripts, first[number], tso=tso)
        ]
        if not following:
            assert None not in state.results
            found.add((state.results, state.before))  # type: ignore[arg-type]
        for after in following:
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return found  # type: ignore[return-value]


def _steps(state: State, number: int, scripts: list[Script], first: int, *, tso: bool) -> list[State]:
    thread = state.threads[number]
    found = []
    if thread.buffer:
        (place, value), *rest = thread.buffer
        memory = (*state.memory[:place], value, *state.memory[place + 1 :])
        found.append(_with(replace(state, memory=memory), number, replace(thread, buffer=tuple(rest))))
    if thread.operation < len(scripts):
        found += _event(state, number, scripts, first, tso=tso)
    return found


def _event(state: State, number: int, scripts: list[Script], first: int, *, tso: bool) -> list[State]:
    """The next visible event of a thread, and its invisible effects afterwards."""
    thread = state.threads[number]
    script = scripts[thread.operation]
    name = first + thread.operation
    thread, over = _quietly(thread, script)
    if over:
        if thread.buffer and thread.fenced:
            return []
        begun = state if thread.begun else _begin(state, name)
        return [_end(begun, number, replace(thread, stored=thread.stored and not thread.fenced), name, scripts)]
    letter, place = script[thread.at], int(script[thread.at + 1])
    full = letter in "qax" or (letter == "l" and thread.fenced)
    if tso and thread.buffer and (full or thread.fenced):
        return []
    if letter in "sc" and thread.fenced:
        # The fence is an event of its own, and the store is another.
        state = state if thread.begun else _begin(state, name)
        return [_with(state, number, replace(thread, fenced=False, stored=False, begun=True))]
    state = state if thread.begun else _begin(state, name)
    stored = thread.stored and not full
    thread = replace(thread, begun=True, fenced=False, stored=stored, at=thread.at + 2)
    memory, thread = _do(letter, place, state.memory, thread, tso=tso)
    state = replace(state, memory=memory)
    thread, over = _quietly(thread, script)
    if over and not thread.fenced:
        return [_end(state, number, thread, name, scripts)]
    return [_with(state, number, thread)]


def _do(
    letter: str, place: int, memory: tuple[int, ...], thread: Thread, *, tso: bool
) -> tuple[tuple[int, ...], Thread]:
    def stored(value: int) -> tuple[int, ...]:
        return (*memory[:place], value, *memory[place + 1 :])

    own = [value for where, value in thread.buffer if where == place]
    seen = own[-1] if own else memory[place]
    match letter:
        case "l":
            return memory, replace(thread, kept=thread.kept * 4 + seen)
        case "s" | "c":
            value = 1 if letter == "s" else thread.kept
            if tso:
                return memory, replace(thread, stored=True, buffer=(*thread.buffer, (place, value)))
            return stored(value), thread
        case "q":
            return stored(2), thread
        case "a":
            return stored(seen + 1), replace(thread, kept=seen)
        case _:
            return (stored(2), replace(thread, kept=1)) if seen == 0 else (memory, replace(thread, kept=0))


def _quietly(thread: Thread, script: Script) -> tuple[Thread, bool]:
    """Invisible effects: fences, which delay the next event, and skips. Returns whether the script is finished."""
    while thread.at < len(script):
        letter = script[thread.at]
        if letter == "f":
            thread = replace(thread, at=thread.at + 2, fenced=thread.fenced or thread.stored)
        elif letter == "z":
            thread = replace(thread, at=thread.at + 2 if thread.kept else len(script) + 2, kept=thread.kept or -1)
        else:
            return thread, False
    return thread, True


def _begin(state: State, name: int) -> State:
    return replace(state, before=(*state.before[:name], state.ended, *state.before[name + 1 :]))


def _end(state: State, number: int, thread: Thread, name: int, scripts: list[Script]) -> State:
    state = replace(
        state,
        results=(*state.results[:name], thread.kept, *state.results[name + 1 :]),
        ended=state.ended | {name},
    )
    after = Thread(thread.operation + 1, stored=thread.stored, buffer=thread.buffer)
    if after.operation < len(scripts):  # invisible effects happen immediately
        after, _ = _quietly(after, scripts[after.operation])
    return _with(state, number, after)


def _with(state: State, number: int, thread: Thread) -> State:
    return replace(state, threads=(*state.threads[:number], thread, *state.threads[number + 1 :]))
