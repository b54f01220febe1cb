# SPDX-License-Identifier: Apache-2.0
"""The argument that a few operations contradict each other, in steps with one typed reason each.

The best argument is a cycle: A comes before B for one reason, and B before A for another. An operation certainly comes
before another by their times, or because the spec gives their results in no other order, whatever the other operations
did. A search among all operations decides each such step, with these two as recorded and the others relaxed. If there
is no cycle of such steps, the argument is a valid prefix and the operations that cannot follow it.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Mapping, Sequence
from typing import Final

from linpoint.checkers.subhistory_decider import SubhistoryDecider
from linpoint.explain.history.claims.legal_order import fits, held_back_by_order
from linpoint.explain.history.reasons import ArgumentStep
from linpoint.explain.history.step_text import StepText
from linpoint.explain.history.value_flow import REGISTERS, kind_of
from linpoint.explain.wording.operation_names import value_of, values_of
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Time
from linpoint.specs.spec import Spec
from linpoint.text.phrases import one_line
from linpoint.verdicts import StuckFrontier

_MAX_OPERATIONS: Final = 9
"""With more operations, there are too many pairs to decide, and a cycle is too long to follow."""
_MAX_OPERATIONS_WITH_WITNESS: Final = 6
_DECIDED_BY_SEARCH: Final = ("spec-order", "overwritten", "last-written")
_CONDITIONS: Final = ("linearizable", "strict", "durable")

Names = Mapping[int, str]


def short_names(history: History, positions: Sequence[int]) -> dict[int, str]:
    """Letters for operations in the listed order: A, B, ..., Z, A1, B1, ...; numbers if processes have letters."""
    processes = {str(history.operations[position].process) for position in positions}
    if any(len(process) == 1 and process.isupper() for process in processes):
        return {position: f"#{number}" for number, position in enumerate(positions, 1)}
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rounds = ("" if number == 0 else str(number) for number in itertools.count())
    names = (letter + number for number in rounds for letter in letters)
    return dict(zip(positions, names, strict=False))


def cycle_argument(
    history: History,
    positions: Sequence[int],
    core: Sequence[int],
    spec: Spec,
    condition: str,
    words: StepText,
    *,
    deadline: float,
) -> tuple[ArgumentStep, ...]:
    """The shortest cycle of certain steps among the operations of ``core``; empty if none is found in time.

    ``positions`` are all operations considered; ``words`` names those of ``history``.
    """
    hinted = any(history.operations[position].order is not None for position in positions)
    if not 2 <= len(core) <= _MAX_OPERATIONS or condition not in _CONDITIONS or hinted:
        return ()
    pairs = _Pairs(history, positions, spec, condition, deadline)
    steps = {
        (first, second): step
        for first, second in itertools.permutations(core, 2)
        if (step := words.timed(first, second)) is not None
    }
    # Two operations suffice if the times and the spec order them in opposite ways, perhaps with a third that shows when
    # the value was stored.
    for beside in ((), *((each,) for each in core)):
        for (second, first), before in list(steps.items()):
            if not {first, second} & set(beside) and pairs.only(first, second, *beside):
                step = words.by_spec(first, second)
                premises = _premises(words, steps, pairs, step, core)
                if not beside or premises:
                    return (*premises, before, step)
    for first, second in itertools.permutations(core, 2):
        if (first, second) not in steps and (second, first) not in steps and pairs.only(first, second):
            steps[first, second] = words.by_spec(first, second)
    for first, second, witness in itertools.permutations(core, 3) if len(core) <= _MAX_OPERATIONS_WITH_WITNESS else ():
        if (first, second) not in steps:
            seen = words.witnessed(first, second, witness)
            if seen is not None and pairs.only(first, second, witness):
                steps[first, second] = seen
    found = _shortest_cycle(core, steps)
    # The order in time comes first, the surprising step last.
    return tuple(sorted(found, key=lambda step: step.reason != "real-time")) if len(found) <= 2 else tuple(found)


def holds_for_whole_object(
    history: History,
    positions: Sequence[int],
    spec: Spec,
    condition: str,
    steps: Sequence[ArgumentStep],
    *,
    deadline: float,
) -> bool:
    """Whether steps that were decided among the operations on some values hold among all ``positions``.

    Not always: a dequeue of another value could have removed one of these, since steps hold whatever the others did.
    The value of a register has no such remover. Returns False if time runs out.
    """
    if kind_of(spec) in REGISTERS:
        return True
    pairs = _Pairs(history, positions, spec, condition, deadline)
    return all(
        pairs.only(step.before, step.after, *(set(step.operations) - {step.before, step.after}))
        for step in steps
        if step.reason in _DECIDED_BY_SEARCH and step.before is not None and step.after is not None
    )


class _Pairs:
    """Decides whether the results allow only one order of two operations, whatever the others did."""

    def __init__(self, history: History, positions: Sequence[int], spec: Spec, condition: str, deadline: float) -> None:
        self._history = history
        self._positions = positions
        self._spec = spec
        self._condition = condition
        self._deadline = deadline

    def only(self, first: int, second: int, *beside: int) -> bool:
        """Whether ``first`` certainly comes before ``second``: no order of all operations reverses them, given the
        results of the operations in ``beside``.
        """
        ops = self._history.operations
        left = self._deadline - time.monotonic()
        if left <= 0:
            return False
        hinted = self._history.replace(first, dataclasses.replace(ops[first], order=2))
        hinted = hinted.replace(second, dataclasses.replace(ops[second], order=1))
        known = (first, second, *beside)
        others = [p for p in self._positions if p not in known and not self._spec.reads(ops[p])]
        decider = SubhistoryDecider(hinted, self._spec, self._condition)
        answer = decider.decide(sorted([*known, *others]), seconds=min(left, 0.3), relaxed=frozenset(others))
        return answer.found is False


def _premises(
    words: StepText,
    steps: Mapping[tuple[int, int], ArgumentStep],
    pairs: _Pairs,
    step: ArgumentStep,
    core: Sequence[int],
) -> tuple[ArgumentStep, ...]:
    """The steps that a value was stored before it was replaced, if a step depends on them."""
    if step.reason != "overwritten" or step.after is None:
        return ()
    source, replacer = step.operations[2], step.after
    known = steps.get((source, replacer))
    if known is not None:
        return (known,)
    for between in core:
        last = steps.get((between, replacer))
        if between not in step.operations and last is not None and pairs.only(source, between):
            return (words.by_spec(source, between), last)
    return ()


def _shortest_cycle(core: Sequence[int], steps: Mapping[tuple[int, int], ArgumentStep]) -> list[ArgumentStep]:
    """The shortest cycle, by breadth-first search from each operation."""
    best: list[ArgumentStep] = []
    for start in core:
        paths: dict[int, list[ArgumentStep]] = {start: []}
        todo = [start]
        for at in todo:
            for following in core:
                step = steps.get((at, following))
                if step is None:
                    continue
                path = [*paths[at], step]
                if following == start and (not best or len(path) < len(best)):
                    best = path
                if following not in paths:
                    paths[following] = path
                    todo.append(following)
    return best


def dead_end_argument(history: History, spec: Spec, stuck: StuckFrontier, names: Names) -> tuple[ArgumentStep, ...]:
    """Steps for a valid prefix, and for each operation that must come next but cannot."""
    if not stuck.blocked or any(position not in names for position in stuck.prefix):
        return ()
    order = ", ".join(names[position] for position in stuck.prefix)
    steps = []
    for each in stuck.blocked:
        if each.position not in names:
            continue
        op, name = history.operations[each.position], names[each.position]
        after = f"After {order}, " if order else ""
        reason = "spec-rejects"
        if held_back_by_order(history, spec, stuck, list(names), each):
            reason, why = (
                "order-hint",
                "cannot come next, since an operation with a smaller order value must come first",
            )
        elif fits(history, spec, each):
            why = "cannot come next, since another operation must come first"
        elif not each.allowed:
            why = "cannot come next: the spec does not allow it there"
        else:
            allowed, given = values_of(op, each.allowed), value_of(op, op.result)
            why = f"must return {allowed}, but it returned {given}"
            crash = _crash_after(history, stuck.prefix, op)
            if crash is not None:
                reason, why = (
                    "lost-after-crash",
                    f"{why}, although the operations before it had returned before the crash at {crash}",
                )
        text = f"{after}{name} {why}"
        steps.append(ArgumentStep(reason, (*stuck.prefix, each.position), one_line(text[0].upper() + text[1:])))
    return tuple(steps)


def _crash_after(history: History, prefix: Sequence[int], op: Operation) -> Time | None:
    """A crash of the object after all operations of an order had returned and before ``op`` was called, or None."""
    last = max((history.operations[position].end for position in prefix), default=None)
    for crash in history.crashes:
        if last is None or not crash.ends_era:
            continue
        between = last < crash.time < op.call if crash.of_object else last <= crash.time <= op.call
        if between:
            return crash.time
    return None
