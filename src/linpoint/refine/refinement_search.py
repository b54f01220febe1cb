# SPDX-License-Identifier: Apache-2.0
"""The state searches that decide whether a model refines its spec.

Linearizability is refinement (Liu et al., FM 2009, theorem 1): every history of calls and returns must be a history of
the spec, in which operations take effect atomically between their call and their return. With marked points (theorem 2)
there are far fewer states to distinguish. A violation found that way proves nothing, so the full search follows.
Partial-order reduction may lengthen the path to a violation, so a search without it then finds the shortest path, up to
the known length.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from linpoint.errors import ModelError, UsageError
from linpoint.refine.program_ir import CompiledModel, OpCode
from linpoint.refine.refinement_task import RefinementTask
from linpoint.refine.state_layout import LayoutSizes, ModelRunConfig
from linpoint.refine.state_search import UNLIMITED_STATES, StateSearch, StateSearchLimits, search
from linpoint.specs.spec import Spec

_DEADLOCK: Final = 2
"""The number of a deadlock in the native core."""


@dataclass(frozen=True, slots=True)
class ShortestRunSearch:
    """The configuration of a search for the shortest run of a violation, if the first run found may be longer."""

    config: ModelRunConfig
    max_depth: int = UNLIMITED_STATES
    room: LayoutSizes | None = None


def search_refinement(task: RefinementTask, limits: StateSearchLimits) -> StateSearch:
    """Search all states for a run that the spec rejects; operations take effect anywhere between call and return."""
    return search(task.program, replace(task.run_config(), points=False), task.spec, limits)


def search_by_points(task: RefinementTask, limits: StateSearchLimits) -> StateSearch:
    """The same, with operations that take effect at the points marked in the model."""
    _require_points(task.program, task.spec)
    return search(task.program, task.run_config(), task.spec, limits)


def _require_points(program: CompiledModel, spec: Spec | CompiledModel | None) -> None:
    if isinstance(spec, CompiledModel):
        raise UsageError("LP-U001", "--points requires a sequential spec, not a model.", remedy="Omit --points.")
    if not any(each.code is OpCode.POINT for each in program.code):
        raise ModelError(
            "LP-M019",
            f"{program.name} marks no linearization point.",
            place=f"{program.file}:{program.line}",
            remedy="Write linpoint.point() after the step where an operation takes effect, or omit --points.",
        )


def shortest_run_search(found: StateSearch) -> ShortestRunSearch | None:
    """The search for the shortest run of a violation; None if the run found is already the shortest."""
    config = found.assembly.manner
    if found.reached is not None and all(each.wrong == _DEADLOCK for each in found.reached.violations):
        # With fusion, a process that waits at its first step has not called yet, so the run would not show it.
        plain = replace(config, without=config.without | {"por", "fusion"}, compact=False)
        return None if plain == config else ShortestRunSearch(plain)
    if config.uses("por") or not config.uses("fusion") or not config.uses("local") or config.compact:
        length = found.reached.depth if found.reached else 0
        # Invisible steps do not count towards the length of a run, so it does not depend on the reductions.
        without = (config.without | {"por"}) - {"fusion", "local"}
        return ShortestRunSearch(replace(config, without=without, compact=False), length, found.assembly.room)
    return None


def search_shortest_run(task: RefinementTask, further: ShortestRunSearch, limits: StateSearchLimits) -> StateSearch:
    """Search for the shortest run."""
    return search(task.program, further.config, task.spec, limits, most_depth=further.max_depth, room=further.room)
