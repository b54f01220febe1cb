# SPDX-License-Identifier: Apache-2.0
"""Structures of the zoo, built and with a workload, as the command would test them on one core."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from linpoint.crash.crash_host import CrashConfig, CrashReply
from linpoint.crash.crash_oracle import CrashOracle
from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.crash_run import CrashRun, CrashRunner
from linpoint.crash.workload_generation import candidate_workloads
from linpoint.hosts.crash_messages import CrashTestsEnded, ImageSampled, WorkloadTraced
from linpoint.limits.search_limits import SearchLimits
from linpoint.options.commands.crash import CrashOptions
from linpoint.scenarios.scenario import Call
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest, build_crash_tests
from tests.crash.zoo_twins import ZOO

PATIENCE = 600.0
"""Seconds; far more than any run here takes."""
SWEEP = ("dl1", "dl2", "c2")


@dataclass(frozen=True)
class Structure:
    """A structure with a workload that was traced, and the oracle for it."""

    test: BuiltCrashTest
    run: CrashRun

    @property
    def plan(self) -> CrashPlan:
        """The workload, with its probes."""
        return self.run.plan

    @property
    def traced(self) -> WorkloadTraced:
        """The trace of the workload."""
        assert self.run.traced is not None
        return self.run.traced

    @property
    def oracle(self) -> CrashOracle:
        """Judges crashes of the workload."""
        assert self.run.oracle is not None
        return self.run.oracle

    def crashed(self, kinds: Sequence[str], *, points_only: bool = False) -> tuple[CrashTestsEnded, CrashReply]:
        """Crash tests of all operations, by one host."""
        runner = self._runner(points_only=points_only)
        reply = runner.test(self.plan, kinds, PATIENCE, known=self.oracle).finish().reply
        return _ended(reply), reply

    def sampled(
        self, kinds: Sequence[str], folder: str, every: int, told: Callable[[ImageSampled], None]
    ) -> CrashTestsEnded:
        """The same, with every ``every``-th image written to a directory."""
        host = dataclasses.replace(self.test.host, config=self._config(images=(folder, every)))
        with host.test(self.plan, kinds, PATIENCE) as testing:
            for number, message in testing:
                if message.question is not None:
                    testing.answer(number, allowed=self.oracle.allows(message.question))
                elif message.sampled is not None:
                    told(message.sampled)
        return _ended(testing.reply)

    def _config(self, *, points_only: bool = False, images: tuple[str, int] | None = None) -> CrashConfig:
        return dataclasses.replace(self.test.host.config, points_only=points_only, images=images)

    def _runner(self, *, points_only: bool) -> CrashRunner:
        host = dataclasses.replace(self.test.host, config=self._config(points_only=points_only))
        return CrashRunner(host, self.test.spec, self.test.options.condition, self.test.test.types)


@cache
def structure(file: str, spec: str, flags: tuple[str, ...], operations: int) -> Structure:
    """A structure of the zoo, with the workload that the command would generate for it."""
    with in_zoo():
        options = CrashOptions(spec=spec, flags=flags, operations=operations, workers=1)
        (test,) = build_crash_tests(file, "", options)

        def edges(calls: Sequence[Call]) -> int:
            reply = test.host.trace(CrashPlan(test.name, tuple(calls)), PATIENCE)
            return -1 if reply.traced is None else reply.traced.edges

        candidates = candidate_workloads(test.purposes, operations, 0, SearchLimits(time.monotonic() + PATIENCE))
        try:
            calls = next(candidates)
            while True:
                calls = candidates.send(edges(calls))
        except StopIteration as end:
            plan = test.plan(end.value)
        run = CrashRunner(test.host, test.spec, options.condition, test.test.types).trace(plan, PATIENCE)
    assert run.sound, f"{file} does not implement {spec}"
    return Structure(test, run)


def hash_table(operations: int, *flags: str) -> Structure:
    """The resizable hash table in C."""
    return structure("hash_table.cpp", "map", ("hash_table.c", *flags), operations)


def shifting_tree(operations: int) -> Structure:
    """The tree that shifts entries in place."""
    return structure("shifting_tree.cpp", "map", (), operations)


@contextlib.contextmanager
def in_zoo() -> Iterator[None]:
    """Resolve file names relative to the zoo's directory."""
    before = Path.cwd()
    os.chdir(ZOO)
    try:
        yield
    finally:
        os.chdir(before)


def busy() -> float:
    """Processor seconds of this process and its finished children, which other work on the machine does not affect."""
    own, ended = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime


def _ended(reply: CrashReply) -> CrashTestsEnded:
    assert reply.results, reply.died
    return reply.results[0]
