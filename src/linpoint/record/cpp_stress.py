# SPDX-License-Identifier: Apache-2.0
"""``--stress`` of a C++ object: its program makes rounds on real threads, and each is checked here.

Guarantee: as ``stress`` for Python objects; besides, a program that crashes, hangs or has a sanitizer's report is a
finding. Nothing that it does ends us, and it does not outlive us.
Cost: making and recording an operation takes 0.1 microseconds or so, checking it 1 to 2. Bursts of rounds and their checks
take turns unless there are cores for both.
Source: Lowe, *Testing for Linearizability*; see ``stress``.
"""

from __future__ import annotations

import itertools
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from linpoint.checkers.check import check
from linpoint.executors.thread_executor import peak_memory, resident_memory
from linpoint.histories.formats.load_save import parse_operations
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.judging.stress_judge import StressJudge, StressOutcome
from linpoint.record.cpp_program import Doing, Round, SilenceError, StressProgram
from linpoint.record.result import StressResult
from linpoint.scenarios.cpp_test_description import CppObjectTest
from linpoint.scenarios.scenario import Scenario
from linpoint.specs.spec import Spec
from linpoint.subjects.stress.stress_request import StressConfig, StressRequest, program_of
from linpoint.verdicts import Budget, Status
from linpoint.verdicts.hung_thread import HungThread

Progress = Callable[[int, int], None]

_GRACE: Final = 3.0
"""Seconds beyond its patience that a program may say nothing."""
_LONG: Final = 1.0
"""Seconds without a word after which a program that is ended is taken to hang, perhaps."""
_LOOK: Final = 0.2
"""Seconds between two looks at memory."""
_TO_REPORT: Final = 5.0
"""Seconds, after a round that does not fit, in which a sanitizer may still say why."""
_LONGEST: Final = 40
"""Lines of a report that are told."""
_REPORTS: Final = (
    (re.compile(r"ThreadSanitizer: (data race|.*race)"), "race"),
    (re.compile(r"ThreadSanitizer: lock-order-inversion"), "deadlock"),
    (
        re.compile(
            r"(Address|Thread|Leak|Memory)Sanitizer: (heap|stack|global|use|double|attempting|alloc|dynamic|bad)"
        ),
        "memory",
    ),
    (re.compile(r"(Address|Thread)Sanitizer: SEGV"), "crash"),
    (re.compile(r"runtime error: "), "crash"),
)
"""What sanitizers say, and the kind of finding that it is."""
_KINDS: Final = frozenset(kind for _, kind in _REPORTS)
_SUMMARY: Final = re.compile(r"^SUMMARY: (.*)$", re.MULTILINE)
_HEADLINE: Final = re.compile(r"^.*?((?:\w+Sanitizer|runtime error): .*)$", re.MULTILINE)
_OURS: Final = re.compile(
    r"^ +#\d+ .*(\blinpoint::detail::|\bstart_thread\b|\bclone3?\b|libsanitizer/|linpoint/test\.hpp)"
)
"""Frames of a report that say nothing to the user."""


@dataclass(frozen=True, slots=True)
class CppSettings:
    """What is to be run, and how."""

    program: Path
    test: CppObjectTest
    spec: Spec
    manner: StressConfig
    scenario: Scenario | None = None
    iterations: int | None = None
    sanitized: bool = False
    """A sanitizer watches the program."""


def conduct_cpp(
    settings: CppSettings, budget: Budget, *, progress: Progress | None = None
) -> tuple[StressResult, bool]:
    """Run and check until something is wrong or the budget ends. Ctrl-C gives a result too; the bool says it was pressed."""
    campaign = CppCampaign(settings, budget)
    finding, interrupted = None, False
    try:
        finding = campaign.run(progress)
    except KeyboardInterrupt:
        interrupted = True
        finding = campaign.decider.finding or campaign.passed("stopped by Ctrl-C")
    return campaign.result(finding), interrupted


