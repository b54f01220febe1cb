# SPDX-License-Identifier: Apache-2.0
"""Counterexamples of models: certified by the history checkers, replayed, and inspected state by state."""

from __future__ import annotations

import dataclasses
import math

import pytest

import linpoint
from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.histories.operation import Outcome
from linpoint.options.commands.refine import RefineOptions
from linpoint.refine.certify_refusal import certify_refusal
from linpoint.refine.counterexample import ModelRun
from linpoint.refine.frontend import compile_model
from linpoint.refine.model_loading import load_model
from linpoint.refine.refinement_task import RefinementTask, find_spec
from linpoint.refine.state_search import prepare
from linpoint.refine.state_view import memory_of, process_position
from linpoint.subjects.model.finding_builder import failure_of_token
from linpoint.subjects.model.subject import ModelSubject
from linpoint.traces.trace import StepKind
from linpoint.traces.trace_operations import operations_of
from tests.explain.checked_models import KINDS, ZOO, result


def asked(file, name, **options) -> RefinementTask:
    model = load_model(str(file), name)
    found = RefinementTask(compile_model(model), find_spec(model), RefineOptions(**options))
    return found.replayable(str(file), name)


def test_a_run_that_the_spec_allows_is_not_certified_as_rejected() -> None:
    trace = result("array-queue").findings[0].trace
    certify_refusal(trace, linpoint.specs.queue(capacity=1))
    last = dataclasses.replace(trace.steps[-1], value=1)
    allowed = dataclasses.replace(trace, steps=(*trace.steps[:-1], last))
    with pytest.raises(linpoint.CertificateError, match="LP-V001"):
        certify_refusal(allowed, linpoint.specs.queue(capacity=1))


def test_the_operations_of_a_trace_match_its_calls_and_returns() -> None:
    trace = result("late-link").findings[0].trace
    told = [(op.process, str(op), op.outcome) for op in operations_of(trace)]
    assert told == [
        (0, "push(1)", Outcome.OK),
        (0, "push(2) -> ?", Outcome.UNKNOWN),
        (1, "pop() -> 2", Outcome.OK),
        (1, "pop()", Outcome.OK),
    ]


@pytest.mark.parametrize("name", ["Lost", "Deadlock", "Asserting", "Raising", "Endless"])
def test_the_run_of_a_finding_can_be_replayed(name: str) -> None:
    question = asked(KINDS, name)
    subject = ModelSubject(question)
    (finding,) = run_campaign(subject, math.inf).findings
    again = replay_finding(subject, failure_of_token(finding.replay), math.inf, changed=False)
    assert again.why == "the run of the token fails again"
    assert again.findings[0].trace == finding.trace
    assert again.findings[0].steps == finding.steps


def test_a_state_shows_only_reachable_memory() -> None:
    question = asked(ZOO / "treiber.py", "Treiber")
    run = ModelRun.begin(prepare(question.program, question.run_config(), question.spec))
    assert memory_of(run.places, run.state) == [("top", None)]
    push = next(step for step in run.choices() if step.process == 0)
    run.take(push)
    assert memory_of(run.places, run.state) == [("top", None), ("Node#1.value", 1), ("Node#1.next", None)]
    where = process_position(run.places, run.calls, run.state, 0)
    assert dict(where.variables)["node"] == "Node#1"
    assert run.assembly.program.source[where.line - 1].strip() == "if self.top.cas(top, node):"
    assert process_position(run.places, run.calls, run.state, 1).line == 0


def test_stores_stay_in_the_buffer_until_they_are_drained() -> None:
    question = asked(ZOO / "peterson.py", "Peterson", memory_model="tso")
    run = ModelRun.begin(prepare(question.program, question.run_config(), question.spec))
    run.take(next(step for step in run.choices() if step.process == 0))
    assert process_position(run.places, run.calls, run.state, 0).waiting == (("wants[0]", True),)
    assert dict(memory_of(run.places, run.state))["wants[0]"] is False
    drain = run.choices()[0]
    run.take(drain)
    assert run.trace[-1].kind is StepKind.DRAIN
    assert process_position(run.places, run.calls, run.state, 0).waiting == ()
    assert dict(memory_of(run.places, run.state))["wants[0]"] is True
    assert run.steps[-1].changes == (("wants[0]", False, True),)


class Barging(linpoint.Model):
    """A lock that is tested first and acquired afterwards."""

    spec = linpoint.specs.mutex
    held = linpoint.atomic(False)

    @linpoint.operation
    def acquire(self):
        linpoint.assume(not self.held.load())
        self.held.store(True)


def test_a_mutex_is_free_or_held() -> None:
    finding = linpoint.check_model(Barging, processes=2, operations=1).findings[0]
    states = {each.state for step in finding.steps for each in step.survivors}
    assert states <= {"free", "held"}
    assert "held" in states
