# SPDX-License-Identifier: Apache-2.0
"""A C++ object on real threads: its program runs rounds, and this module checks each of them.

Guarantee: a program that crashes, hangs or causes a sanitizer's report is a finding. It cannot terminate linpoint and
does not outlive it.
Cost: executing and recording an operation takes about 0.1 microseconds, checking it 1 to 2. Bursts of rounds alternate
with their checks unless there are cores for both.
Source: Lowe, *Testing for Linearizability*; see ``python_subject``.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from linpoint.checkers.check import check
from linpoint.executors.thread_executor import resident_memory
from linpoint.histories.formats.load_save import parse_operations
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.judging.stress_judge import StressOutcome
from linpoint.scenarios.cpp_test_description import CppObjectTest
from linpoint.scenarios.scenario import Scenario
from linpoint.specs.spec import Spec
from linpoint.subjects.interface import Claim, Failure, Progress, Reproduction
from linpoint.subjects.stress.sanitizer_reports import (
    REPORT_KINDS,
    kind_of_report,
    shortened_report,
    summary_of_report,
)
from linpoint.subjects.stress.stress_program import SilenceError, StressProgram, StressRound, ThreadActivity
from linpoint.subjects.stress.stress_request import StressConfig, StressRequest, build_request
from linpoint.subjects.stress.stress_session import StressSession
from linpoint.verdicts import Status
from linpoint.verdicts.evidence import HungThread

_SILENCE_GRACE_S: Final = 3.0
"""The time for which a program may be silent beyond its patience."""
_MIN_HALT_S: Final = 1.0
"""A program that is stopped after this time without progress may hang."""
_MEMORY_POLL_INTERVAL_S: Final = 0.2
_REPORT_WAIT_S: Final = 5.0
"""The time for a sanitizer to report the cause of a wrong round."""


@dataclass(frozen=True, slots=True)
class CppStressSubject:
    """A built test of a C++ object, its spec, and the options of its threads."""

    program: Path
    test: CppObjectTest
    spec: Spec
    config: StressConfig
    scenario: Scenario | None = None
    iterations: int | None = None
    sanitized: bool = False
    """Whether the program is built with a sanitizer."""
    max_memory: int | None = None

    @contextmanager
    def open(self, seconds: float, progress: Progress) -> Iterator[CppStressSession]:
        """Open a session with a separate process."""
        session = CppStressSession(self, seconds, progress)
        try:
            yield session
        finally:
            session.close()


class CppStressSession(StressSession):
    """The rounds of one C++ test."""

    def __init__(self, subject: CppStressSubject, seconds: float, progress: Progress) -> None:
        super().__init__(
            subject.test.definition.name,
            subject.spec,
            seconds,
            progress,
            max_memory=subject.max_memory,
            patience=subject.config.patience,
            jobs=1,
        )
        self.subject = subject
        self._request: StressRequest = build_request(subject.test, subject.scenario, subject.config)
        self._running = ExitStack()
        self._program: StressProgram | None = None
        self._restarts = 0
        self._memory_polled = 0.0
        self._clock = ""
        self._halted_at: float | None = None
        """The time of the last message if it reported a halted round, else None."""

    def close(self) -> None:
        """Stop the program."""
        self._running.close()
        self._program = None

    def outcomes(self) -> Iterator[StressOutcome]:
        """The outcomes of all rounds; if a round blocks forever, as the spec may allow, another program starts."""
        while not self.stopped:
            yield from self._listen(self._start())

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Check the history of the run again, and wait for a sanitizer to report the cause."""
        reproduction = super().reproduce(failure, record=record)
        if reproduction is None or reproduction.failure is None or self._program is None:
            return reproduction
        outcome = self._with_cause(self._program, reproduction.run)
        return replace(reproduction, run=outcome, failure=replace(failure, kind=outcome.kind))

    def claim(self) -> Claim:
        """The claim without a failure; UNKNOWN if the last run had been halted for a while, since it may hang."""
        claim = super().claim()
        if self.undecided is None and self._halted_at is not None and time.monotonic() - self._halted_at > _MIN_HALT_S:
            inside = f"run {self.judge.runs + 1}, which made no progress"
            return Claim(Status.UNKNOWN, f"{claim.why} during {inside}")
        return claim

    def statistics(self, elapsed_s: float) -> dict[str, Any]:
        """The counts and settings, as in the JSON contract."""
        config, operations = self.subject.config, self.judge.operations
        return {
            **self.judge.statistics(),
            "operations_per_second": round(operations / elapsed_s) if elapsed_s else 0,
            "threads": self._request.threads,
            "instances": config.instances,
            "seed": config.seed,
            "erratic": config.erratic,
            "clock": self._clock,
        }

    def search_warnings(self) -> list[str]:
        """The warnings of the judge, and one about an imprecise clock."""
        if not self._clock.startswith("steady"):
            return super().search_warnings()
        why = self._clock.partition(" ")[2]
        return [*super().search_warnings(), f"operations were timed by the system's clock: {why}"]

    def _start(self) -> StressProgram:
        """Start the program; a restarted one makes different calls."""
        self.close()
        config = self.subject.config
        if self._restarts:
            another = replace(config, seed=config.seed + (self._restarts << 32))
            self._request = build_request(self.subject.test, self.subject.scenario, another)
        self._restarts += 1
        program = StressProgram(
            self.subject.program,
            self._request.text,
            workers=self._request.threads * config.instances,
            silence=config.patience + _SILENCE_GRACE_S,
        )
        self._program = self._running.enter_context(program)
        return program

    def _listen(self, program: StressProgram) -> Iterator[StressOutcome]:
        """The outcomes of one program's rounds, until the campaign stops or the program hangs or ends."""
        while not (stopped := self._stop_reason(program)):
            try:
                made = program.next(self.budget.deadline)
            except SilenceError:
                yield self._silent(program)
                return
            self._clock = program.clock
            if made is None:
                if self.budget.remaining() == 0:
                    continue
                yield self._died(program)
                return
            if made.state == "stuck":
                outcome = self._stuck(program, made)
                if outcome is not None:
                    yield outcome
                return
            self._halted_at = time.monotonic() if made.state == "halted" else None
            outcome = self._halted(made) if made.state == "halted" else self._decide(made)
            if outcome is not None:
                yield outcome
            self.report_progress()
        self.stopped = stopped

    def _stop_reason(self, program: StressProgram) -> str:
        """The reason to judge no further round; empty if there is none."""
        now = time.monotonic()
        if self.budget.remaining() == 0:
            return "the budget ended"
        iterations = self.subject.iterations
        if iterations is not None and self.judge.runs >= iterations:
            return "all requested runs are done"
        most = self.budget.max_memory
        if most is not None and now - self._memory_polled > _MEMORY_POLL_INTERVAL_S:
            self._memory_polled = now
            if resident_memory() + program.memory() > most:
                return "the memory budget ran out"
        return ""

    def _decide(self, made: StressRound) -> StressOutcome | None:
        return self.judge.decide(self._history(made), pairs=made.pairs)

    def _halted(self, made: StressRound) -> StressOutcome | None:
        """Judge an unfinished round. Unless it is wrong it does not count, since the program sends it again."""
        history = self._history(made)
        verdict = check(history, self.spec, budget=self.budget.remaining(), jobs=1)
        return self.judge.decide(history, pairs=made.pairs) if verdict.status is Status.VIOLATION else None

    def _history(self, made: StressRound) -> History:
        return parse_operations(made.lines, self.name)

    def _stuck(self, program: StressProgram, made: StressRound) -> StressOutcome | None:
        """Judge a round that hangs: its results may be wrong, or the spec may allow it to block."""
        for _ in program.drain():
            pass
        history = self._history(made)
        open_ = {op.process: str(op) for op in history if op.outcome is Outcome.UNKNOWN}
        stuck = tuple(
            HungThread(thread, open_.get(thread), (), running=running)
            for thread, running in sorted(program.threads.items())
        )
        return self.judge.decide(history, stuck, pairs=made.pairs)

    def _silent(self, program: StressProgram) -> StressOutcome:
        """The outcome of a program that hangs outside of operations."""
        program.end()
        silence_s = self.subject.config.patience + _SILENCE_GRACE_S
        why = f"the program did not respond for {silence_s:g} s: it hangs while creating or destroying the object"
        return StressOutcome(Status.VIOLATION, why, "deadlock")

    def _with_cause(self, program: StressProgram, outcome: StressOutcome) -> StressOutcome:
        """Replace a wrong history with the report of a sanitizer, if one follows.

        Memory errors also cause wrong results, perhaps before the sanitizer notices them. The program continues for a
        while; its further rounds do not count.
        """
        if not self.subject.sanitized or outcome.history is None or outcome.stuck:
            return outcome
        until = time.monotonic() + _REPORT_WAIT_S
        until = until if self.budget.deadline is None else min(until, self.budget.deadline)
        with suppress(SilenceError):
            while program.next(until) is not None:
                pass
        if not program.reports():
            return outcome
        reported = self._died(program)
        return reported if reported.kind in REPORT_KINDS else outcome

    def _died(self, program: StressProgram) -> StressOutcome:
        """The outcome of a program that ended by itself, which a correct one never does."""
        program.wait(_SILENCE_GRACE_S)
        code, stderr = program.end()
        text = stderr.decode("utf-8", "replace").rstrip()
        doing = self._inside(program)
        how = summary_of_report(text) or _ending_text(code)
        run = max((each.round for _, each in doing), default=0) + 1
        why = f"in run {run}: {how}" if doing else f"{how}, while creating or destroying the object"
        inside = ", ".join(f"process {at} in {self._request.calls[each.call or 0]}" for at, each in doing)
        report = "\n".join([*([f"Running at that time: {inside}."] if inside else []), *shortened_report(text)])
        return StressOutcome(Status.VIOLATION, why, kind_of_report(text), report=report)

    def _inside(self, program: StressProgram) -> list[tuple[int, ThreadActivity]]:
        """The threads that were executing calls when the program ended."""
        threads = self._request.threads
        return [(at % threads, each) for at, each in enumerate(program.activities()) if each.call is not None]


def _ending_text(code: int | None) -> str:
    if code is None:
        return "the program stopped responding"
    if code < 0:
        return f"the program was terminated by {signal.Signals(-code).name}"
    return f"the program exited with code {code}"
