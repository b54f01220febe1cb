# SPDX-License-Identifier: Apache-2.0
"""``linpoint.test``: an object tested under many schedules, in the caller's own process.

    linpoint.test(TestCache).raise_for_violation()
    linpoint.test(Cache, {"get": {"key": "ab"}, "put": {"key": "ab", "value": [1, 2]}}, spec="map")

Guarantee: as that of ``run_test``; when it returns, nothing of the interpreter is changed, not the global random numbers
either. A crash of the object is a crash of the process: ``linpoint test`` runs each test in one of its own. Ctrl-C is a
``KeyboardInterrupt``, as anywhere else in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

from linpoint.errors import TestError
from linpoint.explore.testing.campaign import run_test
from linpoint.explore.testing.identity import ReplayedFinding, identity, replayed_finding
from linpoint.explore.testing.replaying import replay_test
from linpoint.explore.testing.settings import DEFAULT_BUDGET, Settings
from linpoint.scenarios.definition import ConcurrentTest, Definition, definition_of, definition_of_object
from linpoint.scenarios.scenario import Scenario
from linpoint.scenarios.settings import listed_modules, listed_scenarios
from linpoint.verdicts import tokens
from linpoint.verdicts.budget import seconds
from linpoint.verdicts.finding import TestResult

Operations = Mapping[str, Mapping[str, Any] | Callable[..., Any] | None] | Sequence[str | Callable[..., Any]]


def test(
    subject: type[ConcurrentTest] | Definition | Callable[[], Any],
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
    """Run scenarios of an object under every schedule, and judge each against its spec.

    ``subject`` is a ``ConcurrentTest``; or a class or function that makes a fresh object, and then ``calls`` says what can
    be done with it: each operation with the values of its arguments. All other settings are those of a test, and come
    before its own. ``scenario`` is run alone, instead of all others; ``replay`` is the token of a finding, whose schedule is
    run alone. ``budget`` is a time, ``"10s"`` or seconds, by default 30 s.
    """
    limit = seconds(budget) or DEFAULT_BUDGET
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
    definition = _definition(subject, calls, given)
    if scenario is not None:
        scenario = definition.accept(scenario)
    found = None if replay is None else replayed_finding(tokens.decode(replay))
    if found is not None:
        scenario = definition.accept(Scenario.from_dict(found.scenario))
    settings = Settings(
        budget=limit,
        seed=seed,
        scenarios=() if scenario is None else (scenario,),
        replay=_identity(subject, definition, given),
    )
    result = run_test(definition, settings) if found is None else _again(definition, settings, found)
    if result.interrupted:
        raise KeyboardInterrupt
    return result


test.__test__ = False  # type: ignore[attr-defined]  # for pytest, which would collect it where it is imported


def _definition(subject: Any, calls: Operations | None, given: dict[str, Any]) -> Definition:
    """The definition of what was given in either form."""
    if isinstance(subject, Definition) or (isinstance(subject, type) and issubclass(subject, ConcurrentTest)):
        if calls is not None:
            raise TestError(
                "LP-T013",
                f"{getattr(subject, '__name__', subject)} has operations of its own.",
                remedy="Leave out the second argument, or give a function that makes the object.",
            )
        own = subject if isinstance(subject, Definition) else definition_of(subject)
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


def _identity(subject: Any, definition: Definition, given: dict[str, Any]) -> dict[str, Any]:
    """What a token holds of the test: its file and name only where they are all that it takes to make it again."""
    spec = given.get("spec")
    found_again = (
        isinstance(subject, type)
        and issubclass(subject, ConcurrentTest)
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


def _again(definition: Definition, settings: Settings, found: ReplayedFinding) -> TestResult:
    code = settings.replay["code"]
    settings = changed(settings, granularity=found.granularity)
    return replay_test(definition, settings, tuple(found.schedule), changed=bool(found.code) and found.code != code)
