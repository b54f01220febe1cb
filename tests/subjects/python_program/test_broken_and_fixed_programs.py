# SPDX-License-Identifier: Apache-2.0
"""Mistakes are found with as few preemptions as they need; their correct twins hold under every schedule."""

from __future__ import annotations

import pytest

from linpoint.campaign.driver import replay_finding
from linpoint.explain.test.program_text import program_text
from linpoint.explore import _native_control as native
from linpoint.subjects.interface import Failure, no_progress
from linpoint.subjects.python_program.program import PythonProgram
from linpoint.subjects.python_program.subject import PythonProgramSubject
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result
from linpoint.verdicts.status import Answer
from tests.subjects.python_program.broken_and_fixed_programs import PAIRS, Pair
from tests.subjects.python_program.conftest import Explore

_BACKENDS = pytest.mark.parametrize("backend", ["auto", "ast"])
_BY_NAME = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)


def replayed(program: PythonProgram, finding: Finding, *, changed: bool) -> Result:
    failure = Failure(finding.kind, None, finding.schedule, 0, None)
    return replay_finding(PythonProgramSubject(program), failure, 30, changed=changed)


@_BACKENDS
@_BY_NAME
def test_the_mistake_is_found(pair: Pair, explore: Explore, backend: str) -> None:
    result = explore(pair.program(broken=True), backend=backend)
    assert result.answer is Answer.VIOLATION, program_text(result)
    (finding,) = result.findings
    assert (finding.kind, finding.preemptions, finding.minimal) == (pair.kind, pair.preemptions, True)
    assert finding.trace is not None
    assert finding.trace.failure is not None
    assert finding.trace.failure.step is not None
    assert finding.trace.threads[0].name == "MainThread"
    assert sum(step.preempts for step in finding.trace.steps) == finding.preemptions
    assert len(program_text(result).splitlines()) <= 60


@_BY_NAME
def test_the_twin_holds_exhaustively(pair: Pair, explore: Explore) -> None:
    result = explore(pair.program(broken=False))
    assert (result.answer, result.exhaustive) == (Answer.HOLDS, True), program_text(result)
    assert not result.findings


@_BACKENDS
@pytest.mark.parametrize("pair", [each for each in PAIRS if each.executions], ids=lambda pair: pair.name)
def test_the_number_of_executions_is_that_of_equivalence_classes(pair: Pair, program, backend: str) -> None:  # type: ignore[no-untyped-def]
    subject = PythonProgramSubject(program(pair.program(broken=False)), backend=backend)
    with subject.open(60, no_progress) as session:
        session.begin()
        explorer = native.explore_dpor()
        while explorer.begin():
            session.runner.run(explorer)
    assert explorer.exhaustive
    assert explorer.runs - explorer.redundant == pair.executions


@_BY_NAME
def test_a_finding_replays(pair: Pair, explore: Explore, program) -> None:  # type: ignore[no-untyped-def]
    (finding,) = explore(pair.program(broken=True)).findings
    again = replayed(program(pair.program(broken=True)), finding, changed=False)
    assert again.answer is Answer.VIOLATION
    assert [(each.kind, each.message) for each in again.findings] == [(finding.kind, finding.message)]
    assert not again.warnings


def test_a_fixed_program_passes_the_replay(explore: Explore, program) -> None:  # type: ignore[no-untyped-def]
    (finding,) = explore(PAIRS[0].program(broken=True)).findings
    again = replayed(program(PAIRS[0].program(broken=False)), finding, changed=True)
    assert again.answer is Answer.HOLDS
    assert not again.exhaustive
    assert "has changed" in again.warnings[0]
