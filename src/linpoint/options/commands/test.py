# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint test``: objects in Python and C++, under controlled schedules or on real threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linpoint.options.choices import LINEARIZABILITY, METHODS, OUTCOMES, SANITIZERS
from linpoint.options.commands.shared_options import (
    CPP_SOURCE,
    MEMORY_MODEL_HELP,
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
    """Options of ``linpoint test``."""

    __test__: ClassVar[bool] = False  # pytest would collect a class with this name wherever it is imported
    rules: ClassVar[tuple[Rule, ...]] = (
        Requires(("before", "after"), "scenario", 'Add --scenario "..." with the threads.'),
        Requires(("instances", "erratic"), "stress"),
        Requires(("sanitizer",), "stress"),
        Conflicts("stress", ("report",), "Omit --report, or use --json."),
        OnlyFor("cpp", _ONLY_CPP, "tests of C++ objects"),
        OnlyFor("cpp", ("sanitizer",), "tests of C++ objects"),
    )
    description: ClassVar[str] = """\
Test an object: explore every interleaving of small scenarios, fewest preemptions first, and check each run against the
spec.

linpoint builds and runs the code of FILE with your permissions. It uses the compiler and the flags that pyproject.toml
and `// linpoint:` comments in the file name. Read them before you test an unfamiliar repository.

Exit code: 0 no violation, 1 violation, 2 bad input, 3 unknown. With several tests the worst counts, in the order 2, 1,
3, 0.

Examples:
  # Run all tests of a file
  linpoint test cache_test.py
  # Increase the bounds and the time limit of one test
  linpoint test cache_test.py:TestCache --threads 3 --budget 2m
  # Run one scenario
  linpoint test cache_test.py:TestCache --scenario 'put("a", 1) | get("a")'
  # Test a C++ object under a weaker memory model
  linpoint test stack_test.cpp --spec stack --memory-model tso -- -O2
  # Stress an object on real threads
  linpoint test cache_test.py --stress --erratic --budget 30s
  # Write reports for a browser and for CI
  linpoint test tests/*_test.py --report tests.html --junit tests.xml --github
"""

    targets: tuple[str, ...] = argument(
        "FILE[:TEST]...", Words(), "Python or C++ files of tests; :TEST selects one test.", default=()
    )
    stress: bool = option(
        False,
        OnOff(),
        "Run on real threads instead of under controlled schedules; by default 4 threads of 50 operations, in C++ of "
        "100.",
        Panel.INPUT,
    )
    spec: str | None = option(
        None,
        SpecName(),
        "Spec to check against: a built-in (see `linpoint specs`), FILE.py:Name or module:Name.",
        Panel.INPUT,
        on=CPP_SOURCE,
        short="-s",
        default_text="the test's own",
    )
    scenario: str | None = option(
        None,
        ScenarioText(),
        'Run only this scenario: "push(1); pop() | push(2)". Separate operations with ; and threads with |.',
        Panel.INPUT,
        on=Surface.COMMENT,
        group=_SCENARIO_GROUP,
        default_text="the test's own and generated ones",
    )
    before: str = option(
        "",
        CallsText(),
        "With --scenario: operations that run on one thread before it.",
        Panel.INPUT,
        on=Surface.COMMENT,
        group=_SCENARIO_GROUP,
        default_text="none",
    )
    after: str = option(
        "",
        CallsText(),
        "With --scenario: operations that run on one thread after it.",
        Panel.INPUT,
        on=Surface.COMMENT,
        group=_SCENARIO_GROUP,
        default_text="none",
    )
    threads: int | None = option(
        None,
        WholeNumber(),
        "Maximum number of threads.",
        Panel.SEARCH,
        on=CONFIG | Surface.COMMENT | _PYTEST,
        default_text="the test's setting",
    )
    operations: int | None = option(
        None,
        WholeNumber(),
        "Maximum number of operations per thread.",
        Panel.SEARCH,
        on=CONFIG | Surface.COMMENT | _PYTEST,
        default_text="the test's setting",
    )
    seed: int = option(
        0,
        WholeNumber(minimum=None),
        "Seed of the generated scenarios.",
        Panel.SEARCH,
        on=CONFIG | Surface.COMMENT | _PYTEST,
    )
    granularity: str = granularity_option()
    backend: str = backend_option()
    memory_model: str = option("sc", choice(MEMORY_MODELS), MEMORY_MODEL_HELP, Panel.CPP, on=CPP_SOURCE | Surface.HOST)
    races: str = races_option(CPP_SOURCE)
    reuse: bool = reuse_option(CPP_SOURCE)
    method: str = option(
        LINEARIZABILITY,
        choice(METHODS),
        "How runs are judged. linearizability: against a spec; outcomes: against the outcomes of atomic operations.",
        Panel.CPP,
        on=CPP_SOURCE,
    )
    progress: bool = option(
        False,
        OnOff(),
        "Also check whether a stopped thread can prevent other operations from finishing.",
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
        1, WholeNumber(), "With --stress: number of objects to test concurrently.", Panel.STRESS, on=CONFIG
    )
    erratic: bool = option(False, OnOff(), "With --stress: disturb the scheduling at random.", Panel.STRESS, on=CONFIG)
    sanitizer: str | None = option(
        None,
        choice(SANITIZERS),
        "With --stress: build with the thread, address or undefined sanitizer of the compiler.",
        Panel.CPP,
        on=CONFIG,
        default_text="none",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.fixed_scenario  # reports a mistake in the scenario

    @property
    def fixed_scenario(self) -> Scenario | None:
        """The only scenario to run; None if none is given."""
        return None if self.scenario is None else Scenario.parse(self.scenario, self.before, self.after)

    @property
    def compares_outcomes(self) -> bool:
        """Whether the test compares outcomes, which needs no spec."""
        return self.method == OUTCOMES

    def check_stress_cpp(self) -> None:
        """Reject options that do not apply to stress tests of C++ objects."""
        Conflicts("stress", _NOT_STRESSED, "Omit one of them.").check(self._given_options())
