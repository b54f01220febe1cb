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
from typing import Any

from linpoint.scenarios.concurrent_test import ConcurrentTest, ConcurrentTestDefinition
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts.finding import TestResult

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
    """Run scenarios of an object under every schedule, and judge each against its spec.

    ``subject`` is a ``ConcurrentTest``; or a class or function that makes a fresh object, and then ``calls`` says what can
    be done with it: each operation with the values of its arguments. All other settings are those of a test, and come
    before its own. ``scenario`` is run alone, instead of all others; ``replay`` is the token of a finding, whose schedule is
    run alone. ``budget`` is a time, ``"10s"`` or seconds, by default 30 s.
    """
    from linpoint.subjects.python_object.calling import run_call  # noqa: PLC0415 - only who tests is to wait for the explorer

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
    return run_call(subject, calls, given, scenario=scenario, budget=budget, seed=seed, replay=replay)


test.__test__ = False  # type: ignore[attr-defined]  # for pytest, which would collect it where it is imported
