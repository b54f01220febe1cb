# SPDX-License-Identifier: Apache-2.0
"""A call of ``linpoint.test``, carried out: its definition of either form, its token, its run."""

from __future__ import annotations

from dataclasses import replace as changed
from pathlib import Path
from typing import Any

from linpoint.errors import TestError
from linpoint.limits.budget import seconds
from linpoint.scenarios.concurrent_test import (
    ConcurrentTest,
    ConcurrentTestDefinition,
    definition_of,
    definition_of_object,
)
from linpoint.scenarios.scenario import Scenario
from linpoint.scenarios.setting_validation import listed_modules, listed_scenarios
from linpoint.subjects.python_object.code_identity import ReplayedFinding, identity, replayed_finding
from linpoint.subjects.python_object.replaying import replay_test
from linpoint.subjects.python_object.settings import DEFAULT_BUDGET, Settings
from linpoint.subjects.python_object.subject import run_test
from linpoint.verdicts import replay_token
from linpoint.verdicts.finding import TestResult


def run_call(
    subject: Any,
    calls: Any,
    given: dict[str, Any],
    *,
    scenario: str | Scenario | None,
    budget: str | float | None,
    seed: int,
    replay: str | None,
) -> TestResult:
    """The result; ``given`` are the settings of the definition that the call has."""
    limit = seconds(budget) or DEFAULT_BUDGET
    found = None if replay is None else replayed_finding(replay_token.decode(replay))
    definition = _definition(subject, calls, given)
    wanted = scenario if found is None else Scenario.from_dict(found.scenario)
    settings = Settings(
        budget=limit,
        seed=seed,
        scenarios=() if wanted is None else (definition.accept(wanted),),
        replay=_identity(subject, definition, given),
    )
    result = run_test(definition, settings) if found is None else _again(definition, settings, found)
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def _definition(subject: Any, calls: Any, given: dict[str, Any]) -> ConcurrentTestDefinition:
    """The definition of what was given in either form."""
    if isinstance(subject, ConcurrentTestDefinition) or _is_test(subject):
        if calls is not None:
            raise TestError(
                "LP-T013",
                f"{subject.name if isinstance(subject, ConcurrentTestDefinition) else subject.__name__} has operations of its own.",
                remedy="Leave out the second argument, or give a function that makes the object.",
            )
        own = subject if isinstance(subject, ConcurrentTestDefinition) else definition_of(subject)
        if "scenarios" in given:
            given["scenarios"] = listed_scenarios(own.name, given["scenarios"])
        if "instrument" in given:
            given["instrument"] = listed_modules(given["instrument"])
        return changed(own, **given)
    if calls is None:
        raise TestError(
            "LP-T013",
            f"{subject!r} is not a subclass of linpoint.ConcurrentTest.",
            remedy='Derive a class from it, or say what the operations are: linpoint.test(make, {"get": {"key": "ab"}}).',
        )
    return definition_of_object(subject, calls, **given)


def _identity(subject: Any, definition: ConcurrentTestDefinition, given: dict[str, Any]) -> dict[str, Any]:
    """What a token holds of the test: its file and name only where they are all that it takes to make it again."""
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


def _again(definition: ConcurrentTestDefinition, settings: Settings, found: ReplayedFinding) -> TestResult:
    code = settings.replay["code"]
    settings = changed(settings, granularity=found.granularity, backend=found.backend)
    return replay_test(definition, settings, tuple(found.schedule), changed=bool(found.code) and found.code != code)
