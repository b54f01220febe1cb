# SPDX-License-Identifier: Apache-2.0
"""Do the operations of a model come to an end? Properties of runs that go on for ever.

Guarantee: a property holds only if all states were found and every one of them was looked at. There is no fusion, no
symmetry and no partial-order reduction here: they keep verdicts of safety, not of progress. Cost: the states, and about
ten bytes for each step between them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from linpoint.refine.counterexample import ModelRun
from linpoint.refine.refinement_task import FAIRNESS, PROPERTIES, RefinementTask
from linpoint.refine.state_search import SearchEnding, StateSearch, StateSearchLimits, search
from linpoint.traces.trace import TraceFailure
from linpoint.verdicts.model import ModelFinding

_REDUCING: Final = frozenset(("fusion", "symmetry", "por"))
_SAYS: Final = {
    "lock-free": "no operation ever returns in a run that goes on for ever, so it is not lock-free",
    "obstruction-free": "{} goes on for ever though it is alone, so it is not obstruction-free",
    "returns": "the operation of {} never returns",
}
_WAITS: Final = {
    "lock-free": "{} has to wait for another process, so it is not lock-free",
    "obstruction-free": "{} has to wait though it is alone, so it is not obstruction-free",
    "returns": "the operation of {} never returns: nobody can go on",
}


def search_for_progress(asked: RefinementTask, limits: StateSearchLimits) -> tuple[StateSearch, ModelFinding | None]:
    """All states of a model without a spec, and a run that breaks the property that was asked for, if there is one.

    A run that is wrong for another reason ends the search: that is in what was searched.
    """
    manner = replace(asked.manner(), points=False)
    if asked.progress == "deadlock-free":
        return search(asked.program, manner, None, limits), None
    manner = replace(manner, without=manner.without | _REDUCING, compact=False)
    found = search(asked.program, manner, None, replace(limits, jobs=1))
    if found.ending is not SearchEnding.HOLDS:
        return found, None
    number = PROPERTIES.index(str(asked.progress)) - 1
    is_found, waits, process, stem, choices = found.search.lasso(number, FAIRNESS.index(asked.fairness))
    if not is_found:
        return found, None
    run = ModelRun.begin(found)
    run.follow(choices)
    words = (_WAITS if waits else _SAYS)[str(asked.progress)]
    message = words.format(run.name_of(process))
    if not waits:
        again = len(choices) - stem
        message += f"; the last {'step' if again == 1 else f'{again:,} steps'} can be taken again and again"
    first = run.steps[stem].first if not waits and stem < len(run.steps) else len(run.trace) - 1
    failure = TraceFailure("progress", max(first, 0) if run.trace else None, message)
    content = {} if asked.replay is None else dict(asked.replay)
    return found, ModelFinding("progress", message, run.finish(failure), tuple(run.steps), 0, replay=content)
