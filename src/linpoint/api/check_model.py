# SPDX-License-Identifier: Apache-2.0
"""``linpoint.check_model``: a model in the caller's own process, in every state that it can reach.

    linpoint.check_model(Treiber, processes=3).raise_for_violation()

Guarantee: as that of ``subjects.model``. Ctrl-C is a ``KeyboardInterrupt``, as anywhere else in Python.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from linpoint.limits.budget import Budget
from linpoint.refine.dsl import Model
from linpoint.verdicts.result import ModelResult


def check_model(
    model: type[Model],
    spec: Any = None,
    *,
    processes: int | Mapping[str, int] = 2,
    operations: int = 2,
    memory_model: str = "sc",
    heap: str = "gc",
    without: Iterable[str] = (),
    points: bool = False,
    compact: bool = False,
    progress: str | None = None,
    fairness: str = "none",
    budget: str | float | None = None,
    max_memory: str | int | None = None,
    jobs: int | None = None,
) -> ModelResult:
    """Check a model against a spec, exhaustively: every run of ``processes`` with ``operations`` each (0: any number).

    ``spec`` is a built-in's name, a spec object or ``"module:Name"``; by default the model's own. ``points`` uses the
    linearization points that the model marks. ``without`` switches reductions off: local, fusion, por, symmetry, heap.
    ``compact`` keeps only hashes of states. ``progress`` asks another question: whether the model is deadlock-free,
    lock-free, obstruction-free, or whether every call ``returns`` in runs that are fair (``fairness``: none, weak, strong).
    """
    from linpoint.campaign.driver import run_campaign  # noqa: PLC0415 - loaded by those who check models
    from linpoint.options.commands.refine import RefineOptions  # noqa: PLC0415 - as above
    from linpoint.refine.refinement_task import RefinementTask, compiled, find_spec  # noqa: PLC0415 - as above
    from linpoint.subjects.model.subject import ModelSubject  # noqa: PLC0415 - as above

    program = compiled(model)
    task = RefinementTask(
        program,
        None if progress else find_spec(model, spec),
        RefineOptions(
            spec=spec if isinstance(spec, str) and progress is None else None,
            processes=processes if isinstance(processes, int) else tuple(processes.items()),
            operations=operations,
            memory_model=memory_model,
            heap=heap,
            without=tuple(without),
            points=points and progress is None,
            compact=compact,
            progress=progress,
            fairness=fairness,
        ),
    )
    name = model.__qualname__
    if (spec is None or isinstance(spec, str)) and getattr(sys.modules.get(model.__module__), name, None) is model:
        task = task.replayable(program.file, name)
    limits = Budget.starting_now(budget, max_memory)
    seconds = limits.remaining()
    result = run_campaign(ModelSubject(task, jobs, limits.max_memory), math.inf if seconds is None else seconds)
    if result.interrupted:
        raise KeyboardInterrupt
    return result
