# SPDX-License-Identifier: Apache-2.0
"""``stress``: random operations on real threads, each run recorded and checked.

Guarantee: a violation is one of a run that took place, and was decided twice. A pass says that no run that took place was
wrong, and nothing of the others. An object that hangs is a finding; linpoint never hangs with it (see ``crew``).
Cost: a run of a few hundred operations takes about a millisecond, its check as long again. Checks alternate with runs: in
the background they would take the interpreter lock from the very threads that are to disturb each other.
Source: Lowe, *Testing for Linearizability*: workers on one datatype, a log, a decision, repeat. Of the open questions there
this has several tests at once (``instances``) and erratic scheduling (``erratic``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linpoint.errors import UsageError
from linpoint.judging.stress_judge import StressOutcome
from linpoint.limits.budget import seconds
from linpoint.record.result import StressResult
from linpoint.record.stress_workload import StressWorkload
from linpoint.scenarios import ConcurrentTestDefinition, definition_of, definition_of_object
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find
from linpoint.subjects.stress.python_subject import StressSession
from linpoint.verdicts import Budget, Status

if TYPE_CHECKING:
    from linpoint.scenarios import Scenario

Progress = Callable[[int, int], None]
"""Called with the runs and the operations so far."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is to be run, and how: the arguments of ``stress``."""

    definition: ConcurrentTestDefinition
    spec: Spec
    scenarios: tuple[Scenario, ...] | None = None
    threads: int = 4
    operations: int = 50
    iterations: int | None = None
    seed: int = 0
    instances: int = 1
    erratic: bool = False
    patience: float = 5.0

    def __post_init__(self) -> None:
        for name in ("threads", "operations", "instances", "iterations"):
            number = getattr(self, name)
            if number is not None and (type(number) is not int or number < 1):
                raise UsageError("LP-U001", f"{number!r} is not a number of {name}.", remedy="Use 1 or more.")


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
    """Run random operations of ``test`` on real threads, again and again, and check each run.

    ``test`` is a test class, a definition, or with ``calls`` a class or function that makes the object; ``calls`` maps
    each operation to the values of its arguments, ``{"put": {"key": "ab", "value": range(9)}, "clear": None}``. ``spec``
    is by default the test's. ``scenarios`` are run in turn in place of random ones. Each of ``threads`` calls so many
    ``operations`` in a run; ``instances`` runs take place at once. It ends at the first violation, with the ``budget``
    or after so many ``iterations``. ``erratic`` disturbs the scheduling. Nothing moving for as long as ``patience``
    means that the object hangs. ``progress`` is called with the runs and operations so far.
    """
    limits = budget if isinstance(budget, Budget) else Budget.starting_now(budget, None)
    definition = _definition(test, calls)
    settings = Settings(
        definition,
        find(_spec_of(definition, spec)),
        None if scenarios is None else tuple(scenarios),
        threads,
        operations,
        iterations,
        seed,
        instances,
        erratic,
        seconds(patience) or 0.0,
    )
    result, interrupted = conduct(settings, limits, progress=progress)
    if interrupted:
        raise KeyboardInterrupt
    return result


def conduct(settings: Settings, budget: Budget, *, progress: Progress | None = None) -> tuple[StressResult, bool]:
    """As ``stress``, but Ctrl-C gives a result too: what was covered until then. The bool says it was pressed."""
    workload = StressWorkload(
        settings.definition,
        settings.spec,
        settings.scenarios,
        threads=settings.threads,
        operations=settings.operations,
        seed=settings.seed,
    )
    campaign = StressSession(
        settings.definition,
        settings.spec,
        workload,
        budget,
        instances=settings.instances,
        erratic=settings.erratic,
        patience=settings.patience,
    )
    finding, interrupted = None, False
    try:
        with campaign:
            while finding is None:
                left = settings.instances if settings.iterations is None else settings.iterations - campaign.runs
                ended = campaign.over() if left > 0 else "stopped after as many as were asked for"
                if ended is not None:
                    finding = StressOutcome(Status.LINEARIZABLE if campaign.runs else Status.UNKNOWN, ended)
                    break
                finding = campaign.round(min(settings.instances, left))
                if progress is not None:
                    progress(campaign.runs, campaign.operations)
    except KeyboardInterrupt:
        interrupted = True
        passed = Status.LINEARIZABLE if campaign.runs else Status.UNKNOWN
        finding = finding or campaign.finding or StressOutcome(passed, "stopped by Ctrl-C")
    return campaign.result(finding, settings.seed), interrupted


def _definition(test: Any, calls: Mapping[str, Any] | None) -> ConcurrentTestDefinition:
    if calls is not None:
        return definition_of_object(test, calls)
    if not isinstance(test, type) and hasattr(test, "setup") and hasattr(test, "operations"):
        return test  # type: ignore[no-any-return]
    return definition_of(test)


def _spec_of(definition: ConcurrentTestDefinition, spec: Any) -> Any:
    chosen = definition.spec if spec is None else spec
    if chosen is None:
        raise UsageError(
            "LP-U001",
            f"{definition.name} has no spec.",
            remedy="Give one: spec='queue', or spec=linpoint.sequential(...) of a class that is right on one thread.",
        )
    return chosen
