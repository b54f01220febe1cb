# SPDX-License-Identifier: Apache-2.0
"""Why a few operations contradict each other, step by step, each step with one typed reason.

The best argument is a circle: A comes before B for one reason, and B before A for another. That one operation comes
before another is certain by their times, or because the spec gives their results in no other order, whatever all other
operations did: each such step is decided by a search among all of them, with these two as recorded and the others
relaxed. Where no circle of such steps exists, the longest legal order and who is stuck behind it is the argument.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from linpoint.checkers.search.decider import Decider
from linpoint.explain.naming import value_of, values_of
from linpoint.explain.reasons import Step
from linpoint.explain.supply import observes, supplies
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical, one_line, scalars, show
from linpoint.specs.protocol import Returns, Spec
from linpoint.verdicts import StuckFrontier

_MOST_OPERATIONS: Final = 9
"""Of more, all pairs are too many to ask for and a circle too long to follow."""
_MOST_WITH_WITNESS: Final = 6
_CONDITIONS: Final = ("linearizable", "strict", "durable")
_WRITES: Final = ("write", "put", "cas", "swap", "mwcas", "mwswap", "txn")

Names = Mapping[int, str]


def short_names(history: History, positions: Sequence[int]) -> dict[int, str]:
    """Letters for operations, in the order in which they are listed: A, B, ..., Z, A1, B1, ...; numbers where processes
    have letters for names.
    """
    processes = {str(history.operations[position].process) for position in positions}
    if any(len(process) == 1 and process.isupper() for process in processes):
        return {position: f"#{number}" for number, position in enumerate(positions, 1)}
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rounds = ("" if number == 0 else str(number) for number in itertools.count())
    names = (letter + number for number in rounds for letter in letters)
    return dict(zip(positions, names, strict=False))


def in_time(history: History, first: int, second: int) -> tuple[str, str] | None:
    """Why the times or the hints of a history put one operation before another: the reason, and words with ``{0}`` and
    ``{1}`` for them; None if they do not.
    """
    a, b = history.operations[first], history.operations[second]
    if a.outcome is Outcome.OK and a.end + history.clock_skew < b.call:
        return "real-time", "{0} returned before {1} was called"
    if a.order is not None and b.order is not None and a.order < b.order:
        return "order-hint", "{0} has the smaller order"
    if a.process == b.process and a.outcome is Outcome.OK and (a.call, a.end) < (b.call, b.end):
        return "process-order", "{0} comes before {1} in their process"
    return None


def circle(
    history: History,
    positions: Sequence[int],
    core: Sequence[int],
    spec: Spec,
    condition: str,
    names: Names,
    *,
    deadline: float,
) -> tuple[Step, ...]:
    """The shortest circle among the operations of ``core`` whose every step is certain; empty if none is found in time.

    ``positions`` are all operations of the object; names are by position in this history.
    """
    hinted = any(history.operations[position].order is not None for position in core)
    if not 2 <= len(core) <= _MOST_OPERATIONS or condition not in _CONDITIONS or hinted:
        return ()
    pairs = _Pairs(history, positions, spec, condition, deadline)
    steps: dict[tuple[int, int], Step] = {}
    for first, second in itertools.permutations(core, 2):
        timed = in_time(history, first, second)
        if timed is not None:
            steps[first, second] = _step(timed, first, second, names)
    # Two that the times put in one order and the spec in the other are all that it takes, perhaps with a third that
    # tells when the value was there.
    for beside in ((), *((each,) for each in core)):
        for (second, first), before in list(steps.items()):
            if not {first, second} & set(beside) and pairs.only(first, second, *beside):
                step = _spec_step(history, spec, first, second, core, names)
                premises = _premises(history, spec, steps, pairs, step, core, names)
                if not beside or premises:
                    return (*premises, before, step)
    for first, second in itertools.permutations(core, 2):
        if (first, second) not in steps and (second, first) not in steps and pairs.only(first, second):
            steps[first, second] = _spec_step(history, spec, first, second, core, names)
    for first, second, witness in itertools.permutations(core, 3) if len(core) <= _MOST_WITH_WITNESS else ():
        if (first, second) not in steps and (first, witness) in steps and pairs.only(first, second, witness):
            seen = _witnessed(history, spec, first, second, witness, names)
            if seen is not None:
                steps[first, second] = seen
    found = _shortest_circle(core, steps)
    # What everybody knows comes first, what is surprising last.
    return tuple(sorted(found, key=lambda step: step.reason != "real-time")) if len(found) <= 2 else tuple(found)


class _Pairs:
    """Asks whether results allow two operations in one order only, whatever the others did."""

    def __init__(self, history: History, positions: Sequence[int], spec: Spec, condition: str, deadline: float) -> None:
        self._history = history
        self._positions = positions
        self._spec = spec
        self._condition = condition
        self._deadline = deadline

    def only(self, first: int, second: int, *beside: int) -> bool:
        """Whether ``first`` certainly comes before ``second``: there is no order of all with it the other way round,
        given what those ``beside`` returned.
        """
        ops = self._history.operations
        left = self._deadline - time.monotonic()
        if left <= 0:
            return False
        hinted = self._history.replace(first, dataclasses.replace(ops[first], order=2))
        hinted = hinted.replace(second, dataclasses.replace(ops[second], order=1))
        known = (first, second, *beside)
        others = [p for p in self._positions if p not in known and not self._spec.reads(ops[p])]
        decider = Decider(hinted, self._spec, self._condition)
        answer = decider.decide(sorted([*known, *others]), seconds=min(left, 0.3), relaxed=frozenset(others))
        return answer.found is False


def _step(timed: tuple[str, str], first: int, second: int, names: Names) -> Step:
    reason, words = timed
    text = f"{names[first]} < {names[second]}, because {words.format(names[first], names[second])}"
    return Step(reason, (first, second), text, first, second)


def _spec_step(history: History, spec: Spec, first: int, second: int, core: Sequence[int], names: Names) -> Step:
    """Why the spec puts ``first`` before ``second``, in the words that fit best."""
    a, b = history.operations[first], history.operations[second]
    x, y = names[first], names[second]
    head = f"{x} < {y}, because "
    seen = observes(b) & supplies(a, spec)
    if seen:
        return Step("reads-from", (first, second), f"{head}{y} saw {_what(b, seen)} that {x} {_put(a)}", first, second)
    source = _source(history, spec, first, second, core)
    if source is not None and _normal(b.name) in _WRITES and not spec.reads(b):
        value = _what(a, observes(a) & supplies(history.operations[source], spec))
        text = f"{head}{x} saw {value} of {names[source]}, which {y} replaced"
        return Step("overwritten", (first, second, source), text, first, second)
    if _tells(spec, b) and not _tells(spec, a):
        text = f"{head}before {x}, {y} could not have {_did(spec, b)}"
    else:
        text = f"{head}after {y}, {x} could not have {_did(spec, a)}"
    return Step("spec-order", (first, second), text, first, second)


def _witnessed(history: History, spec: Spec, first: int, second: int, witness: int, names: Names) -> Step | None:
    """Why a third operation shows that ``first`` comes before ``second``: it saw what the second put there, although
    the first had returned by then.
    """
    ops = history.operations
    seen = observes(ops[witness]) & supplies(ops[second], spec)
    if not seen or in_time(history, first, witness) is None:
        return None
    value = _what(ops[witness], seen)
    text = (
        f"{names[first]} < {names[second]}, because {names[witness]} saw {value} of {names[second]}, "
        f"and {names[first]} had returned before"
    )
    return Step("last-written", (first, second, witness), text, first, second)


def _normal(name: str) -> str:
    return name.replace("_", "-")


def _source(history: History, spec: Spec, first: int, second: int, core: Sequence[int]) -> int | None:
    """The one operation of the core that put there what ``first`` saw, other than ``second``."""
    ops = history.operations
    found = [p for p in core if p not in (first, second) and observes(ops[first]) & supplies(ops[p], spec)]
    return found[0] if len(found) == 1 else None


def _what(op: Operation, values: Iterable[Any]) -> str:
    wanted = set(values)
    seen = [v for v in scalars((*op.args, op.result)) if canonical(v) in wanted]
    shown = list(dict.fromkeys(one_line(show(value)) for value in seen))
    return f"the {' and '.join(shown[:2])}" if shown else "the state"


def _put(op: Operation) -> str:
    return "wrote" if _normal(op.name) in _WRITES else "put there"


def _tells(spec: Spec, op: Operation) -> bool:
    """Whether its result tells something of the state."""
    if op.outcome is not Outcome.OK:
        return False
    returns = spec.step(op).returns
    return returns in (Returns.VALUE, Returns.OBSERVATION) or (returns is Returns.SUCCESS and op.result is not None)


def _did(spec: Spec, op: Operation) -> str:
    return f"returned {one_line(value_of(op, op.result))}" if _tells(spec, op) else "happened"


def _premises(
    history: History,
    spec: Spec,
    steps: Mapping[tuple[int, int], Step],
    pairs: _Pairs,
    step: Step,
    core: Sequence[int],
    names: Names,
) -> tuple[Step, ...]:
    """That the replaced value was there before it was replaced, where that is what a step rests on."""
    if step.reason != "overwritten" or step.after is None:
        return ()
    source, replacer = step.operations[2], step.after
    known = steps.get((source, replacer))
    if known is not None:
        return (known,)
    for between in core:
        last = steps.get((between, replacer))
        if between not in step.operations and last is not None and pairs.only(source, between):
            return (_spec_step(history, spec, source, between, core, names), last)
    return ()


def _shortest_circle(core: Sequence[int], steps: Mapping[tuple[int, int], Step]) -> list[Step]:
    """By breadth-first search from each operation."""
    best: list[Step] = []
    for start in core:
        paths: dict[int, list[Step]] = {start: []}
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


def dead_end(history: History, spec: Spec, stuck: StuckFrontier, names: Names, *, lost: str | None) -> tuple[Step, ...]:
    """The longest legal order, and why each operation that would have to come next cannot; ``lost`` names a crash that
    took away what it should have found.
    """
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
        if op.order is not None and any(spec.allows(op, given) for given in each.allowed):
            reason, why = "order-hint", "cannot come next, since an operation with a smaller order must come first"
        elif not each.allowed:
            why = "cannot come next: it is not a legal step there"
        else:
            allowed, given = values_of(op, each.allowed), value_of(op, op.result)
            why = f"would have to return {allowed}, but it returned {given}"
            if lost is not None:
                reason, why = "lost-after-crash", f"{why}: what had returned was gone after {lost}"
        said = f"{after}{name} {why}"
        steps.append(Step(reason, (*stuck.prefix, each.position), one_line(said[0].upper() + said[1:])))
    return tuple(steps)
