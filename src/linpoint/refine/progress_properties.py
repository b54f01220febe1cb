# SPDX-License-Identifier: Apache-2.0
"""Progress properties: whether the operations of a model return, in runs of infinite length.

Guarantee: a property holds only if all states were found and every one of them was examined. Fusion, symmetry and
partial-order reduction are not used here: they preserve verdicts of safety, not of progress. Cost: the states, and
about ten bytes per step between them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from linpoint.options.choices import FAIRNESS, PROGRESS_PROPERTIES
from linpoint.refine.counterexample import ModelRun
from linpoint.refine.refinement_task import RefinementTask
from linpoint.refine.state_search import SearchEnding, StateSearch, StateSearchLimits, search
from linpoint.traces.trace import TraceFailure

_REDUCING: Final = frozenset(("fusion", "symmetry", "por"))
_SAYS: Final = {
    "lock-free": "not lock-free: no operation ever returns in a run that goes on forever",
    "obstruction-free": "not obstruction-free: {} runs forever although it runs alone",
    "returns": "the operation of {} never returns",
}
_WAITS: Final = {
    "lock-free": "not lock-free: {} must wait for another process",
    "obstruction-free": "not obstruction-free: {} must wait although it runs alone",
    "returns": "the operation of {} never returns: no process can continue",
}


@dataclass(frozen=True, slots=True)
class EndlessRun:
    """A run that violates a progress property."""

    choices: tuple[tuple[int, int], ...]
    stem: int
    """The number of steps before the repeating steps."""
    waits: bool
    """Whether the process waits; otherwise the steps after the stem repeat."""
    process: int
    """The process that makes no progress."""


def search_for_progress(task: RefinementTask, limits: StateSearchLimits) -> tuple[StateSearch, EndlessRun | None]:
    """Search all states of a model without a spec, and a run that violates the progress property of the task.

    A run that fails for another reason ends the search, whose ending is then a violation.
    """
    config = replace(task.run_config(), points=False)
    if task.options.progress == "deadlock-free":
        return search(task.program, config, None, limits), None
    config = replace(config, without=config.without | _REDUCING, compact=False)
    found = search(task.program, config, None, replace(limits, jobs=1))
    if found.ending is not SearchEnding.HOLDS:
        return found, None
    number = PROGRESS_PROPERTIES.index(str(task.options.progress)) - 1
    is_found, waits, process, stem, choices = found.search.lasso(number, FAIRNESS.index(task.options.fairness))
    return found, EndlessRun(tuple(choices), stem, waits, process) if is_found else None


def follow_endless_run(found: StateSearch, endless: EndlessRun, progress: str) -> tuple[ModelRun, TraceFailure]:
    """Take the steps of a run that violates a progress property."""
    run = ModelRun.begin(found)
    run.follow(endless.choices)
    message = (_WAITS if endless.waits else _SAYS)[progress].format(run.name_of(endless.process))
    if not endless.waits:
        again = len(endless.choices) - endless.stem
        message += f"; the last {'step' if again == 1 else f'{again:,} steps'} can repeat forever"
    repeats = not endless.waits and endless.stem < len(run.steps)
    first = run.steps[endless.stem].first if repeats else len(run.trace) - 1
    return run, TraceFailure("progress", max(first, 0) if run.trace else None, message)
