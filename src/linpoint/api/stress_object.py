# SPDX-License-Identifier: Apache-2.0
"""``linpoint.stress``: runs random operations on real threads, and records and checks each run.

    linpoint.stress(TestCache, budget="30s").raise_for_violation()

Guarantee: that of ``subjects.stress``. An object that hangs is a finding, and linpoint does not hang with it. Ctrl-C
raises ``KeyboardInterrupt``, as anywhere in Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from linpoint.errors import UsageError
from linpoint.limits.budget import Budget
from linpoint.limits.budget import seconds as seconds_of

if TYPE_CHECKING:
    from linpoint.scenarios import ConcurrentTestDefinition, Scenario
    from linpoint.specs.spec import Spec
    from linpoint.subjects.interface import CampaignProgress
    from linpoint.verdicts.result import StressResult

Progress = Callable[[int, int], None]
"""A function that is called with the numbers of runs and operations so far."""


def stress(
    test: Any,
    *,
    calls: Mapping[str, Any] | None = None,
    spec: Spec | str | Any = None,
    scenarios: Iterable[Scenario] | None = None,
    threads: int = 4,
    operations: int = 50,
    budget: str | float | Budget | None = "30s",
    iterations: int | None = None,
    seed: int = 0,
    instances: int = 1,
    erratic: bool = False,
    patience: str | float = "5s",
    progress: Progress | None = None,
) -> StressResult:
    """Run random operations of ``test`` on real threads repeatedly, and check each run.

    ``test`` is a test class or a definition; or, with ``calls``, a class or function that constructs the object.
    ``calls`` maps each operation to the values of its arguments, ``{"put": {"key": "ab", "value": range(9)}, "clear":
    None}``. ``spec`` is by default that of the test. ``scenarios`` run in turn instead of random operations. In each
    run, each of ``threads`` threads calls ``operations`` operations; ``instances`` runs take place concurrently, each
    on an object of its own.

    The test ends at the first violation, when the ``budget`` ends (``None``: no limit), or after ``iterations`` runs.
    ``seed`` determines the calls, but not the schedule. ``erratic`` disturbs the scheduling. An object counts as hung
    if no operation begins or ends for the time ``patience``. ``progress`` is called with the numbers of runs and
    operations so far.

    Raises ``LinpointError`` for bad input and ``KeyboardInterrupt`` for Ctrl-C.
    """
    from linpoint.campaign.driver import run_campaign  # noqa: PLC0415 - importing linpoint does not load the stress tests
    from linpoint.specs.spec_lookup import find  # noqa: PLC0415 - as above
    from linpoint.subjects.stress.python_subject import PythonStressSubject  # noqa: PLC0415 - as above

    limits = budget if isinstance(budget, Budget) else Budget.starting_now(budget, None)
    definition = _definition(test, calls)
    subject = PythonStressSubject(
        definition,
        find(_chosen_spec(definition, spec)),
        None if scenarios is None else tuple(scenarios),
        threads,
        operations,
        iterations,
        seed,
        instances,
        erratic,
        seconds_of(patience) or 0.0,
        limits.max_memory,
    )

    def watch(reached: CampaignProgress) -> None:
        if progress is not None:
            progress(reached.executions, reached.operations)

    seconds = limits.remaining()
    result = run_campaign(subject, math.inf if seconds is None else seconds, watch)
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def _definition(test: Any, calls: Mapping[str, Any] | None) -> ConcurrentTestDefinition:
    from linpoint.scenarios import definition_of, definition_of_object  # noqa: PLC0415 - as above

    if calls is not None:
        return definition_of_object(test, calls)
    if not isinstance(test, type) and hasattr(test, "setup") and hasattr(test, "operations"):
        return test  # type: ignore[no-any-return]
    return definition_of(test)


def _chosen_spec(definition: ConcurrentTestDefinition, spec: Any) -> Any:
    chosen = definition.spec if spec is None else spec
    if chosen is None:
        raise UsageError(
            "LP-U001",
            f"{definition.name} has no spec.",
            remedy="Pass one: spec='queue', or spec=linpoint.sequential(...) of a class that is correct on one thread.",
        )
    return chosen
