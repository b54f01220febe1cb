# SPDX-License-Identifier: Apache-2.0
"""A whole C++ program explored: the search, the finding made simple and told, and what can be said if there is none.

Guarantee: HOLDS is said only if every schedule was run, up to reordering, or every one with as many preemptions as the
user asked for, and nothing that runs is out of sight; else it is UNKNOWN, with the reason. A finding was shown twice by its
schedule, or it says that it was not.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from linpoint.explore.cpp.running import Host, Listener, Manner
from linpoint.histories.values import counted
from linpoint.hosts.search_messages import HostFinding, SearchResult
from linpoint.processes.command_runner import run
from linpoint.subjects.cpp_program.finding_builder import program_finding, untold_finding
from linpoint.subjects.cpp_program.program_search import Exploration, Settings
from linpoint.targets.build_error import BuildError
from linpoint.targets.target_builder import Target
from linpoint.verdicts.finding import Explored
from linpoint.verdicts.program import Answer, ProgramFinding, ProgramResult
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, Schedule, another_run

_SHRINKING: Final = 0.5
"""Of what is left of the time, for making a schedule simpler."""
_AT_LEAST: Final = 1.0
"""Seconds for anything that is begun at all, on a busy machine."""
_TO_TELL: Final = 10.0
"""Seconds for one run that is told: more than any takes that is not cut."""
_UNDEFINED: Final = re.compile(r"undefined symbol: (\S+)")
_MOST_RACES: Final = 10
"""That are shown, where they were to be reported beside."""
_WHAT_TO_DO: Final = (
    "use std::atomic or std::atomic_thread_fence there, or leave that part out of the program that is explored"
)


@dataclass(frozen=True, slots=True)
class CppProgram:
    """A program that was built. ``file`` is as the user wrote it."""

    file: str
    host: Path
    target: Target
    manner: Manner

    def running(self, listen: Listener) -> Host:
        """Its host."""
        return Host(self.host, self.target.library, self.manner, listen)


def explore_cpp(program: CppProgram, settings: Settings, *, listen: Listener = lambda _: None) -> ProgramResult:
    """Run a program under every schedule, as far as the time goes. Ctrl-C ends it with what is known."""
    exploration = Exploration(program.running(listen), settings)
    refused = _refused(program)
    if refused:
        return _result(program, exploration, Answer.UNKNOWN, refused)
    found = exploration.search()
    _refuse_undefined(program, exploration)
    findings = []
    if found is not None:
        best, minimal = _simplest(found, exploration)
        findings.append(_confirmed(program, exploration, best, minimal=minimal))
    races = list(exploration.coverage.races.values())[:_MOST_RACES]
    findings += [_confirmed(program, exploration, race, minimal=not race.preemptions) for race in races]
    if findings:
        return _with_findings(program, exploration, findings)
    answer, why = _without_finding(program, exploration)
    return _result(program, exploration, answer, why)


def replay_cpp(
    program: CppProgram, settings: Settings, schedule: Schedule, *, changed: bool, listen: Listener = lambda _: None
) -> ProgramResult:
    """Run one schedule again. ``changed``: the program is not what it was when the finding was made.

    If the schedule shows no failure any more, as after a fix, the result is HOLDS, and ``why`` says what that means.
    Where the program has changed, the schedules with few preemptions are run too.
    """
    exploration = Exploration(program.running(listen), settings)
    refused = _refused(program)
    if refused:
        return _result(program, exploration, Answer.UNKNOWN, refused)
    warnings = []
    if changed:
        warnings.append("the program has changed since the finding was made, so the schedule may mean something else")
    outcome = exploration.again(schedule, min(_TO_TELL, settings.budget))
    result = outcome.result
    diverged = None if result is None else result.diverged_at
    found = None if result is None else result.finding or next(iter(result.races), None)
    if outcome.by_itself:
        found = HostFinding(
            "crash", f"the program took its process with it: {outcome.died}", schedule=list(schedule), lost=True
        )
    if diverged is not None and not changed:
        warnings.append(f"the schedule could not be followed from step {diverged} on")
    if found is None and (changed or diverged is not None):
        found = exploration.bounded(FEW_PREEMPTIONS, max(_AT_LEAST, exploration.deadline - time.monotonic()))
        if found is not None:
            told = _confirmed(program, exploration, found, minimal=True)
            return _with_findings(program, exploration, [told], warnings)
    if found is not None:
        told = _told(program, exploration, found, result, minimal=True)
        return _with_findings(program, exploration, [told], warnings)
    given_up = outcome.died if result is None else result.reason if result.ended in ("refused", "error") else ""
    if given_up:
        return _result(program, exploration, Answer.UNKNOWN, given_up, warnings=warnings)
    why = "this schedule shows nothing wrong (any more)"
    return _result(program, exploration, Answer.HOLDS, why, warnings=warnings)


def _refuse_undefined(program: CppProgram, exploration: Exploration) -> None:
    """A shared object may miss something that only the loader asks for: then it is no whole program."""
    missing = _UNDEFINED.search(exploration.coverage.given_up)
    if missing:
        told = run(["c++filt", missing[1]])
        name = missing[1] if told.code else told.text.strip()
        raise BuildError(
            "LP-T033",
            f"{name} is not defined anywhere.",
            place=program.file,
            remedy="Give all sources of the program, and its libraries after --.",
        )


def _refused(program: CppProgram) -> str:
    """Why a program is not run at all."""
    unseen = program.target.contents.unseen
    if not unseen:
        return ""
    more = f" and {counted(len(unseen) - 1, 'more instruction')}" if len(unseen) > 1 else ""
    return f"inline assembly is out of sight, so that no schedule could be trusted: {unseen[0]}{more}; {_WHAT_TO_DO}"


def _simplest(found: HostFinding, exploration: Exploration) -> tuple[HostFinding, bool]:
    """A failure of the same kind with as few preemptions as can be found, and whether no fewer are possible."""
    best = found
    if found.kind == "nondeterminism" or not found.schedule:
        return best, found.preemptions <= exploration.coverage.completed + 1
    try:
        if found.preemptions > exploration.coverage.completed + 1:
            left = max(_AT_LEAST, _SHRINKING * (exploration.deadline - time.monotonic()))
            simpler = exploration.bounded(found.preemptions - 1, left)
            best = simpler if simpler is not None and simpler.kind == found.kind else best
    except KeyboardInterrupt:
        exploration.interrupted = True
    return best, best.preemptions <= exploration.coverage.completed + 1


def _confirmed(program: CppProgram, exploration: Exploration, found: HostFinding, *, minimal: bool) -> ProgramFinding:
    """The finding, shown again by its schedule with its steps. A run that cannot be repeated is one of its own kind."""
    if found.kind == "nondeterminism" or found.lost:
        return untold_finding(found, exploration.settings.replay, minimal=False)
    try:
        left = exploration.deadline - time.monotonic()
        outcome = exploration.again(tuple(found.schedule), max(_AT_LEAST, min(_TO_TELL, left)))
    except KeyboardInterrupt:  # what is known is told without its steps
        exploration.interrupted = True
        return untold_finding(found, exploration.settings.replay, minimal=minimal)
    result = outcome.result
    if result is None:  # it takes too long, or takes the host with it
        return untold_finding(found, exploration.settings.replay, minimal=minimal)
    again = result.finding
    if result.races:  # the program goes on after a race that is reported beside
        again = next((race for race in result.races if race.key == found.key), again)
    if again is None or again.kind != found.kind:
        another = HostFinding("nondeterminism", another_run(result.diverged_at), schedule=found.schedule)
        return untold_finding(another, exploration.settings.replay, minimal=False)
    return _told(program, exploration, again, result, minimal=minimal, preemptions=found.preemptions)


def _told(
    program: CppProgram,
    exploration: Exploration,
    found: HostFinding,
    result: SearchResult | None,
    *,
    minimal: bool,
    preemptions: int | None = None,
) -> ProgramFinding:
    model = program.manner.memory_model
    if result is None or result.trace is None:
        return untold_finding(found, exploration.settings.replay, minimal=minimal)
    library = program.target.library
    return program_finding(
        found, result, exploration.settings.replay, library, model, minimal=minimal, preemptions=preemptions
    )


def _with_findings(
    program: CppProgram, exploration: Exploration, findings: Sequence[ProgramFinding], warnings: Sequence[str] = ()
) -> ProgramResult:
    repeated = any(finding.kind != "nondeterminism" for finding in findings)
    answer = Answer.VIOLATION if repeated else Answer.UNKNOWN
    return _result(program, exploration, answer, "a schedule shows it", findings, warnings)


def _without_finding(program: CppProgram, exploration: Exploration) -> tuple[Answer, str]:
    """What can be said of a search that has found nothing."""
    covered, only = exploration.coverage, exploration.settings.preemptions
    if covered.given_up:
        return Answer.UNKNOWN, covered.given_up
    but = _qualified(program, exploration)
    far = ""
    if covered.exhaustive:
        far = "no schedule shows anything wrong"
    elif only is not None and covered.completed >= only:
        far = f"no schedule with up to {counted(only, 'preemption')} shows anything wrong"
    if far:
        return (Answer.UNKNOWN, f"{far}, but that proves less: {'; '.join(but)}") if but else (Answer.HOLDS, far)
    end = "it was interrupted" if exploration.interrupted else "the budget ended"
    if covered.completed >= 0:
        far = f"after all schedules with up to {counted(covered.completed, 'preemption')}"
    else:
        far = "before all schedules without preemptions were run"
    return Answer.UNKNOWN, f"{end} {far}, and none of those that were run shows anything wrong"


def _qualified(program: CppProgram, exploration: Exploration) -> list[str]:
    """Why a clean end proves less."""
    names = dict.fromkeys(Path(path).name for path in program.target.contents.unhooked)
    told = [f"{name} is not instrumented: compile its sources together with the program" for name in names]
    return [*told, *(each for each in exploration.coverage.qualified if not any(name in each for name in names))]


def _result(
    program: CppProgram,
    exploration: Exploration,
    answer: Answer,
    why: str,
    findings: Sequence[ProgramFinding] = (),
    warnings: Sequence[str] = (),
) -> ProgramResult:
    covered = exploration.coverage
    seconds = time.monotonic() - exploration.started
    complete = covered.exhaustive and answer is Answer.HOLDS
    return ProgramResult(
        program.file,
        answer,
        complete,
        why,
        tuple(findings),
        Explored(covered.bounded, covered.unbounded, covered.steps, seconds, covered.peak_memory_bytes),
        {} if complete or covered.completed < 0 else {"preemptions": covered.completed},
        tuple(warnings),
        covered.outcomes,
        exploration.interrupted,
    )
