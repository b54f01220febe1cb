# SPDX-License-Identifier: Apache-2.0
"""Derives initial values of a built-in spec that could explain the observations: candidates, likeliest first.

Each candidate follows from the observations: a value that was read before any operation wrote it was there from the
start, and a counter that read 5 after one increment began at 4. The candidates are necessary, not sufficient: before
one is shown to a user, the history must be checked with it. Cost: O(n log n) for n operations; at most
``MAX_INITIAL_VALUES`` candidates.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value, canonical, equal_values
from linpoint.specs.initial_values.memory_words import first_words
from linpoint.specs.initial_values.number_bounds import CounterMove, first_numbers, shortage
from linpoint.specs.spec import Spec

MAX_INITIAL_VALUES: Final = 8
_MAX_INITIAL_ITEMS: Final = 64
"""The maximum length of a list of unknown items; a longer one is not informative."""


def first_values(spec: Spec, ops: Sequence[Operation], core: Sequence[Operation]) -> list[Any]:
    """Candidates for ``--initial`` other than the spec's own initial value. ``core`` holds the conflicting operations.

    For a spec whose parts are independent, ``ops`` are the operations of one part, and each candidate is the initial
    value of that part: a list of items, for ``map`` a list of pairs.
    """
    find = _FIND[spec.name.partition("(")[0]]
    distinct: dict[Any, Any] = {}
    as_it_is = canonical(spec.initial) if spec.partition is None else None
    for value in find(spec, sorted(ops, key=lambda op: op.end), core):
        if canonical(value) != as_it_is:
            distinct.setdefault(canonical(value), value)
        if len(distinct) == MAX_INITIAL_VALUES:
            break
    return list(distinct.values())


def part_now(spec: Spec, part: Value) -> list[Any]:
    """The spec's own initial value of this part, in the form of the candidates."""
    state, name = spec.initial, canonical(part)
    if spec.name == "map":
        return [[part, state[name]]] if name in state else []
    return [part] * (state.get(name, 0) if spec.name == "multiset" else name in state)


def put_together(spec: Spec, parts: Iterable[list[Any]]) -> Any:
    """The initial value that consists of these parts: an object where all keys are strings, else pairs."""
    items = [item for part in parts for item in part]
    return dict(items) if spec.name == "map" and all(isinstance(key, str) for key, _ in items) else items


def _named(spec: Spec, ops: Iterable[Operation], *names: str) -> list[Operation]:
    return [op for op in ops if spec.step(op).name in names]


def _ok(ops: Iterable[Operation], *, result: Value = ...) -> list[Operation]:
    """The operations that returned; with ``result``, those that returned it."""
    return [op for op in ops if op.outcome is Outcome.OK and (result is ... or equal_values(op.result, result))]


# Containers in which order matters


def _items(spec: Spec, ops: Sequence[Operation], _core: Sequence[Operation]) -> Iterator[list[Value]]:
    """The items that came out before any operation can have put them in, in the order of removal."""
    added: dict[Any, list[float]] = defaultdict(list)
    for op in _named(spec, ops, "enqueue", "push", "push-front", "push-back", "insert"):
        if op.outcome is Outcome.UNKNOWN or op.result is not False:
            added[canonical(op.args[0])].append(op.call)
    taken: dict[Any, list[Operation]] = defaultdict(list)
    peeked: dict[Any, list[Operation]] = defaultdict(list)
    for op in _ok(ops):
        if op.result is not None and spec.step(op).name == "peek":
            peeked[canonical(op.result)].append(op)
        elif op.result is not None and spec.step(op).name in ("dequeue", "pop", "pop-front", "pop-back", "delete-max"):
            taken[canonical(op.result)].append(op)
    missing = {name: shortage([op.end for op in each], added[name]) for name, each in taken.items()}
    # Of equal items, a queue returns the initial ones first, and a stack last.
    earliest = [op for name, each in taken.items() for op in each[: missing[name]]]
    latest = [op for name, each in taken.items() for op in each[len(each) - missing[name] :]]
    seen = []  # one more item of a kind than were seen when those taken so far were gone
    for name, each in peeked.items():
        for op in each[:MAX_INITIAL_VALUES]:
            gone = [take.end for take in taken[name] if take.end < op.call]
            if shortage([*gone, op.end], added[name]) > missing.get(name, 0):
                seen.append(op)
                break
    for came_out in (earliest, latest):
        for key in (lambda op: (op.end, op.call), lambda op: (op.call, op.end)):
            order = sorted([*came_out, *seen], key=key)
            back = [op.result for op in order if _at_the_back(spec, op)]
            found = [*(op.result for op in order if not _at_the_back(spec, op)), *reversed(back)]
            yield found
            capacity = re.search(r"capacity=(\d+)", spec.name)
            if (
                capacity
                and int(capacity.group(1)) <= _MAX_INITIAL_ITEMS
                and _ok(_named(spec, ops, "enqueue"), result=False)
            ):
                yield found + [None] * (int(capacity.group(1)) - len(found))  # the object was full of unknown items
    if spec.name.startswith("queue") and earliest:
        yield from _beginnings([op for op in _ok(_named(spec, ops, "dequeue")) if op.result is not None], earliest)


def _beginnings(out: Sequence[Operation], missing: Sequence[Operation]) -> Iterator[list[Value]]:
    """The items of a queue that come out first, including those equal to items that were put in later.

    If 3 is enqueued, then "a" is dequeued, then 1 is enqueued and 1 is dequeued, the queue began with ["a", 1]. The
    search requires missing items: an initial value that only explains a wrong order does not help the user.
    """
    ids = {id(op) for op in missing}
    needed = 1 + max(index for index, op in enumerate(out) if id(op) in ids)
    for length in range(needed, min(needed + 3, len(out)) + 1):
        yield [op.result for op in out[:length]]


