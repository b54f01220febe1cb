# SPDX-License-Identifier: Apache-2.0
"""``check``: a history and a spec in, a certified verdict out.

Validates the operations against the spec, cuts the history into independent objects, searches them in parallel under
one budget, certifies every answer and puts them together. Cost: linear, but for the search itself, which is
exponential in the number of overlapping operations in the worst case.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from linpoint.checkers import conditions, select
from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.certify import certify_prefix, certify_witness
from linpoint.checkers.frontier import stuck_frontier
from linpoint.checkers.search._native_search import Answer, Prepared, StopReason, StopToken
from linpoint.checkers.vacuity import warnings_of
from linpoint.errors import UsageError
from linpoint.executors.threads import peak_memory, resident_memory, run_all
from linpoint.histories.builder import history as build_history
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.partition import by_key
from linpoint.histories.values import Value, show
from linpoint.specs.automaton import Automaton
from linpoint.specs.lookup import find
from linpoint.specs.protocol import Spec
from linpoint.verdicts import Budget, KeyVerdict, Statistics, Status, Verdict, Witness

Progress = Callable[[StopToken, int], None]

_PATIENCE: Final = 5.0
"""Seconds (or twice the time so far) that other keys still get once one is found in violation."""


def check(
    history: History | str | Iterable[Mapping[str, Any] | Operation],
    spec: Spec | str | Any,
    *,
    checker: str = "auto",
    condition: str | None = None,
    budget: str | float | None = None,
    max_memory: str | int | None = None,
    jobs: int | None = None,
) -> Verdict:
    """Decide whether ``history`` satisfies ``condition`` with respect to ``spec``.

    ``history`` is a ``History``, a drawing or a list of operations; ``spec`` a built-in's name, a spec object or
    ``"module:Name"``. ``budget`` limits the time (``"60s"``) and ``max_memory`` the memory (``"2G"``) of the check;
    when either runs out the status is UNKNOWN and ``why`` says how far it got. ``jobs`` is the number of threads.
    """
    limits = Budget.starting_now(budget, max_memory)
    verdict, interrupted = decide(
        build_history(history), find(spec), checker=checker, condition=condition, budget=limits, jobs=jobs
    )
    if interrupted:
        raise KeyboardInterrupt
    return verdict


@dataclass(frozen=True, slots=True)
class _Part:
    """Operations that are decided together: one object, or one independent part of it."""

    object: int
    """The number of the object it belongs to."""
    key: Value
    positions: tuple[int, ...]
    checker: str
    why: str
    prepared: Prepared


def decide(
    history: History,
    spec: Spec,
    *,
    checker: str = "auto",
    condition: str | None = None,
    budget: Budget | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> tuple[Verdict, bool]:
    """As ``check``, but Ctrl-C gives a verdict too: UNKNOWN with how far it got. The bool says it was pressed."""
    started = time.perf_counter()
    budget = budget or Budget()
    condition = conditions.choose(condition, history)
    select.validate(checker)
    if jobs is not None and jobs < 1:
        raise UsageError("LP-U001", f"{jobs} is not a number of jobs.", remedy="Use 1 or more.")
    _validate(history, spec)
    positions = [p for p, op in enumerate(history.operations) if op.outcome is not Outcome.FAILED]
    stop = _token(budget)
    automata: dict[int, Automaton] = {}
    parts = [
        _prepare(history, part, number, key, spec, condition, checker, automata)
        for number, (key, members) in enumerate(_objects(history, positions, spec, condition))
        for part in _independent(history, members, spec, condition)
    ]

    settled: list[float] = []  # when it was known that some key is in violation

    def search(part: _Part) -> Answer:
        answer = _search(history, part, spec, condition, stop)
        if answer.found is False:
            settled.append(time.perf_counter())
        return answer

    def watch() -> bool:
        now = time.perf_counter()
        if settled and now - settled[0] > max(_PATIENCE, 2 * (settled[0] - started)):
            stop.stop(StopReason.REQUEST)
        if budget.max_memory is not None and resident_memory() > budget.max_memory:
            stop.stop(StopReason.MEMORY)
        if progress is not None:
            progress(stop, len(positions))
        return stop.poll()

    finished, interrupted = run_all(
        [functools.partial(search, part) for part in parts],
        jobs=jobs or os.cpu_count() or 1,
        watch=watch,
        interrupt=lambda: stop.stop(StopReason.REQUEST),
    )
    answers = [Answer(None, Witness(()), 0) if answer is None else answer for answer in finished]
    for automaton in automata.values():
        if automaton.error is not None:
            raise automaton.error
    reason = _REASONS.get(stop.reason, "the history is too long for this checker")
    if stop.reason is StopReason.REQUEST and not interrupted:
        reason = "another key was found in violation"
    keys = _judge(history, spec, condition, parts, answers, reason)
    status = Status.worst([key.status for key in keys])
    telling = next((key for key in keys if key.status is status), None)
    return Verdict(
        status,
        history,
        spec,
        condition,
        telling.checker if telling else checker,
        telling.why if telling else "there are no operations to check",
        tuple(keys),
        Statistics(
            time.perf_counter() - started, peak_memory(), len(positions), sum(each.configurations for each in answers)
        ),
        warnings_of(history, spec),
        lambda: _merge(history, spec, condition, [key.witness for key in keys], positions),
    ), interrupted


def _validate(history: History, spec: Spec) -> None:
    """Every operation must be one of the spec's: known name, right arity, possible arguments."""
    known: set[tuple[str, int]] = set()
    for op in history.operations:
        shape = (op.name, len(op.args))
        if shape in known:
            continue
        error = spec.complaint(op)
        if error is not None:
            raise error.at(history.place(op))
        if spec.any_operation or spec.step(op).complaint is None:
            known.add(shape)


