# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint crash``: structures in persistent memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from linpoint.errors import TestError, UsageError
from linpoint.limits.budget import size
from linpoint.options.choices import CONDITIONS, CRASH_TEST_KINDS, PERSISTENCIES
from linpoint.options.commands.shared_options import CPP_SOURCE, BuildOptions, LimitOptions, OutputOptions
from linpoint.options.option_types import (
    CallsText,
    Choice,
    Choices,
    FilePath,
    MemorySize,
    OnOff,
    OptionType,
    ScenarioText,
    SpecName,
    WholeNumber,
    Words,
    choice,
)
from linpoint.options.rules import Exclusive, Requires, Rule
from linpoint.options.schema import CONFIG, Panel, Surface, argument, option
from linpoint.scenarios.scenario import Scenario

DEFAULT_OPERATIONS: Final = 1000
DEFAULT_EXHAUSTIVE_OPERATIONS: Final = 8
"""The default length of the workload where every crash state is tested."""
DEFAULT_KINDS: Final = ("dl1", "dl2", "c2", "dl3", "recovery")
DEFAULT_CONDITION: Final = "strict"
_MAX_THREADS: Final = 2
_WORKLOAD_GROUP: Final = "workload"
_FILE_OR_DEFAULT: Final = CONFIG | Surface.COMMENT


@dataclass(frozen=True, kw_only=True)
class CrashOptions(BuildOptions, LimitOptions, OutputOptions):
    """Options of ``linpoint crash``."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Requires(("before",), "scenario"),
        Exclusive(("operations", "scenario", "workload")),
    )
    description: ClassVar[str] = """\
Crash a persistent object at every store, recover it, and check the recovered state against the spec.

linpoint builds and runs the code of FILE with your permissions. It uses the compiler and the flags that pyproject.toml
and `// linpoint:` comments in the file name. Read them before you test an unfamiliar repository.

Exit code: 0 correct after every crash tested, 1 violation, 2 bad input, 3 unknown. With several tests the worst counts,
in the order 2, 1, 3, 0.

Examples:
  # Run all tests of a file
  linpoint crash list_test.cpp --spec map
  # Lengthen the workload; pass a flag and a source to the compiler
  linpoint crash list_test.cpp --spec map --operations 5000 --budget 2m -- -O2 list.c
  # Test every crash state of a few operations
  linpoint crash queue_test.cpp --spec queue --scenario "enqueue(1); dequeue()" --exhaustive
  # Crash while two operations run concurrently
  linpoint crash list_test.cpp --spec set --scenario "add(1) | contains(1)" --tests dl3
  # Make malloc and new persistent, and write an HTML report
  linpoint crash tree_test.cpp --spec map --persistent-heap --report tree.html
