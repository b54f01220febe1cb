# SPDX-License-Identifier: Apache-2.0
"""Decides and certifies all objects of a short history in one call of the native core.

Guarantee: the verdicts, evidence and reasons are those of the deciders and searches that ``check`` would have run one
by one. Objects that these cannot decide in a first turn are left to them. Cost: about ten microseconds plus the
decision.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

from linpoint.checkers import checker_selection, portfolio, precedence_decider
from linpoint.checkers._native_decisions import Decider, Exclusion, ObjectAnswer, StopToken, decide_objects
from linpoint.checkers.certify import refuse
from linpoint.checkers.history_interpretation import step_numbers, wrong_arguments
from linpoint.checkers.monitor_decider import MONITOR, MONITOR_REASONS, exclusion_text
from linpoint.checkers.native_spec_twin import NativeTwin
from linpoint.checkers.stuck_frontier import stuck_frontier
from linpoint.errors import SpecError
from linpoint.executors.thread_executor import peak_memory
from linpoint.histories.history import History
from linpoint.limits.budget import Budget
from linpoint.specs.spec import Spec
from linpoint.verdicts import KeyVerdict, Status, Witness
from linpoint.verdicts.refutation import Pattern

_MAX_OPERATIONS: Final = 20_000
_MAX_CONFIGURATIONS: Final = 8_000
"""Maximum number of configurations, plus eight per operation. After a failed attempt, other searches visit them again.
"""
_LEAST_S: Final = 0.5
"""Minimum remaining seconds for an attempt; with less, the searches that report how far they got run immediately."""
_BYTES: Final = 32 << 20
"""Maximum memory that such a history takes."""
_SEARCHES: Final = {Decider.DEPTH_FIRST: "dfs", Decider.WING_GONG: "wing-gong", Decider.LINEAR: "linear"}


def decide_quickly(
    history: History,
    spec: Spec,
    condition: str,
    checker: str,
    budget: Budget,
    stop: StopToken,
    *,
    parallel: bool = False,
) -> list[KeyVerdict] | None:
    """The verdicts on all objects; None if this procedure does not apply. ``parallel`` allows two threads."""
    if spec.twin is None or checker != "auto" or condition != "linearizable":
        return None
    if spec.partition is not None and not spec.key_argument and spec.twin.kind != "set":
        return None  # its parts are searched one by one
    columns = history.columns
    if not 0 < len(columns.timed) <= _MAX_OPERATIONS or history.crashes or (spec.key_argument and spec.initial):
        return None
    steps = _steps(spec, tuple(columns.names))
    if steps is None:
        return None
    twin = NativeTwin.of(history, spec)
    if (
        twin is None
        or twin.kind == "multiset"
        or (budget.max_memory is not None and peak_memory() + _BYTES > budget.max_memory)
    ):
        return None
    remaining = budget.remaining()
    if remaining is not None and remaining < _LEAST_S:
        return None
    # The native steps of a map reject the same arguments.
    if steps.restricted and twin.kind != "map" and wrong_arguments(history, spec, threads=1):
        return None  # reported where each operation is validated
    answers = decide_objects(
        columns.native,
        twin.blueprint,
        steps.numbers,
        steps.arities,
        twin.content(()),
        min(_MAX_CONFIGURATIONS, portfolio.FIRST_TURN_CONFIGURATIONS) + 8 * len(columns.timed),
        stop,
        parallel,
    )
    return [_verdict(history, spec, condition, twin, each) for each in answers] or None


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of the operations with some names."""

    numbers: list[int]
    arities: list[tuple[int, int]]
    """The least and the largest number of arguments of each."""
    restricted: bool
    """Whether some step rejects some arguments."""


@functools.lru_cache(maxsize=64)
def _steps(spec: Spec, names: tuple[str, ...]) -> _Steps | None:
    """The steps of the operations of a history; None if these operations are to be validated or decided elsewhere."""
    try:
        steps = [spec.step_named(name) for name in names]
    except SpecError:
        return None
    if precedence_decider.is_memory_without_writes(spec, {step.name for step in steps}):
        return None
    arities = [(step.required, len(step.parameters)) for step in steps]
    return _Steps(step_numbers(steps), arities, any(step.complaint is not None for step in steps))


def _verdict(history: History, spec: Spec, condition: str, twin: NativeTwin, answer: ObjectAnswer) -> KeyVerdict:
    refuse(history, *answer.flaw)
    positions = answer.positions
    number = history.columns.native.object_at(positions[0], spec.key_argument)
    key = None if number < 0 else history.columns.values[number]
    if answer.by is Decider.MONITOR and not answer.linearizable:
        pattern = Pattern(answer.reason.name.lower().replace("_", "-"), tuple(answer.evidence), answer.scope)
        why = MONITOR_REASONS[twin.kind]
        return KeyVerdict(key, Status.VIOLATION, MONITOR, why, positions, refutation=pattern)
    if answer.by is Decider.MONITOR:
        return KeyVerdict(
            key, Status.LINEARIZABLE, MONITOR, MONITOR_REASONS[twin.kind], positions, Witness(answer.order)
        )
    checker = _SEARCHES[answer.by]
    why = checker_selection.FIRST_TURN_REASONS[checker]
    if answer.exclusion not in (Exclusion.NONE, Exclusion.KIND):
        why += f"; {MONITOR} not used: {exclusion_text(history, spec, answer.exclusion, answer.culprit)}"
    status = Status.LINEARIZABLE if answer.linearizable else Status.VIOLATION
    witness = Witness(answer.order) if answer.linearizable else None
    refutation = (
        None if answer.linearizable else stuck_frontier(history, positions, spec, condition, tuple(answer.order))
    )
    return KeyVerdict(key, status, checker, why, positions, witness, refutation, answer.configurations)
