# SPDX-License-Identifier: Apache-2.0
"""Runs small objects under control and collects outcomes: results, their order in real time, and how runs ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from linpoint.explore import _native_control as native
from linpoint.explore.python_control import run_abort  # noqa: F401 - defines what the control raises
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.judging.scenario_run import RunEnding

Call = tuple[Any, ...]
"""The name of a method and its arguments."""
Threads = Sequence[Sequence[Call]]


@dataclass(frozen=True, order=True)
class Outcome:
    """The outcome of a run: the results of each thread's operations, and their precedence in real time."""

    ending: str
    results: tuple[tuple[str, ...], ...]
    before: tuple[tuple[tuple[int, int], tuple[int, int]], ...]
    state: str = ""


@dataclass
class Explored:
    """The outcomes of many runs."""

    outcomes: set[Outcome] = field(default_factory=set)
    runs: int = 0
    redundant: int = 0
    exhaustive: bool = False

    @property
    def results(self) -> set[tuple[str, tuple[tuple[str, ...], ...], str]]:
        """Without the order: where a call begins depends on the granularity of schedules."""
        return {(each.ending, each.results, each.state) for each in self.outcomes}


def explore(
    make: Callable[[], Any],
    threads: Threads,
    *,
    explorer: native.Explorer | None = None,
    state: Callable[[Any], Any] | None = None,
    most_runs: int | None = None,
    **session: Any,
) -> Explored:
    """All outcomes that the explorer finds, by default DPOR without a bound."""
    if explorer is None:
        # The effect of a step is known in advance only if each access is a step of its own.
        fine = session.get("granularity", "access") != "line" and not session.get("gil")
        explorer = native.explore_dpor(sleep_sets=fine)
    found = Explored()
    with ControlSession(**session) as one:
        while (most_runs is None or explorer.runs < most_runs) and explorer.begin():
            one.prepare()
            with one.alone():
                subject = make()
                bodies = [tuple((getattr(subject, name), args) for name, *args in calls) for calls in threads]
                bodies = [tuple((method, tuple(args)) for method, args in body) for body in bodies]
            ending = one.run(explorer, bodies)
            if ending is RunEnding.REDUNDANT:
                continue
            operations = native.control_operations()[: len(threads)]
            with one.alone():
                seen = "" if state is None else repr(state(subject))
            found.outcomes.add(outcome(ending, operations, seen))
    found.runs, found.redundant, found.exhaustive = explorer.runs, explorer.redundant, explorer.exhaustive
    assert explorer.diverged_at is None
    return found


def outcome(ending: RunEnding, operations: list[list[tuple[int, int, Any, bool]]], state: str = "") -> Outcome:
    """The outcome of a run, from the events of the control."""
    results = tuple(tuple(_shown(*each) for each in mine) for mine in operations)
    times = {
        (process, i): (call, returned)
        for process, mine in enumerate(operations)
        for i, (call, returned, _, _) in enumerate(mine)
        if call >= 0
    }
    before = tuple(
        sorted(
            (one, other)
            for one, (_, returned) in times.items()
            for other, (call, _) in times.items()
            if one[0] != other[0] and 0 <= returned < call
        )
    )
    return Outcome(ending.name, results, before, state)


def _shown(call: int, returned: int, value: Any, raised: bool) -> str:
    if returned < 0:
        return "open" if call >= 0 else "not begun"
    return f"raises {type(value).__name__}" if raised else repr(value)
