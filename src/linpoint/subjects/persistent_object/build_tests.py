# SPDX-License-Identifier: Apache-2.0
"""Builds a C or C++ file with tests of persistent objects, and reads the descriptions of its tests.

Guarantee: an unusable file or option raises a coded error before any test runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from linpoint.crash.crash_host import CrashConfig, CrashHost
from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.operation_purposes import OperationPurposes, find_purposes
from linpoint.crash.probe_generation import Probe, concurrent_reads, generated_probes
from linpoint.crash.workload_generation import read_workload
from linpoint.errors import TestError, UsageError
from linpoint.histories.values import Value
from linpoint.options.commands.crash import CrashOptions
from linpoint.scenarios.cpp_test_description import CppObjectTest, object_tests
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find
from linpoint.subjects.cpp_object.build_tests import chosen_tests
from linpoint.targets.build_error import BuildError
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from linpoint.targets.target_builder import BuildRecipe, Target, build_target

_DESCRIPTION_TIMEOUT_S: Final = 20.0
"""The time limit for the descriptions of all tests of a file."""
_MODELLED: Final = ("-lpmem", "-lpmemobj")


@dataclass(frozen=True, slots=True)
class BuiltCrashTest:
    """One test of a built file."""

    file: str
    test: CppObjectTest
    spec: Spec
    options: CrashOptions
    host: CrashHost
    target: Target
    purposes: OperationPurposes

    @property
    def name(self) -> str:
        """The name of the test."""
        return self.test.definition.name

    @property
    def sources(self) -> tuple[str, ...]:
        """All source files, with the paths that the user gave."""
        return (self.file, *self.options.sources)

    def plan(self, workload: Sequence[Call], beside: Sequence[Call] = (), *, reads: bool = False) -> CrashPlan:
        """A workload with the user's probes or generated ones; with ``reads``, also with concurrent reads."""
        probes: Sequence[Probe]
        if self.options.probes is None:
            probes = generated_probes(self.purposes, workload, beside)
        else:
            probes = [Probe(call) for call in self._given_probes(self.options.probes)]
        more = concurrent_reads(self.purposes, workload) if reads else ()
        return CrashPlan(self.name, tuple(workload), tuple(probes), tuple(beside), reads=tuple(more))

    def given(self) -> tuple[list[Call], list[Call]] | None:
        """The user's workload, and the operations that may run concurrently with it; None to generate a workload."""
        options, fixed = self.options, self.options.fixed_scenario
        if fixed is not None:
            scenario = self.test.accept(fixed)
            first, *more = scenario.threads
            return [*scenario.before, *first], [call for thread in more for call in thread]
        if options.workload is None:
            return None
        workload, beside = read_workload(options.workload)
        if not workload:
            remedy = "Add operations to it: insert(1, 2); get(1)."
            raise TestError("LP-C002", "the workload has no operations.", place=options.workload, remedy=remedy)
        return self._accepted(workload), self._accepted(beside)

    def accept(self, plan: CrashPlan) -> None:
        """Reject a plan with operations that this test does not have."""
        self._accepted(plan.calls)

    def _accepted(self, calls: Sequence[Call]) -> list[Call]:
        return list(self.test.accept(Scenario((tuple(calls),))).threads[0]) if calls else []

    def _given_probes(self, text: str) -> list[Call]:
        try:
            return self._accepted(Scenario.parse(text).calls)
        except TestError as error:
            remedy = "Write them as in: get(1); get(2)."
            raise TestError("LP-C004", f"--probes: {error.message}", place=error.place, remedy=remedy) from None


def build_crash_tests(
    file: str,
    name: str,
    options: CrashOptions,
    *,
    deadline: float | None = None,
    max_memory: int | None = None,
    report_progress: Callable[[str], None] = lambda _: None,
) -> list[BuiltCrashTest]:
    """Build the tests of a file, or only the one with that name. Raises ``OutOfTimeError`` if ``deadline`` passes."""
    if not Path(file).is_file():
        raise TestError("LP-T015", "there is no such file.", place=file, remedy="Give the path of a C++ file.")
    if options.spec is None:
        raise UsageError(
            "LP-U001",
            "a test of a persistent object requires a spec.",
            remedy="Add --spec map (`linpoint specs` lists them), or in the file: // linpoint: --spec map.",
        )
    spec = find(options.spec)
    compiler = find_compiler(options.compiler)
    path = find_host(compiler, report_progress=report_progress)
    report_progress(f"compiling {file}")
    recipe = BuildRecipe((file, *options.sources), without_pmdk(options.compiler_flags), compiler)
    target = build_target(recipe, deadline=deadline, persistent=True)
    host = CrashHost(path, target.library, config_of(options, max_memory))
    tests, given = described_tests(host, file)
    return [
        BuiltCrashTest(file, each, spec, options, host, target, find_purposes(spec, each, given[each.definition.name]))
        for each in chosen_tests(tests, name, file, spec)
    ]


def config_of(options: CrashOptions, max_memory: int | None) -> CrashConfig:
    """The configuration of the hosts."""
    return CrashConfig(
        options.persistency,
        options.pool_bytes,
        options.persistent_heap,
        options.points_only,
        options.seed,
        options.workers or os.cpu_count() or 1,
        max_memory,
    )


def without_pmdk(flags: tuple[str, ...]) -> tuple[str, ...]:
    """The flags without PMDK's libraries, whose functions the host replaces."""
    return tuple(flag for flag in flags if flag not in _MODELLED)


Given = dict[str, tuple[tuple[Value, ...], ...]]


def described_tests(host: CrashHost, file: str) -> tuple[dict[str, CppObjectTest], dict[str, Given]]:
    """The tests of a file that have a pool, and the values that the file gives for their arguments."""
    reply = host.describe(_DESCRIPTION_TIMEOUT_S)
    if reply.interrupted:
        raise KeyboardInterrupt
    described: Any = reply.described or {"tests": []}
    persistent = {each["name"] for each in described["tests"] if each.get("persistent")}
    if not persistent:
        ended = next((each.reason for each in reply.results.values() if each.reason), reply.died)
        why = ended or ("its tests have no pool" if described["tests"] else "there is no LINPOINT_CRASH_TEST in it")
        raise BuildError(
            "LP-C001",
            f"the file has no tests of persistent objects: {why}.",
            place=file,
            remedy="Include <linpoint/crash.hpp> and add LINPOINT_CRASH_TEST(Type, method, ...).",
        )
    tests = {name: test for name, test in object_tests(described, file).items() if name in persistent}
    given: dict[str, Given] = {name: {} for name in tests}
    for remark in described.get("remarks", ()):
        if remark["test"] in given and remark.get("operation") is not None:
            operation = tests[remark["test"]].definition.operations[remark["operation"]]
            given[remark["test"]][operation.name] = tuple(tuple(source) for source in operation.sources)
    return tests, given
