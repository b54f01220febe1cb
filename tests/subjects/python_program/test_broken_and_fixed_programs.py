# SPDX-License-Identifier: Apache-2.0
"""Mistakes are found with as few preemptions as they need; the twins without them hold under every schedule."""

from __future__ import annotations

import pytest

from linpoint.explain.test.program_text import program_text
from linpoint.explore import _native_control as native
from linpoint.explore.programs.campaign import exploration_of, replay_program
from linpoint.explore.programs.exploring import Settings
from linpoint.verdicts.program import Answer
from tests.subjects.python_program.broken_and_fixed_programs import PAIRS, Pair
from tests.subjects.python_program.conftest import Explore

_BACKENDS = pytest.mark.parametrize("backend", ["auto", "ast"])
_BY_NAME = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)


@_BACKENDS
@_BY_NAME
def test_the_mistake_is_found(pair: Pair, explore: Explore, backend: str) -> None:
    result = explore(pair.program(broken=True), settings=Settings(budget=60, backend=backend))
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
def test_executions_are_as_many_as_classes(pair: Pair, program, backend: str) -> None:  # type: ignore[no-untyped-def]
    with exploration_of(program(pair.program(broken=False)), Settings(budget=60, backend=backend)) as exploration:
        exploration.warm_up()
        explorer = native.explore_dpor()
        while explorer.begin():
            exploration.runner.run(explorer)
    assert explorer.exhaustive
    assert explorer.runs - explorer.redundant == pair.executions


@_BY_NAME
def test_a_finding_replays(pair: Pair, explore: Explore, program) -> None:  # type: ignore[no-untyped-def]
    (finding,) = explore(pair.program(broken=True)).findings
    again = replay_program(program(pair.program(broken=True)), Settings(), finding.schedule, changed=False)
    assert again.answer is Answer.VIOLATION
    assert [(each.kind, each.message) for each in again.findings] == [(finding.kind, finding.message)]
    assert not again.warnings


def test_a_fixed_program_shows_nothing_on_replay(explore: Explore, program) -> None:  # type: ignore[no-untyped-def]
    (finding,) = explore(PAIRS[0].program(broken=True)).findings
    again = replay_program(program(PAIRS[0].program(broken=False)), Settings(), finding.schedule, changed=True)
    assert again.answer is Answer.HOLDS
    assert not again.exhaustive
    assert "has changed" in again.warnings[0]