def _at_the_back(spec: Spec, op: Operation) -> bool:
    name = spec.step(op).name
    return name in ("pop", "pop-back", "delete-max") or (name == "peek" and not spec.name.startswith("queue"))


def _log(spec: Spec, ops: Sequence[Operation], core: Sequence[Operation]) -> Iterator[list[Value]]:
    """The length of a log follows from the returned indices and lengths, its items from the longest read."""
    appends, reads = _named(spec, ops, "append"), _ok(_named(spec, ops, "read"))
    reads = [op for op in reads if isinstance(op.result, tuple)]
    readings = [(op, op.result) for op in _ok(appends)] + [(op, len(op.result)) for op in reads]
    known = max((op.result for op in reads), key=len, default=())
    for length in first_numbers(readings, [CounterMove(op, 1) for op in appends], core, near=len(spec.initial)):
        if isinstance(length, int) and 0 <= length <= max(_MAX_INITIAL_ITEMS, len(known)):
            yield [*known[:length], *[None] * (length - len(known))]


# Numbers and locks


def _number(spec: Spec, ops: Sequence[Operation], core: Sequence[Operation]) -> Iterator[Value]:
    readings = [(op, op.result) for op in _ok(_named(spec, ops, "read", "fetch-add"))]
    amounts: dict[str, Callable[[Operation], Value]] = {
        "increment": lambda _: 1,
        "decrement": lambda _: -1,
        "add": lambda op: op.args[0],
        "fetch-add": lambda op: op.args[0],
    }
    moves = [CounterMove(op, amounts[spec.step(op).name](op)) for op in ops if spec.step(op).name in amounts]
    yield from first_numbers(readings, moves, core, near=spec.initial)


def _mutex(spec: Spec, _ops: Sequence[Operation], _core: Sequence[Operation]) -> Iterator[bool]:
    yield not spec.initial


def _rw_lock(spec: Spec, ops: Sequence[Operation], _core: Sequence[Operation]) -> Iterator[int]:
    acquired = [op.call for op in _named(spec, ops, "acquire-read")]
    least = shortage([op.end for op in _ok(_named(spec, ops, "release-read"))], acquired)
    yield from (least, -1, least + 1)


def _semaphore(spec: Spec, ops: Sequence[Operation], _core: Sequence[Operation]) -> Iterator[int]:
    acquired = _ok(_named(spec, ops, "acquire")) + _ok(_named(spec, ops, "try-acquire"), result=True)
    least = shortage([op.end for op in acquired], [op.call for op in _named(spec, ops, "release")])
    yield from range(least, least + MAX_INITIAL_VALUES)


# Objects with independent parts: the operations are those of one part


def _element(_spec: Spec, ops: Sequence[Operation], _core: Sequence[Operation]) -> Iterator[list[Value]]:
    yield from ([], [ops[0].args[0]])


def _count(spec: Spec, ops: Sequence[Operation], core: Sequence[Operation]) -> Iterator[list[Value]]:
    added, removed = _named(spec, ops, "add"), _named(spec, ops, "remove")
    gone = _ok(removed, result=True)
    least = shortage([op.end for op in gone], [op.call for op in added])
    readings = [(op, op.result) for op in _ok(_named(spec, ops, "count"))]
    doubtful = [op for op in removed if op.outcome is Outcome.UNKNOWN or op.result is None]
    moves = [CounterMove(op, 1) for op in added] + [CounterMove(op, -1) for op in gone]
    moves += [CounterMove(op, -1, certain=False) for op in doubtful]
    counts = first_numbers(readings, moves, core, near=least) if readings else range(least, least + MAX_INITIAL_VALUES)
    for count in counts:
        if isinstance(count, int) and least <= count <= _MAX_INITIAL_ITEMS:
            yield [ops[0].args[0]] * count


def _entry(spec: Spec, ops: Sequence[Operation], core: Sequence[Operation]) -> Iterator[list[Value]]:
    """An observed value, without what was appended to it. If any value is possible, null."""
    key = spec.arguments(ops[0])[0]
    found = [op.result for op in _ok(_named(spec, [*core, *ops], "get"))]
    found += [op.args[-2] for op in _ok(_named(spec, [*core, *ops], "cas"), result=True)]
    values: dict[Any, Value] = {canonical(value): value for value in found if value is not None}
    suffixes = {op.args[-1] for op in _named(spec, ops, "append")} - {""}
    stems: dict[str, None] = {}
    todo = [value for value in values.values() if isinstance(value, str)]
    while todo and suffixes and len(stems) < _MAX_INITIAL_ITEMS:
        text = todo.pop()
        shorter = [text.removesuffix(each) for each in suffixes if text.endswith(each)]
        todo += [each for each in shorter if each not in stems]
        stems |= dict.fromkeys(shorter)
    yield from ([[key, value]] for value in islice(values.values(), MAX_INITIAL_VALUES // 2))
    yield from ([[key, value]] for value in sorted(stems, key=len)[: MAX_INITIAL_VALUES // 2])
    yield from ([[key, None]], [[key, ""]], [])


_FIND: Final[dict[str, Callable[[Spec, Sequence[Operation], Sequence[Operation]], Iterator[Any]]]] = {
    **dict.fromkeys(("register", "cas-register", "multi-register", "mwcas"), first_words),
    **dict.fromkeys(("queue", "stack", "deque", "priority-queue"), _items),
    **dict.fromkeys(("counter", "fetch-add"), _number),
    "log": _log,
    "map": _entry,
    "set": _element,
    "multiset": _count,
    "mutex": _mutex,
    "rw-lock": _rw_lock,
    "semaphore": _semaphore,
}
