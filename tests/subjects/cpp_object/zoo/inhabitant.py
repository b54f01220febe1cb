# SPDX-License-Identifier: Apache-2.0
"""Expectations for an inhabitant of the zoo, and how it is tested."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from linpoint import Scenario, TestResult
from linpoint.campaign.driver import run_campaign
from linpoint.cli.check_request import load_spec
from linpoint.hosts.host_config import HostConfig
from linpoint.scenarios.cpp_test_description import CppObjectTest
from linpoint.scenarios.scenario_generation import scenarios as generate
from linpoint.subjects.cpp_object.object_under_test import BuiltCppTests, CppObject
from linpoint.subjects.cpp_object.subject import CppObjectSubject
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from linpoint.targets.target_builder import BuildRecipe, Target, build_target

ZOO: Final = Path(__file__).parent
MODELS: Final = ("sc", "tso")
_TO_DESCRIBE: Final = 30.0


@dataclass(frozen=True, slots=True)
class Found:
    """The kind of a finding, and the smallest scenario that shows it."""

    kind: str
    scenario: Scenario


@dataclass(frozen=True, slots=True)
class Twin:
    """A flaw, and the findings that it must cause."""

    flaw: int
    """The value of ``LINPOINT_BROKEN``."""
    found: dict[str, Found]
    """The finding under each memory model. Without a finding the twin must pass."""
    given: Scenario | None = None
    """A scenario larger than the generated ones, if the flaw needs it."""
    races: str = "stop"
    every_day: bool = False


@dataclass(frozen=True, slots=True)
class Inhabitant:
    """A structure: its test, and its broken twins."""

    file: str
    spec: str
    twins: tuple[Twin, ...]
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each memory model: the number of scenarios of two threads, and of all their schedules."""
    operations: int = 2
    """Maximum number of operations per thread."""
    only: Callable[[Scenario], bool] | None = None
    """Selects scenarios if there are too many."""
    seconds: float = 120.0
    """The budget for all scenarios."""
    frees: bool = False
    """It frees memory that other threads may still read, so it is also tested with reuse of memory."""
    every_day: bool = False
    """Cheap enough for the day lane; the others run in the long lane."""

    def test(
        self,
        model: str,
        *,
        flaw: int = 0,
        scenario: Scenario | None = None,
        races: str = "stop",
        reuse: bool = False,
        budget: float | None = None,
    ) -> TestResult:
        """The result of ``linpoint test`` for it."""
        program = BuiltCppTests(self.file, *_built(self.file, flaw), HostConfig(model, races, reuse))
        (test,) = program.tests(_TO_DESCRIBE).values()
        spec = load_spec(self.spec.replace("specs.py", str(ZOO / "specs.py")))
        if scenario is not None:
            scenarios: tuple[Scenario, ...] = (scenario,)
        else:
            scenarios = () if flaw else self._scenarios(test)
        seconds = self.seconds if budget is None else budget
        target = CppObject(program, test, scenarios=scenarios, threads=2, operations=self.operations)
        return run_campaign(CppObjectSubject(target, spec), seconds)

    def _scenarios(self, test: CppObjectTest) -> tuple[Scenario, ...]:
        """Only these scenarios; none to use generated ones."""
        if self.only is None:
            return ()
        return tuple(filter(self.only, generate(test.definition, seed=0, threads=2, operations=self.operations)))


@functools.cache
def _built(file: str, flaw: int) -> tuple[Path, Target]:
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    compiler = find_compiler("g++")
    flags = (f"-DLINPOINT_BROKEN={flaw}",) if flaw else ()
    return find_host(compiler), build_target(BuildRecipe((str(ZOO / file),), flags, compiler))
