# SPDX-License-Identifier: Apache-2.0
"""The coverage of a state search: its figures, its bounds, and the claim that it supports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from linpoint.executors.thread_executor import peak_memory
from linpoint.refine._native_refine import StopReason
from linpoint.refine.program_analysis import reachable
from linpoint.refine.program_ir import CompiledModel
from linpoint.refine.state_layout import ModelRunConfig
from linpoint.refine.state_search import StateSearch
from linpoint.verdicts.coverage import Coverage, coverage_of


def measured_search(found: StateSearch) -> Coverage:
    """The figures and bounds of a search."""
    config = found.assembly.manner
    bounds = bounds_of(found.assembly.program, config, config.without)
    measured: dict[str, Any] = {"seconds": found.seconds, "peak_memory_bytes": peak_memory(), "bounds": bounds}
    reached = found.reached
    if reached is None:
        return coverage_of("model", states=found.search.states, depth=found.search.depth, **measured)
    return coverage_of(
        "model",
        states=reached.states,
        transitions=reached.transitions,
        depth=reached.depth,
        bytes_per_state=reached.memory / reached.states if reached.states else 0.0,
        spec_sets=reached.sets,
        **measured,
    )


def bounds_of(program: CompiledModel, config: ModelRunConfig, without: Iterable[str]) -> dict[str, Any]:
    """The limits of a search, as in the JSON contract."""
    roles = {role: count for role, count in config.processes if role is not None}
    left_out = sorted(without)
    return {
        "processes": config.count,
        **({"roles": roles} if roles else {}),
        "operations": config.operations,
        "memory_model": config.memory_model,
        **({"heap": config.heap} if program.classes else {}),
        **({"without": left_out} if left_out else {}),
    }


def covered_text(config: ModelRunConfig) -> str:
    """A sentence on the runs that an exhaustive search has covered."""
    each = f"{config.operations} operations each" if config.operations else "any number of operations"
    return f"every run of {config.count} processes with {each} was covered"


def stopped_text(found: StateSearch) -> tuple[str, str]:
    """The reason why a search stopped early, and the remedy."""
    if found.bound:
        remedy = (
            "Bound the objects that the model creates, or use fewer operations: an infinite state space has no answer."
        )
        return f"a bound was reached: {found.bound}", remedy
    if found.interrupted:
        return "the run was interrupted", "Run it again, with --budget to limit the time."
    smaller = "Use fewer processes or operations, or smaller domains"
    if found.assembly.manner.operations == 0:
        smaller = "Unbounded operations require a finite state space: make sure that no value grows forever. " + smaller
    if found.stopped is StopReason.MEMORY:
        return "the memory budget ran out", f"{smaller}, add --points, or increase --max-memory."
    return "the budget ended", f"{smaller}, or increase --budget."


def missed_state_odds(found: StateSearch) -> float | None:
    """The probability that a search which stores only hashes missed a state; None if it stores states."""
    if not found.assembly.manner.compact or found.reached is None:
        return None
    odds: float = found.reached.states**2 / 2.0**65
    return odds


def unreturned_operations(found: StateSearch) -> list[str]:
    """Operations that returned in no run, so that a pass does not cover them."""
    if found.reached is None:
        return []
    program, returned = found.assembly.program, set(found.reached.returns)
    called = dict.fromkeys(call.operation.name for call in found.assembly.calls)
    return [
        each.name
        for each in program.operations
        if each.name in called and returned.isdisjoint(reachable(program, each.entry))
    ]
