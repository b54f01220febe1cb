# SPDX-License-Identifier: Apache-2.0
"""Codex's method: what operations return together, compared with what they return if nobody interrupts them.

Each scenario is run with atomic operations, under SC and under TSO, and the sets of outcomes are compared both ways. No
spec is needed, but the order in real time does not count, so less is found than with one.
Source: the thesis on Codex, chapter 3.2.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from linpoint.histories.values import Value, canonical, counted, show
from linpoint.hosts.scenario_histories import scenario_run_of
from linpoint.hosts.search_messages import ScenarioHistory
from linpoint.hosts.test_host import Listening, TestHost
from linpoint.judging.scenario_run import RunEnding, ScenarioRun
from linpoint.judging.spec_judge import Judgement, blocked_calls
from linpoint.scenarios.cpp_test_description import CppObjectTest, scenario_text
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.cpp_object.object_search import ObjectSearch, Settings, Watcher
from linpoint.subjects.cpp_object.subject import BuiltCppTests, result_of, told_smallest
from linpoint.verdicts import Status
from linpoint.verdicts.finding import TestResult

WRONG_UNDER_SC: Final = "wrong under SC"
WRONG_UNDER_TSO: Final = "right under SC, wrong under TSO"
NEVER_SHOWN: Final = "never shows an allowed outcome"

_ATOMIC_RUNS_SHARE: Final = 0.5
"""Of the time that is left, for the atomic runs of many scenarios; each takes a few milliseconds."""
_MAX_SHOWN_OUTCOMES: Final = 5
_SC_OUTCOMES_SHARE: Final = 0.5

Results = tuple[tuple[Value, ...], ...]
"""Of operations by their parts: before, each thread, after; those that have not come back are missing."""


@dataclass(slots=True)
class _Known:
    allowed: dict[object, ScenarioRun] = field(default_factory=dict)
    shown: set[object] = field(default_factory=set)


class AtomicOutcomesJudge:
    """Judges by what atomic operations of the same object return together, which is found out before ``until``."""

    def __init__(self, test: CppObjectTest, host: TestHost, until: float) -> None:
        self._test = test
        self._host = replace(host, config=replace(host.config, memory_model="sc"))
        self._known: dict[Scenario, _Known] = {}
        self._tried: set[Scenario] = set()
        self._until = until

    def again(self) -> AtomicOutcomesJudge:
        """One for another search: what atomic operations give is known."""
        return self

    def prepare(self, scenarios: Sequence[Scenario]) -> None:
        """Run these with atomic operations."""
        unknown = [scenario for scenario in scenarios if scenario not in self._tried]
        seconds = _ATOMIC_RUNS_SHARE * (self._until - time.monotonic())
        if not unknown or seconds <= 0:
            return
        self._tried.update(unknown)
        known = [_Known() for _ in unknown]

        def history(said: ScenarioHistory) -> None:
            run = scenario_run_of(unknown[said.scenario], said, said.orders[0])
            known[said.scenario].allowed.setdefault(_key(run), run)

        texts = [scenario_text(self._test.definition.name, scenario) for scenario in unknown]
        listening = Listening(history)
        heard = self._host.run(texts, "dpor", seconds=seconds, listening=listening, more=("--atomic-operations",))
        if heard.interrupted:
            raise KeyboardInterrupt
        for number, scenario in enumerate(unknown):
            result = heard.results.get(number)
            if result is not None and result.exhaustive:
                self._known[scenario] = known[number]

    def judge(self, run: ScenarioRun) -> Judgement:
        """Wrong if no atomic run gives these results; undecided if those are not known."""
        known = self._known.get(run.scenario)
        if known is None:
            return Judgement(None, None, decided=False)
        key = _key(run)
        known.shown.add(key)
        return Judgement(None if key in known.allowed else _kind(run), None)

    def never_shown(self, scenario: Scenario) -> list[ScenarioRun]:
        """The allowed outcomes of a scenario that no run has shown."""
        known = self._known.get(scenario) or _Known()
        return [run for key, run in known.allowed.items() if key not in known.shown]

    def sequential_results(self, scenario: Scenario) -> Iterator[tuple[int | None, int, Value]]:
        """What operations give in any order."""
        known = self._known.get(scenario) or _Known()
        for run in known.allowed.values():
            for part, performed in enumerate((run.before, *run.threads, run.after)):
                for number, each in enumerate(performed):
                    if each.returned is not None:
                        yield (part - 1 if part else None), number, each.result

    def sequential_outcomes(self, scenario: Scenario) -> tuple[tuple[Value, ...], ...]:
        """The results that orders give together."""
        known = self._known.get(scenario) or _Known()
        return tuple(
            tuple(each.result for part in (*run.threads, run.after) for each in part) for run in known.allowed.values()
        )


def _kind(run: ScenarioRun) -> str:
    """What it is if no atomic run gives it."""
    if blocked_calls(run):
        return "livelock" if run.ending is RunEnding.CUT else "deadlock"
    return "linearizability"


def _key(run: ScenarioRun) -> object:
    return tuple(
        tuple(canonical(each.result) if each.returned is not None else ... for each in part)
        for part in (run.before, *run.threads, run.after)
    )


def compare_outcomes(
    program: BuiltCppTests,
    test: CppObjectTest,
    settings: Settings,
    *,
    replay: Mapping[str, Any],
    watch: Watcher | None = None,
) -> TestResult:
    """Compare the outcomes of every scenario under SC and TSO with those of atomic operations."""
    started = time.monotonic()
    judge = AtomicOutcomesJudge(test, program.running("sc"), started + settings.budget)
    models: dict[str, Status] = {}
    searches: list[ObjectSearch] = []
    for model, part in (("sc", _SC_OUTCOMES_SHARE), ("tso", 1.0)):
        left = max(0.2, part * (started + settings.budget - time.monotonic()))
        search = ObjectSearch(test, program.running(model), judge, replace(settings, budget=left), watch)
        searches.append(search)
        wrong = search.run()
        if wrong is not None:
            finding = told_smallest(wrong, search, {**replay, "memory_model": model, "method": "outcomes"})
            status = Status.UNKNOWN if finding.kind == "nondeterminism" else Status.VIOLATION
            models[model] = status
            said = WRONG_UNDER_SC if model == "sc" else WRONG_UNDER_TSO
            result = result_of(search, program.file, status, finding, models, started)
            return replace(result, why=said, warnings=(said,))
        models[model] = Status.LINEARIZABLE if search.enough else Status.UNKNOWN
        if search.interrupted:
            break
    status = min(models.values(), key=(Status.UNKNOWN, Status.LINEARIZABLE).index)
    last = searches[-1] if searches[0].enough else searches[0]
    result = result_of(last, program.file, status, None, models, started)
    return replace(
        result,
        exhaustive=all(search.exhaustive for search in searches),
        why="atomic operations give every outcome that was shown" if status is Status.LINEARIZABLE else last.why,
        warnings=tuple(_never_shown(judge, searches)),
        tested=replace(
            result.tested,
            schedules=sum(each.schedules for search in searches for each in search.covered),
            steps=sum(each.steps for search in searches for each in search.covered),
        ),
    )


def _never_shown(judge: AtomicOutcomesJudge, searches: Sequence[ObjectSearch]) -> Iterator[str]:
    """Outcomes that are allowed, and that no schedule has shown, of scenarios that were explored to their end."""
    scenarios = [each.scenario for each in searches[-1].covered if each.exhaustive]
    missing = [(scenario, run) for scenario in scenarios for run in judge.never_shown(scenario)]
    for scenario, run in missing[:_MAX_SHOWN_OUTCOMES]:
        results = ", ".join(
            f"{each.call} -> {show(each.result)}" for part in run.threads for each in part if each.returned is not None
        )
        yield f"{NEVER_SHOWN}: {results} in {scenario.describe()}"
    if len(missing) > _MAX_SHOWN_OUTCOMES:
        yield f"{NEVER_SHOWN} in {counted(len(missing) - _MAX_SHOWN_OUTCOMES, 'more case')}"
