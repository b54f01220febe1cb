# SPDX-License-Identifier: Apache-2.0
"""A trace as abstract rows: steps, rules where another thread continues, and folds.

Text and HTML are rendered from the same rows, so that they show the same content. Guarantee: the rows are in the order
of the steps, and the step of the failure is among them. Cost: that of ``step_selection``.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Final

from linpoint.explain.trace.loop_folding import repeated_steps
from linpoint.explain.trace.step_selection import quiet_steps, selected_steps
from linpoint.explain.trace.step_wording import StepWording
from linpoint.histories.operation import Process
from linpoint.text.phrases import count_noun
from linpoint.traces.trace import StepKind, Trace, TraceStep

_BRACKETS: Final = {StepKind.CALL: "begin", StepKind.RETURN: "end"}
_MAX_RULES: Final = 20


@dataclass(frozen=True, slots=True)
class StepRow:
    """The row of a step."""

    position: int
    step: TraceStep
    words: str
    notes: tuple[str, ...]
    """The contents of the buffer and the caches after the step, if they have changed."""
    open_calls: tuple[int, ...]
    """For each thread the number of open operations around the row, without one that begins or ends here."""
    role: str
    """``failing``, ``related`` to the failure, or empty."""

    @property
    def bracket(self) -> str:
        """``begin`` or ``end`` of an operation, or empty."""
        return _BRACKETS.get(self.step.kind, "")


@dataclass(frozen=True, slots=True)
class SwitchRule:
    """A rule before a step at which another thread continues."""

    words: str
    preemption: bool


@dataclass(frozen=True, slots=True)
class FoldedSteps:
    """A row that stands for omitted steps."""

    words: str


Row = StepRow | SwitchRule | FoldedSteps


def rows_of(trace: Trace, wording: StepWording, *, most: int, whole: bool = False) -> list[Row]:
    """The rows of a trace, with about ``most`` of its steps, or with all of them."""
    places = {thread.id: index for index, thread in enumerate(trace.threads)}
    depths = _depths(trace, places)
    switches = trace.switches
    quiet, repeated = quiet_steps(trace), repeated_steps(trace)
    stores: dict[Process | None, object] = defaultdict(tuple)
    caches: object = ()
    rows: list[Row] = []
    expected = 0
    positions = range(len(trace.steps)) if whole else selected_steps(trace, most=most)
    # If threads alternate at every step, rules would be half of all rows without adding information.
    often = sum(position in switches for position in positions) > _MAX_RULES
    for position in positions:
        step = trace.steps[position]
        if position > expected:
            rows.append(FoldedSteps(_folded(trace, wording, range(expected, position), quiet, repeated)))
        if position in switches and (step.preempts or not often):
            rows.append(SwitchRule(_rule(wording, step, switches[position]), step.preempts))
        drained = step.kind is StepKind.DRAIN and not step.buffer  # the text of the step states it
        buffer = step.buffer != stores[step.thread] and not drained
        unpersisted = bool(step.unpersisted) and (step.kind is StepKind.CRASH or step.unpersisted != caches)
        stores[step.thread] = step.buffer
        caches = step.unpersisted or caches
        notes = tuple(wording.notes(step, buffer=buffer, unpersisted=unpersisted))
        rows.append(StepRow(position, step, wording.step(step), notes, depths[position], _role(trace, position)))
        expected = position + 1
    if expected < len(trace.steps):
        rows.append(FoldedSteps(_folded(trace, wording, range(expected, len(trace.steps)), quiet, repeated)))
    return rows


def without_idle(trace: Trace) -> Trace:
    """The trace without idle threads, which leaves more room for the others."""
    ran = {who for step in trace.steps for who in (step.thread, step.other)}
    return replace(trace, threads=tuple(thread for thread in trace.threads if thread.id in ran))


def left_in_buffers(trace: Trace) -> dict[Process, tuple[tuple[str, object], ...]]:
    """The buffer contents of each thread whose buffer is not empty at the end of the trace."""
    stores: dict[Process, tuple[tuple[str, object], ...]] = {}
    for step in trace.steps:
        if step.kind is StepKind.CRASH:
            stores.clear()
        elif step.thread is not None:
            stores[step.thread] = step.buffer
    return {thread.id: stores[thread.id] for thread in trace.threads if stores.get(thread.id)}


def _role(trace: Trace, position: int) -> str:
    if trace.failure is None or position not in trace.failure.steps:
        return ""
    return "failing" if position == trace.failure.step else "related"


def _folded(trace: Trace, wording: StepWording, gap: range, quiet: frozenset[int], repeated: frozenset[int]) -> str:
    threads = {trace.steps[position].thread for position in gap}
    who = "".join(f"{wording.thread(thread)}: " for thread in threads if thread is not None and len(threads) == 1)
    what = "not shown"
    if repeated.issuperset(gap):
        what = "that repeat the previous ones"
    elif quiet.issuperset(gap):
        what = "without effect on others"
    return f"{who}{count_noun(len(gap), 'step')} {what}"


def _rule(wording: StepWording, step: TraceStep, before: Process) -> str:
    assert step.thread is not None
    now = wording.thread(step.thread)
    return f"switch to {now}" + (f" ({wording.thread(before)} still runnable)" if step.preempts else "")


def _depths(trace: Trace, places: dict[Process, int]) -> list[tuple[int, ...]]:
    """For each step the number of open operations in each thread, without one that begins or ends there."""
    found = []
    now = [0] * len(places)
    for step in trace.steps:
        if step.kind is StepKind.CRASH:
            now = [0] * len(places)
        if step.kind is StepKind.RETURN and step.thread is not None:
            now[places[step.thread]] -= 1
        found.append(tuple(now))
        if step.kind is StepKind.CALL and step.thread is not None:
            now[places[step.thread]] += 1
    return found