def _objects(
    history: History, positions: Sequence[int], spec: Spec, condition: str
) -> list[tuple[Value, tuple[int, ...]]]:
    """The independent objects of the history by key; one with key None where there are no keys."""
    if condition in conditions.NOT_LOCAL or not positions:
        return [(None, tuple(positions))]
    if spec.key_argument:
        return by_key(history, positions, lambda op: spec.arguments(op)[0])
    return by_key(history, positions, lambda op: op.key)


def _independent(history: History, members: tuple[int, ...], spec: Spec, condition: str) -> list[tuple[int, ...]]:
    """Parts of one object that can be decided alone, as the elements of a set can.

    Not under ``recoverable``, which orders a process's operations on the whole object; nor where the order of time
    is more than intervals, since then parts may each have an order that do not fit together.
    """
    partition = spec.partition
    if partition is None or spec.key_argument or condition in (*conditions.NOT_LOCAL, "recoverable"):
        return [members]
    parts = by_key(history, members, lambda op: partition(spec.arguments(op)))
    if len(parts) > 1 and conditions.build(history, members, spec, condition).before:
        return [members]
    return [part for _, part in parts]


def _prepare(
    history: History,
    positions: tuple[int, ...],
    number: int,
    key: Value,
    spec: Spec,
    condition: str,
    checker: str,
    automata: dict[int, Automaton],
) -> _Part:
    problem = conditions.build(history, positions, spec, condition)
    automaton = automata.setdefault(id(problem.machine), Automaton(problem.machine))
    algorithm, why = select.select(checker, problem)
    return _Part(number, key, positions, algorithm, why, Prepared(problem, automaton))


def _token(budget: Budget) -> StopToken:
    stop = StopToken()
    remaining = budget.remaining()
    if remaining is not None:
        stop.set_time_limit(remaining)
    if budget.max_memory is not None:
        stop.set_memory_limit(max(0, budget.max_memory - resident_memory()))
    return stop


class _StoppedError(Exception):
    """The oracle was told to stop."""


def _search(history: History, part: _Part, spec: Spec, condition: str, stop: StopToken) -> Answer:
    if part.checker != "brute-force":
        return part.prepared.run(part.checker, stop)
    steps = 0

    def tick() -> None:
        nonlocal steps
        steps += 1
        if stop.poll():
            raise _StoppedError

    try:
        found, witness = brute_force(history, part.positions, spec, condition, tick=tick)
    except _StoppedError:
        return Answer(None, Witness(()), steps)
    except RecursionError:
        return Answer(None, Witness(()), steps)
    return Answer(found, witness, steps)


def _judge(
    history: History, spec: Spec, condition: str, parts: Sequence[_Part], answers: Sequence[Answer], reason: str
) -> list[KeyVerdict]:
    """The certified verdict of each object, put together from its parts."""
    objects: dict[int, tuple[list[_Part], list[Answer]]] = {}
    for part, answer in zip(parts, answers, strict=True):
        mine = objects.setdefault(part.object, ([], []))
        mine[0].append(part)
        mine[1].append(answer)
    return [_judge_object(history, spec, condition, *each, reason) for each in objects.values()]


def _judge_object(
    history: History, spec: Spec, condition: str, parts: list[_Part], answers: list[Answer], reason: str
) -> KeyVerdict:
    positions = tuple(sorted(position for part in parts for position in part.positions))
    configurations = sum(answer.configurations for answer in answers)

    def verdict(status: Status, part: _Part, why: str, **evidence: Any) -> KeyVerdict:
        return KeyVerdict(part.key, status, part.checker, why, positions, configurations=configurations, **evidence)

    for part, answer in zip(parts, answers, strict=True):
        if answer.found is False:
            stuck = stuck_frontier(history, part.positions, spec, condition, answer.witness.order)
            certify_prefix(history, part.positions, spec, condition, stuck)
            return verdict(Status.VIOLATION, part, part.why, refutation=stuck)
    for part, answer in zip(parts, answers, strict=True):
        if answer.found is None:
            return verdict(Status.UNKNOWN, part, _why_stopped(part, answer, reason))
    witnesses = [answer.witness for answer in answers]
    witness = witnesses[0] if len(parts) == 1 else _merge(history, spec, condition, witnesses, positions)
    if witness is None:
        raise AssertionError("parts are only searched apart where their orders fit together")
    certify_witness(history, positions, spec, condition, witness)
    return verdict(Status.LINEARIZABLE, parts[0], parts[0].why, witness=witness)


def _merge(
    history: History, spec: Spec, condition: str, witnesses: Sequence[Witness | None], positions: Sequence[int]
) -> Witness | None:
    """One order of the orders of independent parts: each operation at the latest call so far in its own order.

    That instant lies inside the operation's interval, so sorting by it respects the order of time.
    """
    problem = conditions.build(history, positions, spec, condition)
    if problem.before:
        return None
    rank = dict(zip(problem.positions, problem.calls, strict=True))
    points: list[tuple[int, int]] = []
    for witness in witnesses:
        if witness is None:
            return None
        point = -1
        for position in witness.order:
            point = max(point, rank[position])
            points.append((point, position))
    points.sort(key=lambda each: each[0])
    return Witness(tuple(position for _, position in points))


_REASONS = {
    StopReason.TIME: "the time budget ran out",
    StopReason.MEMORY: "the memory budget ran out",
    StopReason.REQUEST: "it was interrupted",
}


def _why_stopped(part: _Part, answer: Answer, reason: str) -> str:
    where = "" if part.key is None else f" on key {show(part.key)}"
    return (
        f"{reason}{where}: {part.checker} looked at {answer.configurations:,} configurations; the longest legal "
        f"prefix has {len(answer.witness.order):,} of {len(part.positions):,} operations"
    )
