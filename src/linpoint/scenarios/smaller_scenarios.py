# SPDX-License-Identifier: Apache-2.0
"""Shrinks a failing scenario: fewer threads, fewer operations, simpler arguments.

``one_step_smaller`` gives the scenarios one step down. ``smaller_scenarios`` proposes candidates to its caller and
continues from each that fails. Every step lowers ``weight``: the number of threads, then of calls, then of concurrent
calls, then the distance of the arguments from the simplest values. The number of steps is therefore finite, and in the
end no scenario one step down fails. Cost: no scenario is proposed twice; in practice there are some tens of candidates.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Final, TypeVar

from linpoint.histories.values import Value, canonical, equal_values
from linpoint.scenarios.argument_sources import ArgumentSource
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Call, Scenario

Item = TypeVar("Item")
FailureT = TypeVar("FailureT")


@dataclass(frozen=True, slots=True)
class FewestPreemptions:
    """The last candidate of shrinking: the smallest scenario, with the fewest preemptions that show its failure."""

    scenario: Scenario
    preemptions: int


def smaller_scenarios(
    scenario: Scenario, definition: ConcurrentTestDefinition
) -> Generator[Scenario, FailureT | None, FailureT | None]:
    """Candidates, each answered with its failure or None. ``scenario`` itself fails and is not among them.

    Returns the failure of the last candidate that failed, which is the smallest; None if none did.
    """
    proposed: set[Scenario] = set()
    smallest: FailureT | None = None
    candidates = one_step_smaller(scenario, definition)
    while (candidate := next((each for each in candidates if each not in proposed), None)) is not None:
        proposed.add(candidate)
        failure = yield candidate
        if failure is not None:
            smallest = failure
            candidates = one_step_smaller(candidate, definition)
    return smallest


def one_step_smaller(scenario: Scenario, definition: ConcurrentTestDefinition) -> Iterator[Scenario]:
    """The scenarios one step down, each once, those with the largest reduction first."""
    seen: set[Scenario] = set()
    for step in _STEPS:
        for candidate in step(scenario, definition):
            if candidate not in seen:
                seen.add(candidate)
                yield candidate


def weight(scenario: Scenario, definition: ConcurrentTestDefinition) -> tuple[int, int, int, int]:
    """The measure that every step lowers: threads, calls, concurrent calls, and the sum of the ranks of all arguments.

    For a single thread, which has no concurrent calls, the calls before and after it count instead.
    """
    pairs = (zip(_sources(call, definition), call.args, strict=True) for call in scenario.calls)
    ranks = sum(source.rank(value) for source, value in chain.from_iterable(pairs))
    alone = len(scenario.before) + len(scenario.after)
    return len(scenario.threads), scenario.size, scenario.size - alone if len(scenario.threads) > 1 else alone, ranks


def _without_a_thread(scenario: Scenario, _: ConcurrentTestDefinition) -> Iterator[Scenario]:
    if len(scenario.threads) > 1:
        for at in range(len(scenario.threads)):
            yield replace(scenario, threads=_without(scenario.threads, at))


def _with_a_thread_alone(scenario: Scenario, _: ConcurrentTestDefinition) -> Iterator[Scenario]:
    """Move all calls of a thread before the other threads, or after them."""
    if len(scenario.threads) > 1:
        for at, thread in enumerate(scenario.threads):
            others = _without(scenario.threads, at)
            yield replace(scenario, threads=others, before=(*scenario.before, *thread))
            yield replace(scenario, threads=others, after=(*thread, *scenario.after))


def _without_a_call(scenario: Scenario, _: ConcurrentTestDefinition) -> Iterator[Scenario]:
    for number, thread in enumerate(scenario.threads):
        if len(thread) > 1:  # removing the only call of a thread is removing the thread
            for at in range(len(thread)):
                threads = (*scenario.threads[:number], _without(thread, at), *scenario.threads[number + 1 :])
                yield replace(scenario, threads=threads)
    for at in range(len(scenario.after)):
        yield replace(scenario, after=_without(scenario.after, at))
    for at in range(len(scenario.before)):
        yield replace(scenario, before=_without(scenario.before, at))


def _in_one_thread(scenario: Scenario, _: ConcurrentTestDefinition) -> Iterator[Scenario]:
    """Run everything on one thread if only one is left, so that no call must stay to keep a thread."""
    if len(scenario.threads) == 1 and (scenario.before or scenario.after):
        yield Scenario((scenario.calls,))


def _with_a_call_alone(scenario: Scenario, _: ConcurrentTestDefinition) -> Iterator[Scenario]:
    """Move the first call of a thread before all threads, or its last call after them."""
    if len(scenario.threads) > 1:
        for number, thread in enumerate(scenario.threads):
            if len(thread) > 1:
                around = scenario.threads[:number], scenario.threads[number + 1 :]
                rest, last = (*around[0], thread[1:], *around[1]), (*around[0], thread[:-1], *around[1])
                yield replace(scenario, threads=rest, before=(*scenario.before, thread[0]))
                yield replace(scenario, threads=last, after=(thread[-1], *scenario.after))


def _simpler_everywhere(scenario: Scenario, definition: ConcurrentTestDefinition) -> Iterator[Scenario]:
    """Replace a value of a parameter everywhere.

    ``put("b") | get("b")`` may also fail with "a", but not with one of each.
    """
    for parameter, old, new in _exchanges(scenario, definition):
        yield _rebuilt(scenario, [_exchanged(call, definition, parameter, old, new) for call in scenario.calls])


def _simpler_once(scenario: Scenario, definition: ConcurrentTestDefinition) -> Iterator[Scenario]:
    calls = scenario.calls
    for number, call in enumerate(calls):
        for at, source in enumerate(_sources(call, definition)):
            for new in _simpler(source, call.args[at]):
                changed = replace(call, args=(*call.args[:at], new, *call.args[at + 1 :]))
                yield _rebuilt(scenario, [*calls[:number], changed, *calls[number + 1 :]])


_STEPS: Final = (
    _without_a_thread,
    _without_a_call,
    _with_a_thread_alone,
    _with_a_call_alone,
    _in_one_thread,
    _simpler_everywhere,
    _simpler_once,
)


def _exchanges(scenario: Scenario, definition: ConcurrentTestDefinition) -> Iterator[tuple[str, Value, Value]]:
    """For each value of a parameter of some name, the simpler values that may replace it."""
    seen: set[Hashable] = set()
    for call in scenario.calls:
        for at, source in enumerate(_sources(call, definition)):
            parameter = definition.operations[call.operation].parameters[at]
            key = parameter, canonical(call.args[at])
            if key not in seen:
                seen.add(key)
                for new in _simpler(source, call.args[at]):
                    yield parameter, call.args[at], new


def _exchanged(call: Call, definition: ConcurrentTestDefinition, parameter: str, old: Value, new: Value) -> Call:
    """``call`` with ``new`` for ``old``, unless ``new`` is not simpler for this operation."""
    args = list(call.args)
    for at, source in enumerate(_sources(call, definition)):
        mine = definition.operations[call.operation].parameters[at] == parameter
        if mine and equal_values(args[at], old) and source.rank(new) < source.rank(old):
            args[at] = new
    return replace(call, args=tuple(args))


def _simpler(source: ArgumentSource, value: Value) -> list[Value]:
    """A few of the values before ``value``: the simplest, the middle one and the one directly before."""
    rank = source.rank(value)
    return [source[each] for each in sorted({0, rank // 2, rank - 1}) if 0 <= each < rank]


def _sources(call: Call, definition: ConcurrentTestDefinition) -> tuple[ArgumentSource, ...]:
    return definition.operations[call.operation].sources


def _without(items: tuple[Item, ...], at: int) -> tuple[Item, ...]:
    return (*items[:at], *items[at + 1 :])


def _rebuilt(scenario: Scenario, calls: Iterable[Call]) -> Scenario:
    """The scenario of the same shape with these calls, in the order of ``Scenario.calls``."""
    rest = iter(calls)
    before = tuple(islice(rest, len(scenario.before)))
    threads = tuple(tuple(islice(rest, len(thread))) for thread in scenario.threads)
    return Scenario(threads, before, tuple(rest))
