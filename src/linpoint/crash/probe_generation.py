# SPDX-License-Identifier: Apache-2.0
"""Generates probes: the operations that query the recovered object after a crash.

For an object with keys, the probes read every key of the workload and a few others. Then they delete keys, read, insert
and read again (section 5.4 of the Durinn paper, with one more step). A container is drained, then filled and drained
once more. For other objects, reading operations run first, then changing ones, then reading ones again.
Guarantee: every probe was legal in each tried state; a probe of a key runs only after crashes in the first operation on
this key or later.
Cost: about ``_MAX_PROBES`` probes, so that crash tests stay cheap; reads come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.crash.operation_purposes import (
    MEMORIES,
    OperationPurposes,
    Purpose,
    memory_cells,
    named_words,
    nth_value,
    zero_value,
)
from linpoint.histories.values import Value, canonical
from linpoint.scenarios.scenario import Call

_MAX_PROBES: Final = 1000
_MIN_UPDATED_KEYS: Final = 16
"""The number of keys that are deleted and inserted again, independent of the number of reads."""
_UNTOUCHED_KEYS: Final = 6
"""The number of keys outside of the workload that are read."""
_READ_ARGUMENTS: Final = 24
"""The number of different arguments of a reading operation."""
_UPDATE_ARGUMENTS: Final = 4
"""The number of different arguments of a changing operation, which many reads may follow."""
_REINSERTED_VALUES: Final = 3
"""The number of values that are added to a drained container."""
_UNUSED_VALUE: Final = 1_000_000
"""The number of a value that no workload uses."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A call after recovery, only for crashes in or after the operation ``since`` of the workload."""

    call: Call
    since: int = 0


def generated_probes(purposes: OperationPurposes, workload: Sequence[Call], beside: Sequence[Call] = ()) -> list[Probe]:
    """Generate the probes for a workload and for operations that may run concurrently with it."""
    if purposes.keyed:
        return list(_keyed(purposes, workload, beside))
    takers = [each for each in purposes.by_name.values() if each.takes and each.total]
    if takers and [each for each in purposes.by_name.values() if each.adds and each.total]:
        return list(_drained(purposes, workload, beside, takers))
    if purposes.spec.name in MEMORIES:
        return list(_of_words(purposes, workload, beside))
    return list(_any(purposes, workload, beside))


def concurrent_reads(purposes: OperationPurposes, workload: Sequence[Call]) -> list[Probe]:
    """Reads of the values that operations change, each concurrent with one of them (``since``).

    They may return values that a crash still loses. A workload seldom has all of these reads, since most of its
    operations change something.
    """
    found = []
    for number, call in enumerate(workload):
        if not purposes.by_name[call.operation].reads:
            found += [Probe(read, number) for read in _reads_of(purposes, call)]
    return found


def _reads_of(purposes: OperationPurposes, call: Call) -> list[Call]:
    if purposes.spec.name in MEMORIES:
        words = named_words(call.args[0]) if call.args else ()
        return [_read(purposes, tuple(dict.fromkeys(words)))] if words else []
    readers = [each for each in purposes.by_name.values() if each.reads and each.total]
    if purposes.keyed:
        return [_call(each, call.args[0], 0) for each in readers if each.parameters and call.args]
    return [Call(each.name) for each in readers if not each.parameters]