"""

    targets: tuple[str, ...] = argument(
        "FILE.cpp[:TEST]...", Words(), "C++ files of tests; :TEST selects one test.", default=()
    )
    spec: str | None = option(
        None,
        SpecName(),
        "Sequential spec the object must satisfy: a built-in (see `linpoint specs`), FILE.py:Name or module:Name.",
        Panel.INPUT,
        on=CPP_SOURCE,
        short="-s",
        default_text="the one that a comment in the file names",
    )
    operations: int | None = option(
        None,
        WholeNumber(minimum=1),
        "Number of operations in the generated workload.",
        Panel.INPUT,
        on=_FILE_OR_DEFAULT,
        group=_WORKLOAD_GROUP,
        default_text=f"{DEFAULT_OPERATIONS}; {DEFAULT_EXHAUSTIVE_OPERATIONS} with --exhaustive",
    )
    scenario: str | None = option(
        None,
        ScenarioText(),
        'Run only these operations: "insert(1, 2); get(1)". Write concurrent ones after |.',
        Panel.INPUT,
        on=Surface.COMMENT,
        group=_WORKLOAD_GROUP,
        default_text="a generated workload",
    )
    before: str = option(
        "",
        CallsText(),
        "With --scenario: operations that run before it.",
        Panel.INPUT,
        on=Surface.COMMENT,
        group=_WORKLOAD_GROUP,
        default_text="none",
    )
    workload: str | None = option(
        None,
        FilePath(),
        "File with the operations, as operation lines or as calls.",
        Panel.INPUT,
        on=Surface.COMMENT,
        group=_WORKLOAD_GROUP,
        default_text="a generated workload",
    )
    probes: str | None = option(
        None,
        OptionType(),
        "Operations to call after recovery.",
        Panel.INPUT,
        on=Surface.COMMENT,
        default_text="generated from the spec and the workload",
    )
    tests: tuple[str, ...] | None = option(
        None,
        Choices(metavar="KINDS", names=CRASH_TEST_KINDS, noun="kind", error=TestError, code="LP-C003"),
        f"Kinds of crash tests: {','.join(CRASH_TEST_KINDS)}.",
        Panel.CRASH,
        on=_FILE_OR_DEFAULT,
        default_text="all but exhaustive",
    )
    condition: str = option(
        DEFAULT_CONDITION,
        Choice(names=CONDITIONS, noun="condition", code="LP-U003"),
        f"Correctness condition: {', '.join(CONDITIONS[:-1])} or {CONDITIONS[-1]}.",
        Panel.CRASH,
        on=CPP_SOURCE,
    )
    exhaustive: bool = option(
        False,
        OnOff(),
        "Also test every crash state that recovery and probes can distinguish.",
        Panel.CRASH,
        on=_FILE_OR_DEFAULT,
    )
    points_only: bool = option(
        False,
        OnOff(),
        "Crash only at likely linearization points, as Durinn does.",
        Panel.CRASH,
        on=_FILE_OR_DEFAULT | Surface.HOST,
    )
    persistency: str = option(
        "adr",
        choice(PERSISTENCIES),
        "Persistency model. adr: caches are lost in a crash; eadr: caches survive it.",
        Panel.CPP,
        on=CPP_SOURCE | Surface.HOST,
    )
    pool_size: str | None = option(
        None,
        MemorySize(),
        "Size of the persistent memory, such as 64M.",
        Panel.CPP,
        on=CPP_SOURCE | Surface.HOST,
        default_text="the test's setting",
    )
    persistent_heap: bool = option(
        False,
        OnOff(),
        "Let malloc and new allocate persistent memory.",
        Panel.CPP,
        on=CPP_SOURCE | Surface.HOST,
    )
    seed: int = option(
        0,
        WholeNumber(minimum=None),
        "Seed of the generated workload.",
        Panel.CRASH,
        on=CPP_SOURCE | Surface.HOST,
    )
    workers: int | None = option(
        None,
        WholeNumber(minimum=1),
        "Number of processes that share the work.",
        Panel.CRASH,
        on=_FILE_OR_DEFAULT,
        default_text="all processors",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        scenario = self.fixed_scenario
        if scenario is not None and len(scenario.threads) > _MAX_THREADS:
            fact = f"--scenario has {len(scenario.threads)} threads, but crash tests support one or two."
            raise UsageError("LP-U001", fact, remedy="Remove the other threads.")

    @property
    def fixed_scenario(self) -> Scenario | None:
        """The only scenario to run; a second thread runs concurrently with the first. None if none is given."""
        return None if self.scenario is None else Scenario.parse(self.scenario, self.before)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of crash tests to run, in the order in which the host runs them."""
        chosen = DEFAULT_KINDS if self.tests is None else self.tests
        return tuple(kind for kind in CRASH_TEST_KINDS if kind in chosen or (kind == "exhaustive" and self.exhaustive))

    @property
    def length(self) -> int:
        """The number of operations in a generated workload."""
        return self.operations or (DEFAULT_EXHAUSTIVE_OPERATIONS if "exhaustive" in self.kinds else DEFAULT_OPERATIONS)

    @property
    def pool_bytes(self) -> int | None:
        """The size of the pool in bytes; None if none is given."""
        return size(self.pool_size)