class CppCampaign:
    """The rounds of one C++ test."""

    def __init__(self, settings: CppSettings, budget: Budget) -> None:
        self._settings, self._budget = settings, budget
        self._program: StressRequest = program_of(settings.test, settings.scenario, settings.manner)
        self._started = time.monotonic()
        self._looked = 0.0
        self._clock = ""
        self._halted_at: float | None = None
        """Since when, if the last word was of a round in which nothing moves."""
        self.decider = StressJudge(settings.spec, budget, settings.manner.patience, jobs=1)

    def run(self, progress: Progress | None) -> StressOutcome:
        """Listen to the program until there is a finding, or no time."""
        manner = self._settings.manner
        workers = self._program.threads * manner.instances
        silence = manner.patience + _GRACE
        for restart in itertools.count(1):
            with StressProgram(self._settings.program, self._program.text, workers=workers, silence=silence) as program:
                finding = self._listen(program, progress)
            if finding is not None:
                return finding
            another = replace(manner, seed=manner.seed + (restart << 32))
            self._program = program_of(self._settings.test, self._settings.scenario, another)
        raise AssertionError("counting does not end")

    def _listen(self, program: StressProgram, progress: Progress | None) -> StressOutcome | None:
        """What is found, or what ended it; None if it waits for ever as the spec lets it, and another is to go on."""
        while True:
            ended = self._over(program)
            if ended is not None:
                return self.passed(ended)
            try:
                made = program.next(self._budget.deadline)
            except SilenceError:
                return self._silent(program)
            self._clock = program.clock
            if made is None:
                if self._budget.remaining() == 0:
                    continue
                return self._died(program)
            if made.state == "stuck":
                return self._stuck(program, made)
            self._halted_at = time.monotonic() if made.state == "halted" else None
            finding = self._halted(made) if made.state == "halted" else self._decide(made)
            if finding is not None:
                return self._with_cause(program, finding)
            if progress is not None:
                progress(self.decider.runs, self.decider.operations)

    def result(self, finding: StressOutcome) -> StressResult:
        """The answer, with what was covered."""
        elapsed = time.monotonic() - self._started
        manner, decider = self._settings.manner, self.decider
        statistics = {
            "seconds": round(elapsed, 6),
            "peak_memory_bytes": peak_memory(),
            **decider.statistics(),
            "operations_per_second": round(decider.operations / elapsed) if elapsed else 0,
            "threads": self._program.threads,
            "instances": manner.instances,
            "seed": manner.seed,
            "erratic": manner.erratic,
            "clock": self._clock,
        }
        warnings = decider.warnings()
        if self._clock.startswith("steady"):
            warnings.append(f"operations were stamped by the system's clock: {self._clock.partition(' ')[2]}")
        return StressResult(
            finding.status,
            self._settings.test.definition.name,
            self._settings.spec.name,
            decider.runs,
            decider.operations,
            elapsed,
            finding.why,
            finding.kind,
            finding.verdict,
            finding.history,
            finding.stuck,
            statistics,
            tuple(warnings),
            report=finding.report,
        )

    def _over(self, program: StressProgram) -> str | None:
        """Why no other round is to be looked at, if so."""
        now = time.monotonic()
        if self._budget.remaining() == 0:
            return "stopped with the budget"
        iterations = self._settings.iterations
        if iterations is not None and self.decider.runs >= iterations:
            return "stopped after as many as were asked for"
        most = self._budget.max_memory
        if most is not None and now - self._looked > _LOOK:
            self._looked = now
            if resident_memory() + program.memory() > most:
                return "stopped at the limit of memory"
        return None

    def passed(self, why: str) -> StressOutcome:
        """No more is looked at, and nothing is wrong so far."""
        if self._halted_at is not None and time.monotonic() - self._halted_at > _LONG:
            inside = f"run {self.decider.runs + 1}, in which nothing moved"
            return StressOutcome(Status.UNKNOWN, f"{why}, inside of {inside}")
        return StressOutcome(Status.LINEARIZABLE if self.decider.runs else Status.UNKNOWN, why)

    def _decide(self, made: Round) -> StressOutcome | None:
        return self.decider.decide(self._history(made), self.decider.runs, pairs=made.pairs)

    def _halted(self, made: Round) -> StressOutcome | None:
        """What is wrong with a round that is not over. If nothing is, it does not count: it comes again."""
        history = self._history(made)
        return self.decider.decide(history, self.decider.runs, pairs=made.pairs) if self._wrong(history) else None

    def _wrong(self, history: History) -> bool:
        left = self._budget.remaining()
        return check(history, self._settings.spec, budget=left, jobs=1).status is Status.VIOLATION

    def _history(self, made: Round) -> History:
        return parse_operations(made.lines, self._settings.test.definition.name)

    def _stuck(self, program: StressProgram, made: Round) -> StressOutcome | None:
        """A round that hangs: whatever returned in it may be wrong, or the spec may let it wait."""
        for _ in program.drain():
            pass
        history = self._history(made)
        open_ = {op.process: str(op) for op in history if op.outcome is Outcome.UNKNOWN}
        stuck = tuple(
            HungThread(thread, open_.get(thread), (), running=running)
            for thread, running in sorted(program.threads.items())
        )
        return self.decider.decide(history, self.decider.runs, stuck, pairs=made.pairs)

    def _silent(self, program: StressProgram) -> StressOutcome:
        """A program that hangs outside of operations."""
        program.end()
        where = "where the object is made or destroyed"
        why = f"the program said nothing for {self._settings.manner.patience + _GRACE:g} s: it hangs {where}"
        return StressOutcome(Status.VIOLATION, why, "deadlock")

    def _with_cause(self, program: StressProgram, finding: StressOutcome) -> StressOutcome:
        """The report of a sanitizer in the place of a history that does not fit: memory that is used wrongly shows in wrong
        results too, and perhaps before it is noticed. The program goes on for a while; whatever else it does does not count.
        """
        if not self._settings.sanitized or finding.status is not Status.VIOLATION:
            return finding
        until = time.monotonic() + _TO_REPORT
        until = until if self._budget.deadline is None else min(until, self._budget.deadline)
        with suppress(SilenceError):
            while program.next(until) is not None:
                pass
        if not program.reports():
            return finding
        reported = self._died(program)
        return reported if reported.kind in _KINDS else finding

    def _died(self, program: StressProgram) -> StressOutcome:
        """A program that ended by itself, which it never does when all is well."""
        program.wait(_GRACE)
        code, said = program.end()
        text = said.decode("utf-8", "replace").rstrip()
        kind = next((kind for pattern, kind in _REPORTS if pattern.search(text)), "crash")
        doing = self._inside(program)
        how = _summary(text) or _how(code)
        run = max((each.round for _, each in doing), default=0) + 1
        why = f"in run {run}: {how}" if doing else f"{how}, where the object was made or destroyed"
        inside = ", ".join(f"process {at} in {self._program.calls[each.call or 0]}" for at, each in doing)
        report = "\n".join([*([f"At that moment: {inside}."] if inside else []), *_shortened(text)])
        return StressOutcome(Status.VIOLATION, why, kind, report=report)

    def _inside(self, program: StressProgram) -> list[tuple[int, Doing]]:
        """The threads that were in calls when the program ended."""
        threads = self._program.threads
        return [(at % threads, each) for at, each in enumerate(program.doing()) if each.call is not None]


def _summary(text: str) -> str | None:
    """What a sanitizer says in one line."""
    found = _SUMMARY.search(text) or _HEADLINE.search(text)
    return None if found is None else found[1].strip()


def _shortened(text: str) -> list[str]:
    """A report without our own frames, and not longer than anybody reads."""
    lines = [line for line in text.splitlines() if not _OURS.search(line)]
    return lines if len(lines) <= _LONGEST else [*lines[:_LONGEST], f"... and {len(lines) - _LONGEST} more lines"]


def _how(code: int | None) -> str:
    if code is None:
        return "the program said no more"
    if code < 0:
        return f"the program was ended by {signal.Signals(-code).name}"
    return f"the program exited with code {code}"