def _keyed(purposes: OperationPurposes, workload: Sequence[Call], beside: Sequence[Call]) -> Iterator[Probe]:
    keys = _keys(workload, beside)
    total = [each for each in purposes.by_name.values() if each.total and bool(each.parameters)]
    readers = [each for each in total if each.reads]
    adders = [each for each in total if each.adds]
    others = [each for each in total if not each.reads and not each.adds]
    removers = [each for each in others if len(each.parameters) == 1]
    asking = readers or removers or adders  # a changing operation also returns a result, once
    for key, since in keys.values():
        yield from (Probe(_call(each, key, 0), since) for each in asking)
    for key in _untouched(asking[0], keys) if asking and not purposes.keys else ():
        yield Probe(_call(asking[0], key, 0))
    used = len(keys) * len(asking)
    rounds = [*removers[:1], *readers[:1], *adders[:1], *readers[:1]]
    if not rounds:
        return
    room = max(_MIN_UPDATED_KEYS, (_MAX_PROBES - used) // len(rounds))
    for rank, (key, since) in enumerate(_spread(list(keys.values()), room)):
        for number, each in enumerate(rounds):
            # The operations of a kind take turns.
            kind = removers if each in removers else adders if each in adders else readers
            chosen = kind[(rank + (number == len(rounds) - 1)) % len(kind)] if kind is not readers else each
            yield Probe(_call(chosen, key, rank), since)


def _call(purpose: Purpose, key: Value, rank: int) -> Call:
    """An operation on a key, with values that the workload does not use as its other arguments."""
    given = purpose.given
    rest = (
        nth_value(kind, _UNUSED_VALUE + rank) if given is None else given[at][rank % len(given[at])]
        for at, kind in enumerate(purpose.parameters[1:], 1)
    )
    return Call(purpose.name, (key, *rest))


def _keys(workload: Sequence[Call], beside: Sequence[Call]) -> dict[object, tuple[Value, int]]:
    """The keys with their first operations. Operations concurrent with the workload may run at any time."""
    found: dict[object, tuple[Value, int]] = {}
    for number, call in enumerate(workload):
        if call.args:
            found.setdefault(canonical(call.args[0]), (call.args[0], number))
    for call in beside:
        if call.args:
            found[canonical(call.args[0])] = (call.args[0], 0)
    return found


def _untouched(purpose: Purpose, keys: dict[object, tuple[Value, int]]) -> Iterator[Value]:
    """A few keys outside of the workload: the one that zeroed memory represents, close ones and remote ones."""
    empty = zero_value(purpose.parameters[0])
    if empty is not None and canonical(empty) not in keys:
        yield empty
    for begin in (0, _UNUSED_VALUE):
        near = (nth_value(purpose.parameters[0], begin + number) for number in range(len(keys) + _UNTOUCHED_KEYS))
        fresh = {canonical(key): key for key in near if canonical(key) not in keys}
        yield from list(fresh.values())[: _UNTOUCHED_KEYS // 2]


def _spread(items: list[tuple[Value, int]], most: int) -> list[tuple[Value, int]]:
    """At most this number of items, evenly spread."""
    if len(items) <= most:
        return items
    return [items[at * len(items) // most] for at in range(most)]


def _drained(
    purposes: OperationPurposes, workload: Sequence[Call], beside: Sequence[Call], takers: Sequence[Purpose]
) -> Iterator[Probe]:
    """Remove as many values as there may be, then add some and remove them again."""
    readers = [each for each in purposes.by_name.values() if each.reads and each.total and not each.parameters]
    adders = [each for each in purposes.by_name.values() if each.adds and each.total]
    yield from (Probe(Call(each.name)) for each in readers)
    names = {each.name for each in adders}
    adds = [number for number, call in enumerate(workload) if call.operation in names]
    most = _most_there(purposes, workload) + sum(call.operation in names for call in beside) + 1
    for number in range(most):
        # This probe can find a value only after that many adding operations.
        since = adds[number - 1] if 0 < number <= len(adds) and not beside else 0
        yield Probe(Call(takers[number % len(takers)].name), since)
    for number in range(_REINSERTED_VALUES):
        adder = adders[number % len(adders)]
        yield Probe(Call(adder.name, _fresh(adder, number)))
        yield from (Probe(Call(each.name)) for each in readers)
    for number in range(_REINSERTED_VALUES + 1):
        yield Probe(Call(takers[number % len(takers)].name))


def _fresh(purpose: Purpose, number: int) -> tuple[Value, ...]:
    if purpose.given is not None:
        return tuple(values[number % len(values)] for values in purpose.given)
    return tuple(nth_value(kind, _UNUSED_VALUE + number) for kind in purpose.parameters)


def _most_there(purposes: OperationPurposes, workload: Sequence[Call]) -> int:
    """The maximum number of values in the object if removing operations had no effect."""
    state, there, most = purposes.spec.initial, 0, 0
    for call in workload:
        outcomes = purposes.outcomes(state, call)
        purpose = purposes.by_name[call.operation]
        after = outcomes[0][1] if outcomes else state
        changed = canonical(after) != canonical(state)
        there += changed and purpose.adds
        there -= changed and purpose.takes
        most, state = max(most, there), after
    return most + 1  # the effect of a removing operation may be lost


def _of_words(purposes: OperationPurposes, workload: Sequence[Call], beside: Sequence[Call]) -> Iterator[Probe]:
    """For all words in the workload or the test: read each, change them, and read each again and all together."""
    words = dict.fromkeys(purposes.words if purposes.spec.name == "mwcas" else ())
    for call in (*workload, *beside):
        words |= dict.fromkeys(named_words(call.args[0]) if call.args else ())
    every = tuple(words)
    changers = [each for each in purposes.by_name.values() if not each.reads]
    yield from (Probe(_read(purposes, (word,))) for word in every)
    for number, changer in enumerate(changers):
        for at in range(len(every)):
            cells = memory_cells(changer.name, every, 3 * at + 1, number + at + 1)
            yield Probe(Call(changer.name, (cells,)))
    yield from (Probe(_read(purposes, (word,))) for word in every)
    yield Probe(_read(purposes, every))


def _read(purposes: OperationPurposes, words: Sequence[Value]) -> Call:
    if purposes.spec.name == "mwcas":
        return Call("read", (tuple(words),))
    return Call("txn", (tuple(("read", word, None) for word in words),))


def _any(purposes: OperationPurposes, workload: Sequence[Call], beside: Sequence[Call]) -> Iterator[Probe]:
    """The reading operations, then each changing one once, then the reading ones again."""
    first: dict[tuple[str, object], tuple[Call, int]] = {}
    for number, call in enumerate((*workload, *beside)):
        first.setdefault((call.operation, canonical(call.args)), (call, number if number < len(workload) else 0))
    reading = list(_samples(purposes, first.values(), _READ_ARGUMENTS, reads=True))
    changing = list(_samples(purposes, first.values(), _UPDATE_ARGUMENTS, reads=False))
    yield from reading
    for each in changing:
        yield each
        yield from (Probe(again.call, max(again.since, each.since)) for again in reading[:1])
    if changing:
        yield from reading


def _samples(
    purposes: OperationPurposes, calls: Iterable[tuple[Call, int]], most: int, *, reads: bool
) -> Iterator[Probe]:
    """A few calls of each total operation that reads, or of each that does not."""
    by_name: dict[str, list[tuple[Call, int]]] = {}
    for call, number in calls:
        by_name.setdefault(call.operation, []).append((call, number))
    for purpose in [each for each in purposes.by_name.values() if each.reads == reads and each.total]:
        if not purpose.parameters:
            yield Probe(Call(purpose.name))
            continue
        known = by_name.get(purpose.name, [])
        step = max(1, len(known) // most)
        yield from (Probe(call, number) for call, number in known[::step][:most])
        if not known:
            yield Probe(Call(purpose.name, _fresh(purpose, 0)))
