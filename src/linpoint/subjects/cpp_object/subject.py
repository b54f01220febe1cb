# SPDX-License-Identifier: Apache-2.0
"""A whole test of a C++ object: a search for a failure, the failure made small and told, and what can be said without one.

Made small: threads and operations go, then arguments become simpler, then preemptions go.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.scenario_histories import scenario_runs_of
from linpoint.hosts.test_host import TestHost
from linpoint.judging.spec_judge import Judge, SpecJudge
from linpoint.scenarios.cpp_test_description import CppObjectTest, object_tests
from linpoint.scenarios.scenario import Scenario
from linpoint.scenarios.smaller_scenarios import shrink
from linpoint.specs.spec import Spec
from linpoint.subjects.cpp_object.fence_advice import FenceAdvisor
from linpoint.subjects.cpp_object.finding_builder import ShownSchedule, build_finding, rerun_schedule, told_kept
from linpoint.subjects.cpp_object.object_search import (
    Broken,
    ObjectSearch,
    Settings,
    Watcher,
    Wrong,
    kind_of,
    preemptions_of,
    scenario_of,
)
from linpoint.subjects.cpp_object.progress_check import StoppedThread, check_progress, kept_in
from linpoint.subjects.interface import Failure
from linpoint.targets.build_error import BuildError
from linpoint.targets.target_builder import Target
from linpoint.verdicts import Status
from linpoint.verdicts.finding import Finding, Tested, TestResult
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, Schedule

_SHRINKING: Final = 0.5
"""Of what is left of the time, for making a failure small."""
_AT_LEAST: Final = 0.3
"""Seconds for a schedule that shows a failure by itself, also if the time is up: without it there is nothing to tell."""
_TOO_LITTLE: Final = 0.1
_ONE: Final = 2.0
"""Seconds for one scenario that may be smaller."""
_MORE: Final = 3
"""Preemptions beyond those of the failure, up to which a schedule that shows it by itself is looked for."""


@dataclass(frozen=True, slots=True)
class BuiltCppTests:
    """A C++ file with tests that was built. ``file`` is as the user wrote it."""

    file: str
    host: Path
    target: Target
    manner: HostConfig

    def running(self, model: str | None = None) -> TestHost:
        """Its host, under its own memory model or another one."""
        manner = self.manner if model is None else replace(self.manner, memory_model=model)
        return TestHost(self.host, self.target.library, manner)

    def tests(self, seconds: float) -> dict[str, CppObjectTest]:
        """The tests that it has, however much memory they need."""
        heard = TestHost(self.host, self.target.library, replace(self.manner, max_memory=None)).describe(seconds)
        if heard.interrupted:
            raise KeyboardInterrupt
        if heard.described is None or not heard.described["tests"]:
            why = (
                next((each.reason for each in heard.results.values()), heard.died) or "there is no LINPOINT_TEST in it"
            )
            raise BuildError(
                "LP-T016",
                f"the file has no tests: {why}.",
                place=self.file,
                remedy="Include <linpoint/test.hpp> and say LINPOINT_TEST(Type, method, ...).",
            )
        return object_tests(heard.described, self.file)


def try_object(
    program: BuiltCppTests,
    test: CppObjectTest,
    spec: Spec,
    settings: Settings,
    *,
    replay: dict[str, Any],
    watch: Watcher | None = None,
) -> TestResult:
    """Test an object under many schedules. Ctrl-C ends it with what is known."""
    started = time.monotonic()
    search = ObjectSearch(test, program.running(), SpecJudge(spec), settings, watch)
    unseen = program.target.contents.unseen
    if unseen:
        search.given_up = f"inline assembly is out of sight, so that no schedule could be trusted: {unseen[0]}"
    for path in program.target.contents.unhooked:
        search.qualified[f"{Path(path).name} is not instrumented: compile its sources together with the test"] = None
    wrong = search.run()
    finding = None
    models = {program.manner.memory_model: Status.LINEARIZABLE if search.enough else Status.UNKNOWN}
    status = models[program.manner.memory_model]
    if wrong is not None:
        finding = told_smallest(wrong, search, replay)
        status = Status.UNKNOWN if finding.kind == "nondeterminism" else Status.VIOLATION
        models = {program.manner.memory_model: status}
        if program.manner.memory_model != "sc" and status is Status.VIOLATION and not search.interrupted:
            scenario = Scenario.from_dict(finding.replay["scenario"])
            models["sc"] = _under_sc(program, search, scenario)
            if models["sc"] is Status.LINEARIZABLE:
                finding = replace(finding, advice=_advice(search, scenario, finding.schedule))
    result = result_of(search, program.file, status, finding, models, started)
    if settings.progress and status is Status.LINEARIZABLE:
        return _with_progress(result, search, replay, started)
    return result


def _with_progress(result: TestResult, search: ObjectSearch, replay: Mapping[str, Any], started: float) -> TestResult:
    """The same result, and whether operations can be kept from finishing."""
    checked = check_progress(search, [each.scenario for each in search.covered])
    schedules = result.tested.schedules + checked.schedules
    tested = replace(result.tested, schedules=schedules, seconds=time.monotonic() - started)
    if checked.kept is not None:
        finding = told_kept(checked.kept, search, replay)
        models = dict.fromkeys(result.models, Status.VIOLATION)
        violation = replace(result, status=Status.VIOLATION, findings=(finding,), models=models, tested=tested)
        return replace(violation, exhaustive=False, why="a schedule shows it")
    if not checked.complete:
        why = "the budget ended before it was known whether operations can be kept from finishing"
        return replace(result, status=Status.UNKNOWN, exhaustive=False, why=why, tested=tested)
    why = f"{result.why}, and no operation is kept from finishing by a thread that stops"
    return replace(result, why=why, tested=tested)


def result_of(
    search: ObjectSearch,
    file: str,
    status: Status,
    finding: Finding | None,
    models: dict[str, Status],
    started: float,
) -> TestResult:
    """The answer of a search."""
    covered = search.covered
    bounds = {} if search.exhaustive and finding is None else {"preemptions": FEW_PREEMPTIONS}
    if search.generated is not None:
        bounds |= {"threads": search.generated.bounds.threads, "operations": search.generated.bounds.operations}
    return TestResult(
        search.test.definition.name,
        status,
        finding is None and search.exhaustive,
        search.why if finding is None else "a schedule shows it",
        () if finding is None else (finding,),
        models,
        Tested(
            sum(each.bounded for each in covered),
            sum(each.schedules for each in covered),
            sum(each.steps for each in covered),
            time.monotonic() - started,
            search.peak_memory_bytes,
            scenarios=sum(bool(each.schedules or each.bounded) for each in covered),
        ),
        bounds,
        file=file,
        interrupted=search.interrupted,
    )


def told_smallest(wrong: Wrong, search: ObjectSearch, replay: Mapping[str, Any]) -> Finding:
    """The finding of a failure, made as small as can be."""
    best, minimal = _smallest(wrong, search)
    return build_finding(best, search, minimal=minimal, replay=replay)


def _smallest(wrong: Wrong, search: ObjectSearch) -> tuple[Wrong, bool]:
    """A failure of the same kind of which nothing can be left out, and whether that is certain."""
    until = time.monotonic() + _SHRINKING * search.left
    best, certain = wrong, True

    def left() -> float:
        return min(_ONE, until - time.monotonic())

    def fails(candidate: Scenario) -> bool:
        nonlocal best, certain
        cast = search.test.cast(candidate)
        if cast is None:
            return False
        if left() <= 0 or search.interrupted:
            certain = False
            return False
        found, covered = search.fails(cast, "dpor", left())
        certain = certain and (found is not None or covered.exhaustive)
        if found is None or kind_of(found) != kind_of(wrong):
            return False
        best = found
        return True

    shrink(scenario_of(wrong), search.test.definition, fails)
    # The bounded search begins without preemptions, so what it finds first has as few as can be; and what it finds is
    # wrong in the order in which it happened, not only in one that differs from it by nothing that anybody can see.
    most = preemptions_of(best) + (0 if isinstance(best, Broken) else _MORE)
    fewest, _ = search.fails(scenario_of(best), f"bounded:{most}", max(_AT_LEAST, _SHRINKING * search.left))
    if fewest is not None and kind_of(fewest) == kind_of(best):
        return fewest, certain
    return best, False


def _under_sc(program: BuiltCppTests, search: ObjectSearch, scenario: Scenario) -> Status:
    """The verdict on the scenario that fails if stores do not wait; unknown if there is no time to find out."""
    if search.left < _TOO_LITTLE:
        return Status.UNKNOWN
    settings = replace(search.settings, budget=search.left, scenarios=(scenario,))
    other = ObjectSearch(search.test, program.running("sc"), search.judge.again(), settings)
    if other.run() is not None:
        return Status.VIOLATION
    return Status.LINEARIZABLE if other.enough else Status.UNKNOWN


def replay_object(
    program: BuiltCppTests,
    test: CppObjectTest,
    judge: Judge,
    settings: Settings,
    schedule: Schedule,
    *,
    changed: bool,
    replay: dict[str, Any],
    stop: StoppedThread | None = None,
) -> TestResult:
    """Run ``schedule`` of the one scenario in ``settings``. ``changed``: the code is not what it was when it was found.

    If the schedule shows no failure any more, as after a fix, the result is LINEARIZABLE, and ``why`` says what that
    means. Where the code has changed, the schedules with few preemptions are run too.
    """
    started = time.monotonic()
    search = ObjectSearch(test, program.running(), judge, settings)
    scenario = test.accept(settings.scenarios[0])
    judge.prepare([scenario])
    warnings = []
    if changed:
        warnings.append("the code has changed since the finding was made, so the schedule may mean something else")
    shown = rerun_schedule(search, scenario, schedule, trace=False, stop=stop)
    kept = None if stop is None else kept_in(scenario, stop, shown.histories)
    wrong = _wrong_of(search, scenario, shown, schedule) if stop is None else None
    diverged = None if shown.result is None else shown.result.diverged_at
    if diverged is not None and not changed:
        warnings.append(f"the schedule could not be followed from step {diverged} on")
    if (
        wrong is None and not schedule and replay.get("finding") == "crash"
    ):  # its process died: nobody knows the schedule
        wrong, _ = search.fails(scenario, "dpor", max(_AT_LEAST, search.left))
    if wrong is None and kept is None and (changed or diverged is not None):
        wrong, _ = search.fails(scenario, f"bounded:{FEW_PREEMPTIONS}", max(_AT_LEAST, search.left))
    finding = None if wrong is None else build_finding(wrong, search, minimal=True, replay=replay)
    finding = finding if kept is None else told_kept(kept, search, replay)
    status = Status.LINEARIZABLE if finding is None else Status.VIOLATION
    why = "the schedule shows it" if finding is not None else "this schedule shows no violation (any more)"
    if finding is None and (search.given_up or shown.result is None):
        status, why = Status.UNKNOWN, search.given_up or "the schedule could not be run"
    if finding is not None and finding.kind == "nondeterminism":
        status = Status.UNKNOWN
    steps = 0 if shown.result is None else shown.result.steps
    tested = Tested(0, 1, steps, time.monotonic() - started, search.peak_memory_bytes, scenarios=1)
    return TestResult(
        test.definition.name,
        status,
        exhaustive=False,
        why=why,
        findings=() if finding is None else (finding,),
        models={program.manner.memory_model: status},
        tested=tested,
        bounds={},
        warnings=tuple(warnings),
        file=program.file,
        interrupted=search.interrupted,
    )


def _wrong_of(search: ObjectSearch, scenario: Scenario, shown: ShownSchedule, schedule: Schedule) -> Wrong | None:
    """What is wrong with a schedule that was run again."""
    if shown.result is not None and shown.result.finding is not None:
        return Broken(scenario, shown.result.finding)
    for said in shown.histories:
        for run in scenario_runs_of(scenario, said):
            judgement = search.judge.judge(run)
            if judgement.kind is not None:
                return Failure(judgement.kind, scenario, schedule, said.preemptions, run, judgement.verdict)
    return None


def _advice(search: ObjectSearch, scenario: Scenario, schedule: Schedule) -> tuple[str, ...]:
    """Which fences mend a violation that there is only because stores wait."""
    advice = None if search.left < _TOO_LITTLE else FenceAdvisor(search, search.deadline).advise(scenario, schedule)
    return ("There was no time to find out which fences mend it",) if advice is None else advice.sentences()
