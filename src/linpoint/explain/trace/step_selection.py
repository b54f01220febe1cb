# SPDX-License-Identifier: Apache-2.0
"""Selects the steps of a long trace to show.

Steps that no other thread can observe are folded first, and all rounds of a loop except the first and the last. If that
is not enough, the steps nearest to the failure stay: the failure itself, preemptions, crashes, switches, and accesses
to the locations of the failure. Guarantee: the step of the failure stays. Cost: O(n log n).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from linpoint.explain.trace.loop_folding import repeated_steps
from linpoint.histories.operation import Process
from linpoint.traces.trace import StepKind, Trace
from linpoint.traces.trace_step import ACCESSES

_SHORT_TRACE_STEPS: Final = 30
"""Traces with up to this number of steps are shown completely."""
_STEPS_AROUND_SWITCH: Final = 2
_STEPS_BEFORE_FAILURE: Final = 12
_STEPS_AFTER_CRASH: Final = 6
_MAY_BE_QUIET: Final = ACCESSES | {StepKind.LOCAL, StepKind.ALLOCATE, StepKind.FREE, StepKind.CHOOSE}
_WEIGHTY: Final = (
    StepKind.CRASH,
    StepKind.RECOVERY_BEGIN,
    StepKind.RECOVERY_END,
    StepKind.ASSERTION,
    StepKind.EXCEPTION,
)


def selected_steps(trace: Trace, *, most: int) -> list[int]:
    """Positions of the steps to show, about ``most`` of them."""
    count = len(trace.steps)
    if count <= min(_SHORT_TRACE_STEPS, most):
        return list(range(count))
    folded = quiet_steps(trace) | repeated_steps(trace)
    kept = {position for position in range(count) if position not in folded} | set(_failing(trace))
    if len(kept) > most:
        kept = _nearest(trace, kept, most)
    # A single step takes no more room than a line that marks its omission.
    kept |= {each for each in range(count) if {each - 1, each + 1} <= kept | {-1, count}}
    return sorted(kept)


def quiet_steps(trace: Trace) -> frozenset[int]:
    """Positions of steps without effect on other threads, except those next to a switch or the failure."""
    shared = _shared(trace)
    quiet = {
        position
        for position, step in enumerate(trace.steps)
        if step.kind in _MAY_BE_QUIET and step.location not in shared
    }
    quiet |= _quiet_calls(trace, quiet)
    loud = {0}
    for switch in trace.switches:
        loud |= {switch - 1, switch}
    for position in _failing(trace):
        loud |= set(range(position - _STEPS_AROUND_SWITCH, position + _STEPS_AROUND_SWITCH + 1))
    return frozenset(quiet - loud)


def _shared(trace: Trace) -> set[str | None]:
    """Locations that several threads access and at least one changes."""
    users: dict[str | None, set[Process | None]] = defaultdict(set)
    changed = set()
    for step in trace.steps:
        if step.kind in _MAY_BE_QUIET and step.location is not None:
            users[step.location].add(step.thread)
            if step.kind is not StepKind.READ:
                changed.add(step.location)
    return {location for location in changed if len(users[location]) > 1}


def _quiet_calls(trace: Trace, quiet: set[int]) -> set[int]:
    """Calls inside of operations, and their returns, if all steps in between are quiet."""
    found: set[int] = set()
    opened: dict[Process | None, list[tuple[int, bool]]] = defaultdict(list)
    for position, step in enumerate(trace.steps):
        calls = opened[step.thread]
        if step.kind is StepKind.CALL:
            calls.append((position, True))
        elif step.kind is StepKind.RETURN and calls:
            begun, silent = calls.pop()
            if silent and calls:
                found |= {begun, position}
            elif calls:
                calls[-1] = (calls[-1][0], False)
        elif calls and position not in quiet:
            calls[-1] = (calls[-1][0], False)
    return found


def _failing(trace: Trace) -> tuple[int, ...]:
    """Positions of the steps that show the failure; the last step if none does."""
    steps = trace.failure.steps if trace.failure else ()
    return steps or (len(trace.steps) - 1,)


def _nearest(trace: Trace, kept: set[int], most: int) -> set[int]:
    """The ``most`` highest-ranked steps of ``kept``; among equals, those nearest to the failure."""
    first, *others = _failing(trace)
    about = {trace.steps[position].location for position in (first, *others)} - {None}
    switches = trace.switches
    preempted = _around_preemptions(trace)

    def rank(position: int) -> tuple[int, int]:
        step = trace.steps[position]
        distance = abs(first - position)
        if position == first:
            return 0, 0
        if position in others or step.kind in _WEIGHTY:
            return 1, distance
        if 0 < first - position <= _STEPS_BEFORE_FAILURE or position in preempted:
            return 2, distance
        return (3 if step.location in about else 4 if position in switches else 5), distance

    return set(sorted(kept, key=rank)[:most])


def _around_preemptions(trace: Trace) -> set[int]:
    """Positions just before each preemption and shortly after it, where threads interfere."""
    found: set[int] = set()
    for position, step in enumerate(trace.steps):
        if step.preempts:
            found |= set(range(position - 1, position + _STEPS_AFTER_CRASH))
    return found
