# SPDX-License-Identifier: Apache-2.0
"""The finding of a run of a model, and the run of a replay token.

Guarantee: a run that is shown as refused by the spec was certified by the checkers of histories.
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
    """How the run of a replay token was taken: its choices mean something only in this layout, with these reductions."""

    room: LayoutSizes
    left_out: frozenset[str]

    def prepare(self, task: RefinementTask) -> StateSearch | None:
        """The model in that layout; None if it has other classes of nodes now."""
        if len(self.room.nodes) != len(task.program.classes):
            return None
        config = replace(task.run_config(), points=False, without=self.left_out)
        return prepare(task.program, config, task.spec, self.room)


def failure_of_token(content: Mapping[str, Any]) -> Failure:
    """The failure that a replay token holds; without its run it is only found by another search."""
    kind, choices = content.get("finding", ""), content.get("run")
    if choices is None:
        return Failure(kind, None, (), 0, None, lost=True)
    nodes, slot_bytes, stores = content["room"]
    run = TokenRun(LayoutSizes(tuple(nodes), slot_bytes, stores), frozenset(content["left_out"]))
    return Failure(kind, None, tuple((process, choice) for process, choice in choices), 0, run)


def finding_of_run(searched: StateSearch, choices: Schedule, replay: Mapping[str, Any] | None) -> Finding:
    """Take the steps of a run that goes wrong. Raises ``NoSuchRunError`` if the model has no such run."""
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
    """The finding of a run that breaks a property of progress; its token holds no run, so replaying it searches."""
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
    """What a replay token holds of a run."""
    room, config = searched.assembly.room, searched.assembly.manner
    return {
        "run": [list(each) for each in choices],
        "room": [list(room.nodes), room.slot_bytes, room.stores],
        "left_out": sorted(config.without),
    }
