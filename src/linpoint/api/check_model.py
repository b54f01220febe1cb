# SPDX-License-Identifier: Apache-2.0
"""``linpoint.check_model``: checks a model in every reachable state, in the caller's process.

    linpoint.check_model(Treiber, processes=3).raise_for_violation()

Guarantee: that of ``subjects.model``. Ctrl-C raises ``KeyboardInterrupt``, as anywhere in Python.
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
    """Check a model against a spec in every run of ``processes`` processes with ``operations`` operations each.

    ``spec`` is the name of a built-in, a spec object or ``"module:Name"``; by default the model's own spec.
    ``processes`` is a number, or a dict from roles to numbers. ``operations=0`` means any number of operations, which
    requires a finite state space. ``memory_model`` is ``"sc"`` or ``"tso"``. ``heap`` is ``"gc"``, ``"free"`` or
    ``"counted"``: nodes are never reused, reused after they are freed, or reused with counted pointers.

    ``points`` uses the linearization points that the model marks. ``without`` disables reductions: ``"local"``,
    ``"fusion"``, ``"por"``, ``"symmetry"``, ``"heap"``. ``compact`` stores only hashes of states. ``progress`` checks a
    progress property instead of the spec: ``"deadlock-free"``, ``"lock-free"``, ``"obstruction-free"``, or
    ``"returns"`` (every call returns) in runs of the ``fairness`` ``"none"``, ``"weak"`` or ``"strong"``.

    ``budget`` is a time such as ``"30s"`` or a number of seconds, ``max_memory`` a size such as ``"2G"`` or a number of
    bytes; by default neither is limited. ``jobs`` is the number of threads, by default one per processor. Raises
    ``LinpointError`` for bad input and ``KeyboardInterrupt`` for Ctrl-C.
    """
    from linpoint.campaign.driver import run_campaign  # noqa: PLC0415 - importing linpoint does not load the checker of models
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
