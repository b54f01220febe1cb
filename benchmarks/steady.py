# SPDX-License-Identifier: Apache-2.0
"""Long histories under steady load: operation i takes effect at point 10 i, and starts and ends nearby.

Guarantee: linearizable by construction; every process is sequential, and at any time about half of them are busy. The
lines depend only on the parameters. Cost: O(operations), about two microseconds each.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterator

Step = tuple[str, str, str]
"""An operation: its name, its arguments and its result, as JSON."""


def _register(rng: random.Random) -> Callable[[int], Step]:
    held = "null"

    def step(number: int) -> Step:
        nonlocal held
        if rng.random() < 0.5:
            return "read", "[]", held
        held = str(number)
        return "write", f"[{number}]", "null"

    return step


def _queue(rng: random.Random) -> Callable[[int], Step]:
    items: deque[int] = deque()

    def step(number: int) -> Step:
        if rng.random() < 0.5 and len(items) < 1000:
            items.append(number)
            return "enqueue", f"[{number}]", "null"
        return "dequeue", "[]", str(items.popleft()) if items else "null"

    return step


def _stack(rng: random.Random) -> Callable[[int], Step]:
    items: list[int] = []

    def step(number: int) -> Step:
        if rng.random() < 0.5 and len(items) < 1000:
            items.append(number)
            return "push", f"[{number}]", "null"
        return "pop", "[]", str(items.pop()) if items else "null"

    return step


def _priority_queue(rng: random.Random) -> Callable[[int], Step]:
    items: list[int] = []

    def step(number: int) -> Step:
        if rng.random() < 0.5 and len(items) < 1000:
            priority = rng.randrange(1000) * 100_000_000 + number  # unique, in any order
            heapq.heappush(items, -priority)
            return "insert", f"[{priority}]", "null"
        return "delete-max", "[]", str(-heapq.heappop(items)) if items else "null"

    return step


def _set(rng: random.Random) -> Callable[[int], Step]:
    elements: set[int] = set()

    def step(_number: int) -> Step:
        element = rng.randrange(1000)
        there = element in elements
        kind = rng.random()
        if kind < 0.4:
            elements.add(element)
            return "add", f"[{element}]", "false" if there else "true"
        if kind < 0.8:
            elements.discard(element)
            return "remove", f"[{element}]", "true" if there else "false"
        return "contains", f"[{element}]", "true" if there else "false"

    return step


def _counter(rng: random.Random) -> Callable[[int], Step]:
    count = 0

    def step(_number: int) -> Step:
        nonlocal count
        if rng.random() < 0.5:
            return "read", "[]", str(count)
        count += 1
        return "increment", "[]", "null"

    return step


def _fetch_add(_rng: random.Random) -> Callable[[int], Step]:
    return lambda number: ("fetch-add", "[1]", str(number))


def _map(rng: random.Random) -> Callable[[int], Step]:
    entries: dict[int, str] = {}

    def step(number: int) -> Step:
        key = rng.randrange(1000)
        if rng.random() < 0.5:
            return "get", f"[{key}]", entries.get(key, "null")
        entries[key] = str(number)
        return "put", f"[{key}, {number}]", "null"

    return step


KINDS: dict[str, Callable[[random.Random], Callable[[int], Step]]] = {
    "queue": _queue,
    "register": _register,
    "set": _set,
    "counter": _counter,
    "fetch-add": _fetch_add,
    "stack": _stack,
    "priority-queue": _priority_queue,
    "map": _map,
}


def operation_lines(kind: str, operations: int, *, processes: int = 8, seed: int = 1) -> Iterator[str]:
    """Operation lines, in the order of their points."""
    rng = random.Random(seed)
    step = KINDS[kind](rng)
    reach = 5 * processes - 1  # so that a process has returned before it calls again
    for number in range(operations):
        name, args, result = step(number)
        point = 10 * number + reach
        call, end = point - int(rng.random() * reach), point + int(rng.random() * reach)
        yield (
            f'{{"process": {number % processes}, "op": "{name}", "args": {args}, "result": {result}, '
            f'"call": {call}, "return": {end}}}\n'
        )


def event_lines(kind: str, operations: int, *, processes: int = 8, seed: int = 1) -> Iterator[str]:
    """The same operations as JSON events, calls and returns as they happen."""
    rng = random.Random(seed)
    step = KINDS[kind](rng)
    reach = 5 * processes - 1
    returns: list[tuple[int, int, str]] = []  # of open operations, and of some that are not yet called
    calls: list[tuple[int, int, str]] = []
    for number in range(operations):
        name, args, result = step(number)
        point = 10 * number + reach
        call, end = point - int(rng.random() * reach), point + int(rng.random() * reach)
        who = f'"process": {number % processes}, "f": "{name}"'
        given = args[1:-1] or "null"
        heapq.heappush(calls, (call, number, f'{{"type": "invoke", {who}, "value": {given}}}\n'))
        seen = given if result == "null" and given != "null" else result
        heapq.heappush(returns, (end, number, f'{{"type": "ok", {who}, "value": {seen}}}\n'))
        yield from _until(point - reach, calls, returns)
    yield from _until(10 * operations + 2 * reach, calls, returns)


def _until(time: int, calls: list[tuple[int, int, str]], returns: list[tuple[int, int, str]]) -> Iterator[str]:
    """Events up to a time; at one instant calls come first, except for the process that returns then."""
    while (calls and calls[0][0] < time) or (returns and returns[0][0] < time):
        if calls and (not returns or calls[0][0] <= returns[0][0]):
            yield heapq.heappop(calls)[2]
        else:
            yield heapq.heappop(returns)[2]
