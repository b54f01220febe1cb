# SPDX-License-Identifier: Apache-2.0
"""Probes: the operations that ask, after recovery, what a crash has left.

Of an object with keys: every key that the workload touched is read back, and a few that it did not; then keys are deleted,
read, inserted and read again (section 5.4 of the Durinn paper, and one step more). What can be drained is drained, then
filled and emptied once more. Of other objects: what reads, then what changes, then what reads again.
Guarantee: every probe is legal in each state that a crash can leave, as far as was tried; one about a key that an
operation names first comes only after crashes in that operation or later.
Cost: about ``_MAX_PROBES`` of them, so that crashes stay cheap: what reads comes first.
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
"""Keys that are deleted and inserted again, however many are read."""
_UNTOUCHED_KEYS: Final = 6
"""Keys that are read although the workload does not touch them."""
_READ_ARGUMENTS: Final = 24
"""Different arguments of an operation that reads."""
_UPDATE_ARGUMENTS: Final = 4
"""And of one that changes: what is read after it may be long."""
_REINSERTED_VALUES: Final = 3
"""Things that are put into what was drained."""
_UNUSED_VALUE: Final = 1_000_000
"""The number of a value that no workload comes to."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A call after recovery; with ``since``, only for crashes in or after that operation of the workload."""

    call: Call
    since: int = 0


def generated_probes(
    vocabulary: OperationPurposes, workload: Sequence[Call], beside: Sequence[Call] = ()
) -> list[Probe]:
    """The probes for a workload, and for operations that may run beside it."""
    if vocabulary.keyed:
        return list(_keyed(vocabulary, workload, beside))
    takers = vocabulary.of(lambda each: each.takes and each.total)
    if takers and vocabulary.of(lambda each: each.adds and each.total):
        return list(_drained(vocabulary, workload, beside, takers))
    if vocabulary.spec.name in MEMORIES:
        return list(_of_words(vocabulary, workload, beside))
    return list(_any(vocabulary, workload, beside))


def concurrent_reads(vocabulary: OperationPurposes, workload: Sequence[Call]) -> list[Probe]:
    """Reads of what operations change, each to run beside one of them (``since``): what they see, a crash may still lose.

    A workload seldom has all of them, as most of its operations change something.
    """
    found = []
    for number, call in enumerate(workload):
        if not vocabulary.purposes[call.operation].reads:
            found += [Probe(read, number) for read in _reads_of(vocabulary, call)]
    return found


def _reads_of(vocabulary: OperationPurposes, call: Call) -> list[Call]:
    if vocabulary.spec.name in MEMORIES:
        words = named_words(call.args[0]) if call.args else ()
        return [_read(vocabulary, tuple(dict.fromkeys(words)))] if words else []
    readers = vocabulary.of(lambda each: each.reads and each.total)
    if vocabulary.keyed:
        return [_call(each, call.args[0], 0) for each in readers if each.parameters and call.args]
    return [Call(each.name) for each in readers if not each.parameters]


def _keyed(vocabulary: OperationPurposes, workload: Sequence[Call], beside: Sequence[Call]) -> Iterator[Probe]:
    keys = _keys(workload, beside)
    total = vocabulary.of(lambda each: each.total and bool(each.parameters))
    readers = [each for each in total if each.reads]
    adders = [each for each in total if each.adds]
    others = [each for each in total if not each.reads and not each.adds]
    removers = [each for each in others if len(each.parameters) == 1]
    asking = readers or removers or adders  # what answers and changes tells as much, once
    for key, since in keys.values():
        yield from (Probe(_call(each, key, 0), since) for each in asking)
    for key in _untouched(asking[0], keys) if asking and not vocabulary.keys else ():
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
    """An operation on a key; what else it takes is a value that nobody has used."""
    given = purpose.given
    rest = (
        nth_value(kind, _UNUSED_VALUE + rank) if given is None else given[at][rank % len(given[at])]
        for at, kind in enumerate(purpose.parameters[1:], 1)
    )
    return Call(purpose.name, (key, *rest))


def _keys(workload: Sequence[Call], beside: Sequence[Call]) -> dict[object, tuple[Value, int]]:
    """Keys with the operations that name them first. What runs beside may be anywhere."""
    found: dict[object, tuple[Value, int]] = {}
    for number, call in enumerate(workload):
        if call.args:
            found.setdefault(canonical(call.args[0]), (call.args[0], number))
    for call in beside:
        if call.args:
            found[canonical(call.args[0])] = (call.args[0], 0)
    return found


