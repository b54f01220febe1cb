# SPDX-License-Identifier: Apache-2.0
"""Does a model refine its spec? The answer, with what was covered, and the shortest run that shows a violation.

Linearizability is refinement (Liu et al., FM 2009, theorem 1): every history of calls and returns must be one of the spec in
which operations take effect at once, between their call and their return. With marked points (theorem 2) far fewer states
have to be told apart; if that fails nothing is known, and the full check is made. Partial-order reduction may lengthen the
way to a violation, so the shortest one is then looked for without it, up to the length that is known.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from linpoint.api.check_model import check_model
from linpoint.errors import ModelError, UsageError
from linpoint.executors.thread_executor import peak_memory
from linpoint.histories.values import show
from linpoint.refine._native_refine import StopReason
from linpoint.refine.certify_refusal import certify_refusal
from linpoint.refine.counterexample import ModelRun, NoSuchRunError, StepInfo
from linpoint.refine.model_faults import ASSERTION_FAULT, ENDLESS_LOOP_FAULT, FAULTS
from linpoint.refine.program_analysis import reachable
from linpoint.refine.program_ir import CompiledModel, OpCode
from linpoint.refine.progress_properties import search_for_progress
from linpoint.refine.refinement_task import RefinementTask
from linpoint.refine.spec_numbering import NumberedSpec
from linpoint.refine.state_layout import LayoutSizes, ModelRunConfig
from linpoint.refine.state_search import SearchEnding, StateSearch, StateSearchLimits, prepare, search
from linpoint.refine.state_view import memory_of
from linpoint.specs.spec import Spec
from linpoint.traces.trace import TraceFailure
from linpoint.verdicts.model import ModelExplored, ModelFinding, ModelResult
from linpoint.verdicts.program import Answer

__all__ = ["check_model", "choices_of", "layout_of", "make_finding", "refine", "take_again"]


_DEADLOCK: Final = 2
"""As the native core says it."""


def refine(asked: RefinementTask, limits: StateSearchLimits) -> ModelResult:
    """The answer for what was asked, within limits."""
    manner = asked.manner()
    if asked.progress is not None:
        return _progress(asked, limits)
    if manner.points:
        _check_points(asked.program, asked.spec)
        found = search(asked.program, manner, asked.spec, limits)
        if found.ending is not SearchEnding.VIOLATION:
            return _result(asked, found, ["by the linearization points that are marked in it"])
        manner = replace(manner, points=False)
        note = ["its linearization points do not show it, so all were tried"]
    else:
        note = []
    found = search(asked.program, manner, asked.spec, limits)
    return (
        _result(asked, found, note)
        if found.ending is not SearchEnding.VIOLATION
        else _violation(asked, found, limits, note)
    )


def _progress(asked: RefinementTask, limits: StateSearchLimits) -> ModelResult:
    """The answer to a question of progress."""
    found, finding = search_for_progress(asked, limits)
    if finding is None and found.ending is SearchEnding.VIOLATION:
        return _violation(asked, found, limits, [])
    fair = f" in every run that is {asked.fairness}ly fair" if asked.fairness != "none" else ""
    words = {"returns": f"every call returns{fair}"}.get(str(asked.progress), f"it is {asked.progress}")
    result = _result(asked, found, [words] if found.ending is SearchEnding.HOLDS else [])
    if finding is None:
        return result
    return replace(result, answer=Answer.VIOLATION, exhaustive=False, why=finding.message, findings=(finding,))


def _check_points(program: CompiledModel, spec: Spec | CompiledModel | None) -> None:
    if isinstance(spec, CompiledModel):
        raise UsageError(
            "LP-U001", "--points needs a sequential spec, and this one is a model.", remedy="Leave out --points."
        )
    if not any(each.code is OpCode.POINT for each in program.code):
        raise ModelError(
            "LP-M019",
            f"{program.name} marks no linearization point.",
            place=f"{program.file}:{program.line}",
            remedy="Write linpoint.point() behind the step where an operation takes effect, or leave out --points.",
        )


def _result(asked: RefinementTask, found: StateSearch, notes: list[str]) -> ModelResult:
    """The answer of a search that found nothing wrong."""
    holds = found.ending is SearchEnding.HOLDS
    why, remedy = _covered(found), ""
    if not holds:
        why, remedy = _stopped(found)
    elif found.assembly.manner.compact and found.reached is not None:
        odds = found.reached.states**2 / 2.0**65
        notes = [*notes, f"the odds that a state was missed are {odds:.1g}"]
    return ModelResult(
        asked.program.name,
        Answer.HOLDS if holds else Answer.UNKNOWN,
        holds,
        "; ".join([why, *notes]),
        (),
        explored(found),
        bounds(found),
        asked.program.file,
        asked.spec.name if asked.spec else "",
        remedy,
        _vacuous(found) if holds else (),
        interrupted=found.interrupted,
    )


def _vacuous(found: StateSearch) -> tuple[str, ...]:
    """A word on operations of which nothing was seen, since they returned in no run."""
    if found.reached is None:
        return ()
    program, returned = found.assembly.program, set(found.reached.returns)
    called = dict.fromkeys(call.operation.name for call in found.assembly.calls)
    never = [
        each.name
        for each in program.operations
        if each.name in called and returned.isdisjoint(reachable(program, each.entry))
    ]
    return tuple(f"{name} returned in no run, so that this says nothing of it" for name in never)


def _covered(found: StateSearch) -> str:
    manner = found.assembly.manner
    each = f"{manner.operations} operations each" if manner.operations else "any number of operations"
    return f"every run of {manner.count} processes with {each} was covered"


def _stopped(found: StateSearch) -> tuple[str, str]:
    """Why a search did not come to its end, and what to do about it."""
    if found.bound:
        remedy = "Bound what the model makes, or use fewer operations: a model whose states have no end has no answer."
        return f"a bound was hit: {found.bound}", remedy
    if found.interrupted:
        return "it was interrupted", "Run it again, with --budget if it is to end by itself."
    smaller = "Use fewer processes or operations, or smaller domains"
    if found.assembly.manner.operations == 0:
        smaller = "Any number of operations needs states that are bounded: see that no value grows for ever. " + smaller
    if found.stopped is StopReason.MEMORY:
        return "there was no memory left", f"{smaller}; --points or a larger --max-memory help too."
    return "the budget ended", f"{smaller}, or a larger --budget."


def explored(found: StateSearch) -> ModelExplored:
    """What a search has covered."""
    reached = found.reached
    if reached is None:
        return ModelExplored(found.search.states, 0, found.search.depth, found.seconds, peak_memory())
    each = reached.memory / reached.states if reached.states else 0.0
    return ModelExplored(
        reached.states, reached.transitions, reached.depth, found.seconds, peak_memory(), each, reached.sets
    )


def bounds(found: StateSearch) -> dict[str, Any]:
    """What limits what was covered."""
    manner = found.assembly.manner
    roles = {role: count for role, count in manner.processes if role is not None}
    return {
        "processes": manner.count,
        **({"roles": roles} if roles else {}),
        "operations": manner.operations,
        "memory_model": manner.memory_model,
        **({"heap": manner.heap} if found.assembly.program.classes else {}),
        **({"without": sorted(manner.without)} if manner.without else {}),
    }


def _violation(asked: RefinementTask, found: StateSearch, limits: StateSearchLimits, notes: list[str]) -> ModelResult:
    """The answer for a violation, with the shortest run that there is."""
    statistics, where = explored(found), bounds(found)
    shortest = True
    manner = found.assembly.manner
    if found.reached is not None and all(each.wrong == _DEADLOCK for each in found.reached.violations):
        # Whoever waits at its first step has not called with fusion, so that the run would not show it.
        plain = replace(manner, without=manner.without | {"por", "fusion"}, compact=False)
        again = search(asked.program, plain, asked.spec, limits)
        shortest = again.ending is SearchEnding.VIOLATION
        found = again if shortest else found
    elif manner.uses("por") or not manner.uses("fusion") or not manner.uses("local") or manner.compact:
        length = found.reached.depth if found.reached else 0
        # The length of a run is that with all unseen steps left out, so that it is the same whatever is switched off.
        without = (manner.without | {"por"}) - {"fusion", "local"}
        counted = replace(manner, without=without, compact=False)
        again = search(asked.program, counted, asked.spec, limits, most_depth=length, room=found.assembly.room)
        shortest = again.ending is SearchEnding.VIOLATION
        found = again if shortest else found
    return ModelResult(
        asked.program.name,
        Answer.VIOLATION,
        False,
        "; ".join(["a run goes wrong", *notes]),
        (make_finding(found, found.search.shortest_run(), asked.replay, shortest=shortest),),
        statistics,
        where,
        asked.program.file,
        asked.spec.name if asked.spec else "",
        interrupted=found.interrupted,
    )


def make_finding(
    found: StateSearch, choices: Sequence[tuple[int, int]], replay: Mapping[str, Any] | None, *, shortest: bool = True
) -> ModelFinding:
    """The finding that a run shows."""
    run = ModelRun.begin(found)
    memory = tuple(memory_of(run.places, run.state))
    run.follow(choices)
    if run.last is None and run.choices():
        raise NoSuchRunError
    kind, message, refused = _wrong(run)
    allowed = tuple(run.results_allowed(run.set_before_return, run.last.process)) if refused and run.last else ()
    place = len(run.trace) - 1
    trace = run.finish(TraceFailure(kind, place if run.last is not None and place >= 0 else None, message))
    ran = [
        step.process for step in run.steps if any(event.kind.value != "drain" for event in run.trace[step.first :][:1])
    ]
    switches = sum(one != other for one, other in itertools.pairwise(ran))
    if refused and isinstance(found.spec, NumberedSpec):
        certify_refusal(trace, found.spec.spec)
    content = {} if replay is None else {**replay, "finding": kind, **_taken(found, choices)}
    steps = tuple(run.steps)
    return ModelFinding(kind, message, trace, steps, switches, shortest, refused, content, allowed, memory)


def _taken(found: StateSearch, choices: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """How a run was taken: its choices mean something only in the same layout and with the same reductions."""
    room, manner = found.assembly.room, found.assembly.manner
    return {
        "run": [list(each) for each in choices],
        "room": [list(room.nodes), room.slot_bytes, room.stores],
        "left_out": sorted(manner.without),
    }


def layout_of(asked: RefinementTask, content: Mapping[str, Any]) -> tuple[ModelRunConfig, LayoutSizes]:
    """How the run of a replay token was taken."""
    nodes, slot_bytes, stores = content["room"]
    manner = replace(asked.manner(), points=False, without=frozenset(content["left_out"]))
    return manner, LayoutSizes(tuple(nodes), slot_bytes, stores)


def choices_of(content: Mapping[str, Any]) -> list[tuple[int, int]]:
    """The choices of the run of a replay token."""
    return [(process, choice) for process, choice in content["run"]]


def take_again(asked: RefinementTask, content: Mapping[str, Any]) -> ModelResult | None:
    """The answer that a replay token shows, from its run alone; None if there is no such run any more."""
    manner, room = layout_of(asked, content)
    if len(room.nodes) != len(asked.program.classes):
        return None
    ready = prepare(asked.program, manner, asked.spec, room)
    try:
        found = make_finding(ready, choices_of(content), asked.replay)
    except NoSuchRunError:
        return None
    if found.kind != content["finding"]:
        return None
    where = {name: value for name, value in bounds(ready).items() if name != "without"}
    where |= {"without": sorted(asked.without)} if asked.without else {}
    return ModelResult(
        asked.program.name,
        Answer.VIOLATION,
        False,
        "the run of the token goes wrong again",
        (found,),
        ModelExplored(depth=found.length, peak_memory_bytes=peak_memory()),
        where,
        asked.program.file,
        asked.spec.name if asked.spec else "",
    )


def _wrong(run: ModelRun) -> tuple[str, str, str]:
    """The kind of what goes wrong at the end of a run, in a sentence, and why the spec refuses it."""
    last = run.last
    if last is None:
        stuck = ", ".join(run.name_of(process) for process in sorted(run.calls)) or "every process"
        return "deadlock", f"nobody can go on: {stuck} cannot return", ""
    who = run.name_of(last.process)
    if last.told == StepInfo.FAULT:
        code = run.assembly.program.code[last.instruction]
        where = f"{run.assembly.program.file}:{code.line}"
        kind = (
            "assertion"
            if last.number == ASSERTION_FAULT
            else "livelock"
            if last.number == ENDLESS_LOOP_FAULT
            else "exception"
        )
        return kind, f"{where}: {FAULTS[last.number]} ({who})", ""
    returned = run.trace[-1]
    number = run.called_last[last.process]
    call = run.searched.spec.operations[number] if run.searched.spec else ""
    allowed = run.results_allowed(run.set_before_return, last.process)
    result = show(returned.value)
    options = ", ".join(show(each) for each in allowed)
    reason = f"the spec allows only {options}" if allowed else "the spec does not let it take effect"
    message = f"{call} of {who} returned {result}, but no order of the operations explains that"
    return "linearizability", message, f"{call} returned {result}; {reason} here."
