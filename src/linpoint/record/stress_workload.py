# SPDX-License-Identifier: Apache-2.0
"""The work of the threads of a stress run: random operations and arguments, or the given scenarios in turn.

Guarantee: a run depends only on its seed, so the same seed and number give the same calls. Each run has fresh
arguments: an object that modifies a list it was given affects no other run.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from linpoint.errors import UsageError
from linpoint.histories.values import thaw
from linpoint.record.log_assembly import OperationLabel
from linpoint.specs.spec import Spec

if TYPE_CHECKING:
    from linpoint.scenarios import Call, ConcurrentTestDefinition, Scenario

_OBSERVATION: Final = "observe"

Program = tuple[tuple[int, Callable[..., Any], tuple[Any, ...]], ...]
"""The calls of one thread: for each, the number of its label, the function to call, and the arguments."""


@dataclass(frozen=True, slots=True)
class StressPlan:
    """One run: the calls of each thread, and the calls that run alone before and after."""

    threads: tuple[Program, ...]
    before: Program = ()
    after: Program = ()


class StressWorkload:
    """The plans for the runs of one test."""

    def __init__(
        self,
        definition: ConcurrentTestDefinition,
        spec: Spec,
        scenarios: Iterable[Scenario] | None,
        *,
        threads: int,
        operations: int,
        seed: int,
    ) -> None:
        if any(each.is_async for each in definition.operations.values()):
            raise UsageError(
                "LP-U001",
                f"{definition.name} has operations that are coroutines, but stress tests run threads.",
                remedy="Record them with linpoint.Recorder, or wrap each in a function that runs it to completion.",
            )
        self._definition = definition
        self._threads, self._operations, self._seed = threads, operations, seed
        self._scenarios = tuple(definition.scenarios if scenarios is None else scenarios)
        self._only_scenarios = scenarios is not None
        self.labels = [OperationLabel(name) for name in definition.operations]
        self._numbers = {name: number for number, name in enumerate(definition.operations)}
        self._choices = tuple(definition.operations.values())
        self._observation: Program = ()
        if definition.observe is not None and _OBSERVATION in spec.steps:
            self._observation = ((len(self.labels), definition.observe, ()),)
            self.labels.append(OperationLabel(_OBSERVATION))
        if self._only_scenarios and not self._scenarios:
            raise UsageError("LP-U001", "there are no scenarios to run.", remedy="Pass a scenario, or omit scenarios.")

    @property
    def most_threads(self) -> int:
        """The number of threads of the largest plan."""
        drawn = 0 if self._only_scenarios else self._threads
        return max(drawn, *(len(each.threads) for each in self._scenarios), 1)

    @property
    def most_operations(self) -> int:
        """The maximum number of operations of one thread in a plan, including those before and after."""
        drawn = self._operations + self._definition.before + self._definition.after
        given = (
            len(each.before) + len(each.after) + max(map(len, each.threads), default=0) for each in self._scenarios
        )
        return max((drawn, *given)) + len(self._observation)

    def plan(self, run: int) -> StressPlan:
        """The plan of a run: first the given scenarios, then random ones. If only scenarios run, they repeat."""
        if run < len(self._scenarios) or self._only_scenarios:
            scenario = self._scenarios[run % len(self._scenarios)]
            return StressPlan(
                tuple(map(self._program, scenario.threads)),
                self._program(scenario.before),
                (*self._program(scenario.after), *self._observation),
            )
        rng = self.rng(run)
        return StressPlan(
            tuple(self._drawn(rng, self._operations) for _ in range(self._threads)),
            self._drawn(rng, rng.randint(0, self._definition.before)),
            (*self._drawn(rng, rng.randint(0, self._definition.after)), *self._observation),
        )

    def rng(self, run: int, purpose: str = "calls") -> random.Random:
        """The random numbers of a run, a separate sequence for each purpose."""
        return random.Random(f"{self._seed}/{run}/{purpose}")  # noqa: S311 - tests, not secrets

    def _program(self, calls: Sequence[Call]) -> Program:
        return tuple(
            (self._numbers[call.operation], self._definition.operations[call.operation].call, _fresh(call.args))
            for call in calls
        )

    def _drawn(self, rng: random.Random, count: int) -> Program:
        number = rng.random
        return tuple(
            (
                self._numbers[each.name],
                each.call,
                _fresh([values[int(number() * len(values))] for values in each.sources]),
            )
            for each in rng.choices(self._choices, k=count)
        )


def _fresh(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple([thaw(value) for value in values])
