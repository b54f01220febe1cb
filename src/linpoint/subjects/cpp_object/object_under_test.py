# SPDX-License-Identifier: Apache-2.0
"""A built C++ file with tests, and one of its tests with the scenarios to run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.test_host import TestHost
from linpoint.scenarios.cpp_test_description import CppObjectTest, object_tests, scenario_text
from linpoint.scenarios.scenario import Scenario
from linpoint.scenarios.scenario_generation import ScenarioStream, scenarios
from linpoint.targets.build_error import BuildError
from linpoint.targets.target_builder import Target


@dataclass(frozen=True, slots=True)
class BuiltCppTests:
    """A built C++ file with tests. ``file`` is the path as the user wrote it."""

    file: str
    host: Path
    target: Target
    config: HostConfig

    def tests(self, seconds: float) -> dict[str, CppObjectTest]:
        """The tests of the file; listing them ignores the memory limit."""
        host = TestHost(self.host, self.target.library, replace(self.config, max_memory=None))
        search = host.describe(seconds)
        if search.interrupted:
            raise KeyboardInterrupt
        if search.described is None or not search.described["tests"]:
            why = next((each.reason for each in search.results.values()), search.died)
            why = why or "there is no LINPOINT_TEST in it"
            raise BuildError(
                "LP-T016",
                f"the file has no tests: {why}.",
                place=self.file,
                remedy="Include <linpoint/test.hpp> and add LINPOINT_TEST(Type, method, ...).",
            )
        return object_tests(search.described, self.file)


@dataclass(frozen=True, slots=True)
class CppObject:
    """One test of a built file, its scenarios, and how the host runs them."""

    program: BuiltCppTests
    test: CppObjectTest
    seed: int = 0
    scenarios: tuple[Scenario, ...] = ()
    """The only scenarios to run; empty to generate them."""
    threads: int | None = None
    operations: int | None = None
    fences: tuple[int, ...] = ()
    """Offsets of stores in the target; the host adds a fence after each."""
    token: Mapping[str, Any] = field(default_factory=dict)
    """The content of the replay token, without the scenario, its schedule and the kind of the finding."""

    @property
    def name(self) -> str:
        """The name of the test."""
        return self.test.definition.name

    @property
    def model(self) -> str:
        """The memory model."""
        return self.program.config.memory_model

    @property
    def host(self) -> TestHost:
        """The host with the built file."""
        return TestHost(self.program.host, self.program.target.library, self.program.config)

    @property
    def host_options(self) -> tuple[str, ...]:
        """Host options that only this test needs."""
        return ("--fences", ",".join(map(str, self.fences))) if self.fences else ()

    def under(self, model: str) -> CppObject:
        """The same test under another memory model."""
        program = replace(self.program, config=replace(self.program.config, memory_model=model))
        return replace(self, program=program)

    def text(self, scenario: Scenario) -> str:
        """A scenario of this test in the format of the host."""
        return scenario_text(self.name, scenario)

    def generated(self) -> ScenarioStream | None:
        """The generated scenarios within the bounds; None if the scenarios are given."""
        if self.scenarios:
            return None
        return scenarios(self.test.definition, seed=self.seed, threads=self.threads, operations=self.operations)

    def cast(self, stream: ScenarioStream | None) -> Iterator[Scenario]:
        """The given scenarios, or those of the stream, threads ordered as the roles allow, without repeats."""
        if stream is None:
            yield from map(self.test.accept, self.scenarios)
            return
        seen = set()
        for scenario in stream:
            cast = self.test.cast(scenario)
            if cast is not None and cast not in seen:
                seen.add(cast)
                yield cast
