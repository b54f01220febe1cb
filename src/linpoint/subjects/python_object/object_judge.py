# SPDX-License-Identifier: Apache-2.0
"""Judges the runs of Python tests: by a spec or by the object itself, and by the value of ``observe``.

The observation counts as an operation at the end of the history: some legal order must lead to the final state. The
expected observations come from running the object itself in that order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.control_session import MAX_RUN_STEPS, ControlSession
from linpoint.judging.scenario_run import RunEnding, ScenarioRun
from linpoint.judging.spec_judge import OBSERVE, Judgement, SpecJudge, blocked_calls
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.specs.spec import Outcomes, Spec
from linpoint.specs.spec_lookup import find
from linpoint.specs.spec_with_question import with_memory, with_question
from linpoint.subjects.python_object.scenario_runner import ScenarioRunner
from linpoint.subjects.python_object.sequential_spec import SequentialObjectSpec

_ENDLESS_RUN_FACTOR: Final = 10
"""A run at the step limit counts as endless if the default schedule needs less than the limit divided by this."""


class ObjectJudge:
    """Judges runs of one test by its spec, which may be the object itself."""

    def __init__(self, definition: ConcurrentTestDefinition, session: ControlSession) -> None:
        self._definition = definition
        self._session = session
        self._long: dict[Scenario, bool] = {}
        self._alone = SequentialObjectSpec(definition, session)
        self.by_spec = SpecJudge(self._alone.spec() if definition.spec is None else find(definition.spec))
        """Judges runs by the spec alone; ``judge`` also considers whether a run is conclusive."""
        self._itself = definition.spec is None
        self._observing: Spec | None = None

    @property
    def spec(self) -> Spec:
        """The spec by which runs are judged."""
        return self.by_spec.spec

    @property
    def histories(self) -> int:
        """The number of distinct histories that were judged."""
        return self.by_spec.histories

    def judge(self, run: ScenarioRun) -> Judgement:
        """Judge a run; it is undecided if it is not conclusive."""
        found = self.by_spec.judge(run, self._observing_spec(run))
        if found.kind is not None and self._is_doubtful(run):
            return Judgement(None, found.verdict, decided=False)
        return found

    def _is_doubtful(self, run: ScenarioRun) -> bool:
        """Whether too little is known about a run to call it wrong."""
        cut = run.ending is RunEnding.CUT and not run.goes_round
        return self._alone.guessed or run.given_up or (cut and self._takes_long(run.scenario))

    def _takes_long(self, scenario: Scenario) -> bool:
        """Whether the default schedule needs many steps too, so that a run at the step limit may only be long."""
        found = self._long.get(scenario)
        if found is None:
            explorer = native.explore_again([])
            explorer.begin()
            run = ScenarioRunner(self._definition, scenario, self._session).run(explorer)
            ended = run is not None and run.ending is not RunEnding.CUT
            found = self._long[scenario] = not ended or explorer.steps > MAX_RUN_STEPS // _ENDLESS_RUN_FACTOR
        return found

    def _observing_spec(self, run: ScenarioRun) -> Spec | None:
        """The spec for a run whose final state was observed; None for other runs."""
        if self._definition.observe is None or blocked_calls(run):
            return None
        if self._observing is None:
            self._observing = self._observed()
        return self._observing

    def _observed(self) -> Spec:
        """The spec with a final operation that observes the state."""
        spec = self.spec if self._itself else with_memory(self.spec)
        return with_question(spec, OBSERVE, self._observe())

    def _observe(self) -> Callable[..., Outcomes]:
        def observe(state: Any) -> Outcomes:
            if self._itself:
                found = self._alone.observed_after(state)
            else:
                found = self._alone.observed(tuple(Call(*each) for each in state[1]))
            return [(each, state) for each in found]

        return observe
