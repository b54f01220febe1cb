# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint test``: objects in Python and C++, under chosen schedules or on real threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linpoint.options.choices import LINEARIZABILITY, METHODS, OUTCOMES, SANITIZERS
from linpoint.options.commands.shared_options import (
    CPP_SOURCE,
    BuildOptions,
    LimitOptions,
    OutputOptions,
    backend_option,
    granularity_option,
    races_option,
    reuse_option,
)
from linpoint.options.option_types import CallsText, OnOff, ScenarioText, SpecName, WholeNumber, Words, choice
from linpoint.options.rules import Conflicts, OnlyFor, Requires, Rule
from linpoint.options.schema import CONFIG, Panel, Surface, argument, option
from linpoint.scenarios.scenario import Scenario
from linpoint.traces.trace import MEMORY_MODELS

_SCENARIO_GROUP = "scenario"
_ONLY_CPP = ("races", "memory_model", "reuse", "method", "progress", "compiler", "workers", "flags")
_NOT_STRESSED = ("races", "memory_model", "reuse", "method", "progress", "workers")
_PYTEST = Surface.PYTEST


@dataclass(frozen=True, kw_only=True)
class TestOptions(BuildOptions, LimitOptions, OutputOptions):
    """How tests of objects are run."""

    __test__: ClassVar[bool] = False  # pytest would collect a class of this name wherever it is imported
    rules: ClassVar[tuple[Rule, ...]] = (
        Requires(("before", "after"), "scenario", 'Add --scenario "..." with the threads.'),
        Requires(("instances", "erratic"), "stress"),
        Requires(("sanitizer",), "stress"),
        Conflicts("stress", ("report",), "Leave out --report, or use --json."),
        OnlyFor("cpp", _ONLY_CPP, "tests of C++ objects"),
        OnlyFor("cpp", ("sanitizer",), "tests of C++ objects"),
    )
    description: ClassVar[str] = """\
Run scenarios of an object under every schedule, and check each run against its spec.

It builds and runs the code of FILE with your rights, with the compiler and the flags that comments `// linpoint:` of the
file and pyproject.toml name: read them before you test a repository that you do not know.

Exit code: 0 no violation, 1 violation, 2 bad input, 3 unknown; over several tests the worst.

Examples:
  linpoint test cache_test.py
  linpoint test cache_test.py:TestCache --threads 3 --budget 2m
  linpoint test cache_test.py:TestCache --scenario 'put("a", 1) | get("a")'
  linpoint test stack_test.cpp --spec stack --memory-model tso -- -O2
  linpoint test cache_test.py --stress --erratic --budget 30s
  linpoint test stack_test.cpp --spec stack --stress -- -O3
  linpoint test tests/*_test.py --report tests.html --junit tests.xml --github
"""

    targets: tuple[str, ...] = argument(
        "FILE[:TEST]...", Words(), "Python or C++ files of tests; a single test with :TEST.", default=()
    )
    stress: bool = option(
        False, OnOff(), "Run on real threads in real time instead of under chosen schedules.", Panel.INPUT
    )
    spec: str | None = option(
        None, SpecName(), "Test against this spec instead of the test's own.", Panel.INPUT, on=CPP_SOURCE, short="-s"
    )
    scenario: str | None = option(
        None,
        ScenarioText(),
        'Run only this scenario: "push(1); pop() | push(2)"; separate operations with ; and threads with |.',
        Panel.INPUT,
        on=Surface.COMMENT,
        group=_SCENARIO_GROUP,
    )
    before: str = option(
        "",
        CallsText(),
        "With --scenario: operations that run before it, on one thread.",
        Panel.INPUT,
        on=Surface.COMMENT,
        group=_SCENARIO_GROUP,
    )
    after: str = option(
        "",
        CallsText(),
        "With --scenario: operations that run after it, on one thread.",
        Panel.INPUT,
        on=Surface.COMMENT,
        group=_SCENARIO_GROUP,
    )
    threads: int | None = option(
        None,
        WholeNumber(),
        "Maximum number of threads.",
        Panel.SEARCH,
        on=CONFIG | Surface.COMMENT | _PYTEST,
        default_text="that of the test",
    )
    operations: int | None = option(
        None,
        WholeNumber(),
        "Maximum number of operations per thread.",
        Panel.SEARCH,
        on=CONFIG | Surface.COMMENT | _PYTEST,
        default_text="that of the test",
    )
    seed: int = option(
        0,
        WholeNumber(minimum=None),
        "Seed of the scenarios that are generated.",
        Panel.SEARCH,
        on=CONFIG | Surface.COMMENT | _PYTEST,
    )
    granularity: str = granularity_option()
    backend: str = backend_option()
    memory_model: str = option(
        "sc", choice(MEMORY_MODELS), "sc, tso (as x86) or pso.", Panel.CPP, on=CPP_SOURCE | Surface.HOST
    )
    races: str = races_option(CPP_SOURCE)
    reuse: bool = reuse_option(CPP_SOURCE)
    method: str = option(
        LINEARIZABILITY,
        choice(METHODS),
        "linearizability (against a spec) or outcomes (against those of atomic operations).",
        Panel.CPP,
        on=CPP_SOURCE,
    )
    progress: bool = option(
        False,
        OnOff(),
        "Check also whether a stopped thread can keep other operations from finishing.",
        Panel.CPP,
        on=CONFIG | Surface.COMMENT,
    )
    workers: int | None = option(
        None,
        WholeNumber(minimum=1),
        "Number of scenarios to run in parallel.",
        Panel.CPP,
        on=CONFIG | Surface.COMMENT,
        default_text="all processors",
    )
    instances: int = option(
        1, WholeNumber(), "With --stress: number of objects under test at the same time.", Panel.STRESS, on=CONFIG
    )
    erratic: bool = option(
        False, OnOff(), "With --stress: disturb the scheduling by random short delays.", Panel.STRESS, on=CONFIG
    )
    sanitizer: str | None = option(
        None, choice(SANITIZERS), "With --stress, C++: thread, address or undefined.", Panel.STRESS, on=CONFIG
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.fixed_scenario  # a mistake in one of its parts is refused here

    @property
    def fixed_scenario(self) -> Scenario | None:
        """The only scenario to run, if one is given."""
        return None if self.scenario is None else Scenario.parse(self.scenario, self.before, self.after)

    @property
    def compares_outcomes(self) -> bool:
        """Whether outcomes are compared, which needs no spec."""
        return self.method == OUTCOMES

    def check_stress_cpp(self) -> None:
        """Refuse options that do not go with stress tests of C++ objects."""
        Conflicts("stress", _NOT_STRESSED, "Leave it out.").check(self._given_options())
