# SPDX-License-Identifier: Apache-2.0
"""Builds the finding of a model's run, and reads the run of a replay token.

Guarantee: the history checkers certified each run that is reported as rejected by the spec.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from linpoint.refine.certify_refusal import certify_refusal
from linpoint.refine.counterexample import ModelRun, NoSuchRunError
from linpoint.refine.progress_properties import EndlessRun, follow_endless_run
from linpoint.refine.refinement_task import RefinementTask
from linpoint.refine.run_failure import run_failure
from linpoint.refine.spec_numbering import NumberedSpec
from linpoint.refine.state_layout import LayoutSizes
from linpoint.refine.state_search import StateSearch, prepare
from linpoint.refine.state_view import memory_of
from linpoint.subjects.interface import Failure
from linpoint.traces.trace import TraceFailure
from linpoint.verdicts.evidence import ModelEvidence
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.replay_token import ReplayToken
from linpoint.verdicts.schedule import Schedule


@dataclass(frozen=True, slots=True)
class TokenRun:
    """The state layout and the disabled reductions of a token's run; its choices are only valid with both."""

    room: LayoutSizes
    left_out: frozenset[str]

    def prepare(self, task: RefinementTask) -> StateSearch | None:
        """Prepare the model with that layout; None if the number of its node classes has changed."""
        if len(self.room.nodes) != len(task.program.classes):
            return None
        config = replace(task.run_config(), points=False, without=self.left_out)
        return prepare(task.program, config, task.spec, self.room)


def failure_of_token(content: Mapping[str, Any]) -> Failure:
    """The failure in a replay token; if the token has no run, only another search can find it."""
    kind, choices = content.get("finding", ""), content.get("run")
    if choices is None:
        return Failure(kind, None, (), 0, None, lost=True)
    nodes, slot_bytes, stores = content["room"]
    run = TokenRun(LayoutSizes(tuple(nodes), slot_bytes, stores), frozenset(content["left_out"]))
    return Failure(kind, None, tuple((process, choice) for process, choice in choices), 0, run)


def finding_of_run(searched: StateSearch, choices: Schedule, replay: Mapping[str, Any] | None) -> Finding:
    """Execute the steps of a failing run and build its finding. Raises ``NoSuchRunError`` if the model lacks it."""
    run = ModelRun.begin(searched)
    memory = tuple(memory_of(run.places, run.state))
    run.follow(choices)
    if run.last is None and run.choices():
        raise NoSuchRunError
    failure = run_failure(run)
    refused = failure.refused
    allowed = tuple(run.results_allowed(run.set_before_return, run.last.process)) if refused and run.last else ()
    place = len(run.trace) - 1
    at = place if run.last is not None and place >= 0 else None
    trace = run.finish(TraceFailure(failure.kind, at, failure.message))
    ran = [
        step.process for step in run.steps if any(event.kind.value != "drain" for event in run.trace[step.first :][:1])
    ]
    switches = sum(one != other for one, other in itertools.pairwise(ran))
    if refused and isinstance(searched.spec, NumberedSpec):
        certify_refusal(trace, searched.spec.spec)
    content = None if replay is None else {**replay, "finding": failure.kind, **_taken(searched, choices)}
    return Finding(
        kind=failure.kind,
        message=failure.message,
        evidence=ModelEvidence(tuple(run.steps), switches, refused, allowed, memory),
        trace=trace,
        replay_token=_token(content),
    )


def finding_of_endless_run(searched: StateSearch, endless: EndlessRun, task: RefinementTask) -> Finding:
    """Build the finding of a run that violates a progress property; its token has no run, so a replay searches."""
    run, failure = follow_endless_run(searched, endless, str(task.options.progress))
    return Finding(
        kind="progress",
        message=str(failure.message),
        evidence=ModelEvidence(tuple(run.steps)),
        trace=run.finish(failure),
        replay_token=_token(task.replay),
    )


def _token(content: Mapping[str, Any] | None) -> ReplayToken | None:
    return None if content is None else ReplayToken.from_dict({"kind": "refine", **content})


def _taken(searched: StateSearch, choices: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """The fields of a replay token that describe a run."""
    room, config = searched.assembly.room, searched.assembly.manner
    return {
        "run": [list(each) for each in choices],
        "room": [list(room.nodes), room.slot_bytes, room.stores],
        "left_out": sorted(config.without),
    }
