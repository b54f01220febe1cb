# SPDX-License-Identifier: Apache-2.0
"""``check``: takes a history and a spec, and returns a certified verdict.

It validates the operations against the spec, splits the history into independent objects, searches them in parallel
under one budget, certifies every answer and combines them. Cost: linear, except for the search, which in the worst case
is exponential in the number of overlapping operations.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from linpoint.checkers import checker_selection, conditions
from linpoint.checkers._native_search import StopReason, StopToken
from linpoint.checkers.exact_deciders import ExactDeciders, KeyedObject
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.key_verdicts import build_key_verdict, merge_witnesses
from linpoint.checkers.part_search import HistoryPart, search_parts
from linpoint.checkers.quick_decision import decide_quickly
from linpoint.checkers.vacuity_warnings import vacuity_warnings
from linpoint.errors import UsageError
from linpoint.executors.thread_executor import Task, peak_memory, resident_memory, run_all
from linpoint.histories.history import History
from linpoint.histories.history_builder import history as build_history
from linpoint.histories.operation import Operation
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find
from linpoint.verdicts import Budget, KeyVerdict, Statistics, Status, Verdict, Witness

Progress = Callable[[StopToken, int], None]

_NATIVE_MEMORY_SHARE: Final = 0.9
"""The share of the remaining memory that searches may use; the rest is for the interpreter and for uncounted memory."""

_PREPARATION_BYTES_PER_OPERATION: Final = 300
"""Bytes per operation that searches need before they begin, if all operations differ."""

_MEMORY_POLL_INTERVAL_S: Final = 0.001
"""Seconds between two readings of the memory from within steps."""

_LONG_HISTORY_OPERATIONS: Final = 10_000
"""Length above which the memory for the preparation is checked in advance. Shorter histories need little, and their
search soon reports how far it got.
"""

_CALLING_THREAD_OPERATIONS: Final = 500
"""Maximum number of operations for which searches with a native spec begin on the calling thread."""

_OTHER_KEYS_GRACE_S: Final = 5.0
"""Seconds (or twice the time so far) that the search of other keys may continue after a violation on one key."""


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

    ``history`` is a ``History``, a drawing or a list of operations. ``spec`` is the name of a built-in spec, a spec
    object or ``"module:Name"``. ``checker`` is ``"auto"`` or the name of a checker. ``condition`` is by default
    ``"durable"`` for a history with crash events, else ``"linearizable"``.

    ``budget`` limits the time of the check: a string (``"60s"``) or a number of seconds. ``max_memory`` limits the
    memory of the whole process: a string (``"2G"``) or a number of bytes. When either runs out, the status is UNKNOWN
    and ``why`` reports how far the check got. ``jobs`` is the number of threads, by default one per core.

    Raises ``LinpointError`` for invalid input and ``KeyboardInterrupt`` for Ctrl-C.
    """
    limits = Budget.starting_now(budget, max_memory)
    verdict, interrupted = check_with_progress(
        build_history(history),
        find(spec),
        checker=checker,
        condition=condition,
        budget=limits,
        jobs=jobs,
    )
    if interrupted:
        raise KeyboardInterrupt
    return verdict