def _untouched(purpose: Purpose, keys: dict[object, tuple[Value, int]]) -> Iterator[Value]:
    """A few keys that nobody has touched: what lost memory looks like, beside those that were, and far away."""
    empty = zero_value(purpose.parameters[0])
    if empty is not None and canonical(empty) not in keys:
        yield empty
    for begin in (0, _UNUSED_VALUE):
        near = (nth_value(purpose.parameters[0], begin + number) for number in range(len(keys) + _UNTOUCHED_KEYS))
        fresh = {canonical(key): key for key in near if canonical(key) not in keys}
        yield from list(fresh.values())[: _UNTOUCHED_KEYS // 2]


def _spread(items: list[tuple[Value, int]], most: int) -> list[tuple[Value, int]]:
    """At most so many of them, evenly."""
    if len(items) <= most:
        return items
    return [items[at * len(items) // most] for at in range(most)]


def _drained(
    vocabulary: OperationPurposes, workload: Sequence[Call], beside: Sequence[Call], takers: Sequence[Purpose]
) -> Iterator[Probe]:
    """As often as something may be there, one is taken; then some are put in and taken again."""
    readers = vocabulary.of(lambda each: each.reads and each.total and not each.parameters)
    adders = vocabulary.of(lambda each: each.adds and each.total)
    yield from (Probe(Call(each.name)) for each in readers)
    names = {each.name for each in adders}
    adds = [number for number, call in enumerate(workload) if call.operation in names]
    most = _most_there(vocabulary, workload) + sum(call.operation in names for call in beside) + 1
    for number in range(most):
        # It takes as many operations that add before this one can find anything.
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


def _most_there(vocabulary: OperationPurposes, workload: Sequence[Call]) -> int:
    """How many things the object holds at most, if every operation takes effect and none that takes may."""
    state, there, most = vocabulary.spec.initial, 0, 0
    for call in workload:
        outcomes = vocabulary.outcomes(state, call)
        purpose = vocabulary.purposes[call.operation]
        after = outcomes[0][1] if outcomes else state
        changed = canonical(after) != canonical(state)
        there += changed and purpose.adds
        there -= changed and purpose.takes
        most, state = max(most, there), after
    return most + 1  # one that takes may have been dropped


def _of_words(vocabulary: OperationPurposes, workload: Sequence[Call], beside: Sequence[Call]) -> Iterator[Probe]:
    """All words of a memory that somebody names, read one by one; changed; read again, also together."""
    words = dict.fromkeys(vocabulary.words if vocabulary.spec.name == "mwcas" else ())
    for call in (*workload, *beside):
        words |= dict.fromkeys(named_words(call.args[0]) if call.args else ())
    every = tuple(words)
    changers = vocabulary.of(lambda each: not each.reads)
    yield from (Probe(_read(vocabulary, (word,))) for word in every)
    for number, changer in enumerate(changers):
        for at in range(len(every)):
            cells = memory_cells(changer.name, every, 3 * at + 1, number + at + 1)
            yield Probe(Call(changer.name, (cells,)))
    yield from (Probe(_read(vocabulary, (word,))) for word in every)
    yield Probe(_read(vocabulary, every))


def _read(vocabulary: OperationPurposes, words: Sequence[Value]) -> Call:
    if vocabulary.spec.name == "mwcas":
        return Call("read", (tuple(words),))
    return Call("txn", (tuple(("read", word, None) for word in words),))


def _any(vocabulary: OperationPurposes, workload: Sequence[Call], beside: Sequence[Call]) -> Iterator[Probe]:
    """What reads, then everything once, then what reads again."""
    first: dict[tuple[str, object], tuple[Call, int]] = {}
    for number, call in enumerate((*workload, *beside)):
        first.setdefault((call.operation, canonical(call.args)), (call, number if number < len(workload) else 0))
    reading = list(_samples(vocabulary, first.values(), _READ_ARGUMENTS, reads=True))
    changing = list(_samples(vocabulary, first.values(), _UPDATE_ARGUMENTS, reads=False))
    yield from reading
    for each in changing:
        yield each
        yield from (Probe(again.call, max(again.since, each.since)) for again in reading[:1])
    if changing:
        yield from reading


def _samples(
    vocabulary: OperationPurposes, calls: Iterable[tuple[Call, int]], most: int, *, reads: bool
) -> Iterator[Probe]:
    """Calls of operations that read, or of the others, that are legal everywhere: a few of each."""
    by_name: dict[str, list[tuple[Call, int]]] = {}
    for call, number in calls:
        by_name.setdefault(call.operation, []).append((call, number))
    for purpose in vocabulary.of(lambda each: each.reads == reads and each.total):
        if not purpose.parameters:
            yield Probe(Call(purpose.name))
            continue
        known = by_name.get(purpose.name, [])
        step = max(1, len(known) // most)
        yield from (Probe(call, number) for call, number in known[::step][:most])
        if not known:
            yield Probe(Call(purpose.name, _fresh(purpose, 0)))
