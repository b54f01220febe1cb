# SPDX-License-Identifier: Apache-2.0
"""A whole program explored: the search, the finding made simple and told, and what can be said if there is none.

Guarantee: HOLDS is said only if every schedule was run, up to reordering, or every one with as many preemptions as the
user asked for; else it is UNKNOWN, with how far the search came.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from linpoint.executors.thread_executor import peak_memory
from linpoint.explore.programs.exploring import MOST_STEPS, Exploration, Settings, Watcher
from linpoint.explore.python_control.control_session import STALL_TIMEOUT_S, ControlSession
from linpoint.histories.values import counted
from linpoint.limits.search_limits import SearchLimits
from linpoint.subjects.python_program.finding_builder import build_finding, nondeterminism, simplest
from linpoint.subjects.python_program.own_modules import OwnModules
from linpoint.subjects.python_program.program import PythonProgram
from linpoint.subjects.python_program.program_runner import ProgramRunner
from linpoint.verdicts.finding import Explored
from linpoint.verdicts.program import Answer, ProgramFinding, ProgramResult
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, Schedule

_LEAST_PATIENCE: Final = 1.0
_PART: Final = 6
"""A run may hang for this part of the budget."""


@contextmanager
def exploration_of(program: PythonProgram, settings: Settings, watch: Watcher | None = None) -> Iterator[Exploration]:
    """The exploration of a program, which is under control in the block."""
    modules = OwnModules()
    modules.files.add(program.path)
    session = ControlSession(
        instrument=(program.path,),
        granularity=settings.granularity,
        backend=settings.backend,
        program=modules.files,
        most_steps=MOST_STEPS,
        patience=min(STALL_TIMEOUT_S, max(_LEAST_PATIENCE, settings.budget / _PART)),
    )
    with session:
        yield Exploration(ProgramRunner(program, session, modules), settings, watch=watch)


def explore_program(
    program: PythonProgram, settings: Settings | None = None, *, watch: Watcher | None = None
) -> ProgramResult:
    """Run a program under every schedule, as far as the time goes. Ctrl-C ends it with what is known."""
    with exploration_of(program, settings or Settings(), watch) as exploration:
        failure = exploration.search()
        finding = None
        if failure is not None:
            best, minimal = simplest(failure, exploration)
            finding = build_finding(best, exploration, minimal=minimal)
        elif exploration.coverage.diverged is not None:
            finding = nondeterminism(*exploration.coverage.diverged, exploration)
    if finding is not None:
        return _result(exploration, _answer_of(finding), "a schedule shows it", finding)
    answer, why = _without_finding(exploration)
    return _result(exploration, answer, why)


def replay_program(program: PythonProgram, settings: Settings, schedule: Schedule, *, changed: bool) -> ProgramResult:
    """Run one schedule again. ``changed``: the program is not what it was when the finding was made.

    If the schedule shows no failure any more, as after a fix, the result is HOLDS, and ``why`` says what that means.
    Where the program has changed, the schedules with few preemptions are run too.
    """
    warnings = []
    if changed:
        warnings.append("the program has changed since the finding was made, so the schedule may mean something else")
    with exploration_of(program, settings) as exploration:
        exploration.warm_up()
        run, failure, diverged = exploration.again(schedule)
        if failure is None and (changed or diverged is not None):
            failure = exploration.bounded(FEW_PREEMPTIONS, SearchLimits(exploration.deadline))
        finding = None if failure is None else build_finding(failure, exploration, minimal=True)
    if diverged is not None and not changed:
        warnings.append(f"the schedule could not be followed from step {diverged} on")
    if finding is not None:
        return _result(exploration, _answer_of(finding), "the schedule shows it", finding, warnings)
    if run is not None and run.given_up:
        return _result(exploration, Answer.UNKNOWN, run.given_up, None, warnings)
    return _result(exploration, Answer.HOLDS, "this schedule shows nothing wrong (any more)", None, warnings)


def _answer_of(finding: ProgramFinding) -> Answer:
    return Answer.UNKNOWN if finding.kind == "nondeterminism" else Answer.VIOLATION


def _without_finding(exploration: Exploration) -> tuple[Answer, str]:
    """What can be said of a search that has found nothing."""
    covered, only = exploration.coverage, exploration.settings.preemptions
    if covered.given_up:
        return Answer.UNKNOWN, covered.given_up
    if covered.exhaustive:
        return Answer.HOLDS, "no schedule shows anything wrong"
    if only is not None and covered.completed >= only:
        return Answer.HOLDS, f"no schedule with up to {counted(only, 'preemption')} shows anything wrong"
    end = "it was interrupted" if exploration.interrupted else "the budget ended"
    if covered.completed >= 0:
        far = f"after all schedules with up to {counted(covered.completed, 'preemption')}"
    else:
        far = "before all schedules without preemptions were run"
    return Answer.UNKNOWN, f"{end} {far}, and none of those that were run shows anything wrong"


def _result(
    exploration: Exploration,
    answer: Answer,
    why: str,
    finding: ProgramFinding | None = None,
    warnings: Sequence[str] = (),
) -> ProgramResult:
    covered = exploration.coverage
    seconds = time.monotonic() - exploration.started
    return ProgramResult(
        exploration.runner.program.file,
        answer,
        answer is Answer.HOLDS and covered.exhaustive,
        why,
        () if finding is None else (finding,),
        Explored(covered.bounded, covered.unbounded, covered.steps, seconds, peak_memory()),
        {} if covered.exhaustive or covered.completed < 0 else {"preemptions": covered.completed},
        tuple(warnings),
    )