def check_with_progress(
    history: History,
    spec: Spec,
    *,
    checker: str = "auto",
    condition: str | None = None,
    budget: Budget | None = None,
    jobs: int | None = None,
    paper_rules: bool = False,
    progress: Progress | None = None,
) -> tuple[Verdict, bool]:
    """Like ``check``, but Ctrl-C also gives a verdict: UNKNOWN with how far it got. The bool is whether Ctrl-C was
    pressed.

    ``paper_rules`` makes the checker ``graph`` follow its paper as published, even where the paper is wrong.
    """
    started = time.perf_counter()
    budget = budget or Budget()
    condition = conditions.choose(condition, history)
    checker_selection.validate(checker)
    if paper_rules and checker != "graph":
        raise UsageError("LP-U001", "--paper-rules requires the checker graph.", remedy="Add --checker graph.")
    if jobs is not None and jobs < 1:
        raise UsageError("LP-U001", f"{jobs} is not a number of jobs.", remedy="Use 1 or more.")
    stop = _token(budget)
    threads = jobs or _cores()
    quick = decide_quickly(history, spec, condition, checker, budget, stop, parallel=threads > 1)
    if quick is not None:
        return _assembled(history, spec, condition, checker, quick, started), False
    reading = HistoryInterpretation(history, spec, condition, threads=threads)
    objects = [KeyedObject(key, members) for key, members in reading.objects()]
    total = sum(len(each.positions) for each in objects)
    exact = ExactDeciders(reading, objects, checker, stop, budget, threads=threads, paper=paper_rules)
    parts: list[HistoryPart] = []

    def watch() -> bool:
        now = time.perf_counter()
        times = [exact.refuted, *(part.refuted for part in parts)]
        refuted = min((each for each in times if each is not None), default=None)
        if refuted is not None and now - refuted > max(_OTHER_KEYS_GRACE_S, 2 * (refuted - started)):
            stop.stop(StopReason.REQUEST)
        if budget.max_memory is not None and resident_memory() > budget.max_memory:
            stop.stop(StopReason.MEMORY)
        if progress is not None:
            progress(stop, total)
        return stop.poll()

    def run(tasks: list[Task], *, at_once: bool) -> bool:
        if at_once:  # a first turn takes less time than starting a thread
            tasks = [more for task in tasks for more in task()]
        return bool(tasks) and run_all(
            tasks, jobs=threads, watch=watch, interrupt=lambda: stop.stop(StopReason.REQUEST)
        )

    small = total <= _CALLING_THREAD_OPERATIONS
    interrupted = run(exact.tasks(), at_once=small)
    if not stop.poll():
        parts += search_parts(reading, objects, checker)
    most = budget.max_memory
    if (
        parts
        and total > _LONG_HISTORY_OPERATIONS
        and most is not None
        and resident_memory() + _PREPARATION_BYTES_PER_OPERATION * total > most
    ):
        stop.stop(StopReason.MEMORY)
        for each in objects:
            each.parts.clear()
        parts.clear()
    if parts:
        reading.after_step = _memory_watch(budget, stop)
        reading.prepare()
        alone = max(1, threads // len(parts))  # the number of threads per part
        begin: list[Task] = [functools.partial(part.begin, stop, alone) for part in parts]
        at_once = small and reading.native and checker != "brute-force"
        interrupted = run(begin, at_once=at_once) or interrupted
    if parts and reading.error is not None:
        raise reading.error
    keys = build_key_verdict(reading, objects, stop.reason, interrupted=interrupted, threads=1 if small else threads)
    return _assembled(history, spec, condition, checker, keys, started, reading), interrupted


def _assembled(
    history: History,
    spec: Spec,
    condition: str,
    checker: str,
    keys: Sequence[KeyVerdict],
    started: float,
    reading: HistoryInterpretation | None = None,
) -> Verdict:
    """The verdict on a history, assembled from the verdicts on its objects."""
    total = sum(len(key.positions) for key in keys)
    status = Status.worst([key.status for key in keys])
    decisive = next((key for key in keys if key.status is status), None)

    def merged() -> Witness | None:
        known = reading or HistoryInterpretation(history, spec, condition)
        return merge_witnesses(known, [key.witness for key in keys], known.timed.effective())

    return Verdict(
        status,
        history,
        spec,
        condition,
        decisive.checker if decisive else checker,
        decisive.why if decisive and total else "there are no operations to check",
        tuple(keys),
        Statistics(time.perf_counter() - started, peak_memory(), total, sum(key.configurations for key in keys)),
        vacuity_warnings(history, spec, total),
        merged,
    )


@functools.cache
def _cores() -> int:
    return os.cpu_count() or 1


def _memory_watch(budget: Budget, stop: StopToken) -> Callable[[], object]:
    """Return a function that reads the memory during steps of a Python spec, which can outrun the periodic watcher."""
    most = budget.max_memory
    if most is None:
        return bool
    looked = time.perf_counter()

    def look() -> None:
        nonlocal looked
        now = time.perf_counter()
        if now - looked > _MEMORY_POLL_INTERVAL_S:
            looked = now
            if resident_memory() > most:
                stop.stop(StopReason.MEMORY)

    return look


def _token(budget: Budget) -> StopToken:
    stop = StopToken()
    remaining = budget.remaining()
    if remaining is not None:
        stop.set_time_limit(remaining)
    if budget.max_memory is not None:
        stop.set_memory_limit(int(max(0, budget.max_memory - resident_memory()) * _NATIVE_MEMORY_SHARE))
    return stop
