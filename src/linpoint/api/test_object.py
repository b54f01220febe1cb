# SPDX-License-Identifier: Apache-2.0
"""``linpoint.test``: tests an object under many schedules, in the caller's process.

    linpoint.test(TestCache).raise_for_violation()
    linpoint.test(Cache, {"get": {"key": "ab"}, "put": {"key": "ab", "value": [1, 2]}}, spec="map")

Guarantee: that of ``run_campaign``. On return the state of the interpreter is restored, including the global random
numbers. A crash of the object crashes the process, whereas ``linpoint test`` runs each test in a process of its own.
Ctrl-C raises ``KeyboardInterrupt``, as anywhere in Python.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from linpoint.errors import TestError
from linpoint.limits.budget import DEFAULT_BUDGET_S, seconds
from linpoint.scenarios.concurrent_test import (
    ConcurrentTest,
    ConcurrentTestDefinition,
    definition_of,
    definition_of_object,
)
from linpoint.scenarios.scenario import Scenario
from linpoint.scenarios.setting_validation import listed_modules, listed_scenarios
from linpoint.subjects.python_object.code_identity import ReplayedFinding, identity, replayed_finding
from linpoint.verdicts import replay_token
from linpoint.verdicts.result import TestResult

Operations = Mapping[str, Mapping[str, Any] | Callable[..., Any] | None] | Sequence[str | Callable[..., Any]]


def test(
    subject: type[ConcurrentTest] | ConcurrentTestDefinition | Callable[[], Any],
    calls: Operations | None = None,
    *,
    spec: Any = None,
    observe: Callable[[Any], Any] | None = None,
    threads: int | None = None,
    operations: int | None = None,
    before: int | None = None,
    after: int | None = None,
    scenarios: str | Scenario | Iterable[str | Scenario] | None = None,
    scenario: str | Scenario | None = None,
    instrument: Iterable[Any] | None = None,
    budget: str | float | None = None,
    seed: int = 0,
    replay: str | None = None,
) -> TestResult:
    """Explore every schedule of scenarios of an object, and check each run against the spec.

    ``subject`` is a ``ConcurrentTest`` or a definition; or a class or function that constructs a fresh object. In the
    latter case ``calls`` maps each operation to the values of its arguments. The other settings have the meaning that
    they have in a ``ConcurrentTest``, and override those of the test. ``scenario`` runs alone, instead of all others.
    ``replay`` is the token of a finding, of which only the schedule runs. ``seed`` determines the generated scenarios.

    ``budget`` is a time such as ``"10s"`` or a number of seconds, by default 30 s. If it ends before all schedules with
    up to two preemptions have run, the status is UNKNOWN. The test runs in this process. Raises ``LinpointError`` for
    bad input and ``KeyboardInterrupt`` for Ctrl-C.
    """
    given = {
        "spec": spec,
        "observe": observe,
        "threads": threads,
        "operations_per_thread": operations,
        "before": before,
        "after": after,
        "scenarios": scenarios,
        "instrument": instrument,
    }
    given = {name: value for name, value in given.items() if value is not None}
    budget_s = seconds(budget) or DEFAULT_BUDGET_S
    found = None if replay is None else replayed_finding(replay_token.decode(replay))
    definition = _definition(subject, calls, given)
    token = _identity(subject, definition, given)
    if found is not None:
        result = _replay(definition, found, budget_s, token)
    else:
        scenarios_given = () if scenario is None else (definition.accept(scenario),)
        result = _run(definition, scenarios_given, budget_s, seed, token)
    if result.interrupted:
        raise KeyboardInterrupt
    return result


test.__test__ = False  # type: ignore[attr-defined]  # for pytest, which would collect it where it is imported


def _run(
    definition: ConcurrentTestDefinition,
    scenarios: tuple[Scenario, ...],
    budget_s: float,
    seed: int,
    token: dict[str, Any],
) -> TestResult:
    from linpoint.campaign.driver import run_campaign  # noqa: PLC0415 - importing linpoint does not load the explorer
    from linpoint.subjects.python_object.subject import PythonObjectSubject  # noqa: PLC0415 - as above

    subject = PythonObjectSubject(definition=definition, seed=seed, scenarios=scenarios, token=token)
    return run_campaign(subject, budget_s)


def _replay(
    definition: ConcurrentTestDefinition, found: ReplayedFinding, budget_s: float, token: dict[str, Any]
) -> TestResult:
    from linpoint.campaign.driver import replay_finding  # noqa: PLC0415 - as above
    from linpoint.subjects.python_object.subject import PythonObjectSubject  # noqa: PLC0415 - as above

    subject = PythonObjectSubject(
        definition=definition, granularity=found.granularity, backend=found.backend, token=token
    )
    changed = bool(found.code) and found.code != token["code"]
    return replay_finding(subject, found.failure(), budget_s, changed=changed)


def _definition(subject: Any, calls: Any, given: dict[str, Any]) -> ConcurrentTestDefinition:
    """The definition of a test that is given in either form."""
    if isinstance(subject, ConcurrentTestDefinition) or _is_test(subject):
        if calls is not None:
            raise TestError(
                "LP-T013",
                f"{subject.name if isinstance(subject, ConcurrentTestDefinition) else subject.__name__} has operations of its own.",
                remedy="Omit the second argument, or pass a function that creates the object.",
            )
        own = subject if isinstance(subject, ConcurrentTestDefinition) else definition_of(subject)
        if "scenarios" in given:
            given["scenarios"] = listed_scenarios(own.name, given["scenarios"])
        if "instrument" in given:
            given["instrument"] = listed_modules(given["instrument"])
        return dataclasses.replace(own, **given)
    if calls is None:
        raise TestError(
            "LP-T013",
            f"{subject!r} is not a subclass of linpoint.ConcurrentTest.",
            remedy='Pass a subclass, or a function and its operations: linpoint.test(make, {"get": {"key": "ab"}}).',
        )
    return definition_of_object(subject, calls, **given)


def _identity(subject: Any, definition: ConcurrentTestDefinition, given: dict[str, Any]) -> dict[str, Any]:
    """The identity of the test for tokens.

    It has a file and a name only if these suffice to construct the test again.
    """
    spec = given.get("spec")
    found_again = (
        _is_test(subject)
        and "." not in subject.__qualname__
        and (definition.file or "").endswith(".py")
        and not given.keys() & {"observe", "instrument"}
        and (spec is None or isinstance(spec, str))
    )
    if not found_again:
        return identity(definition)
    file, here = Path(definition.file or ""), Path.cwd()
    shown = file.relative_to(here) if file.is_relative_to(here) else file
    return identity(definition, file=str(shown), test=definition.name, spec=spec)


def _is_test(subject: Any) -> bool:
    return isinstance(subject, type) and issubclass(subject, ConcurrentTest)
