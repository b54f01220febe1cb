# SPDX-License-Identifier: Apache-2.0
"""Hosts that test crashes: several of them share a workload, and each asks us about what it has not seen before.

Guarantee: whatever a host or the target in it does (it dies, hangs, takes all memory, says nonsense, falls silent), there
is an answer, and no process is left behind. Ctrl-C ends the work with what is known.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from linpoint.crash.probe_generation import Probe
from linpoint.explore.cpp.watching import GRACE, Watch, watch_all
from linpoint.hosts.crash_messages import (
    Code,
    CrashMessage,
    CrashQuestion,
    CrashTestsEnded,
    CrashViolation,
    ImageSampled,
    WorkloadTraced,
    heard,
)
from linpoint.scenarios.scenario import Call

KINDS: Final = ("dl1", "dl2", "c2", "dl3", "exhaustive", "recovery")
"""Kinds of crash tests, as the host knows them."""
PERSISTENCIES: Final = ("adr", "eadr")
_FOR_TRACE: Final = 10.0


@dataclass(frozen=True, slots=True)
class Manner:
    """How crashes are tested, whatever the workload."""

    persistency: str = "adr"
    pool_size: int | None = None
    persistent_heap: bool = False
    points_only: bool = False
    seed: int = 0
    workers: int = 1
    max_memory: int | None = None
    images: tuple[str, int] | None = None
    """A folder, and of how many images one is written there."""

    def words(self, workers: int) -> list[str]:
        """As options of each of so many hosts."""
        words = ["--persistency", self.persistency, "--seed", str(self.seed)]
        words += [] if self.pool_size is None else ["--pool-size", str(self.pool_size)]
        words += ["--persistent-heap"] * self.persistent_heap + ["--points-only"] * self.points_only
        words += [] if self.images is None else ["--images", self.images[0], "--every", str(self.images[1])]
        # Half of it is for what the target allocates; the rest is the host's own.
        words += [] if self.max_memory is None else ["--max-memory", str(max(1, self.max_memory // 2 // workers))]
        return words


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: a test, its workload, what may run beside it, and the probes."""

    test: str
    workload: tuple[Call, ...]
    probes: tuple[Probe, ...] = ()
    beside: tuple[Call, ...] = ()
    healed: tuple[Code, ...] = ()
    """Code whose stores count as persisted at once: causes that are known already."""
    reads: tuple[Probe, ...] = ()
    """Each may run beside that operation of the workload whose number it has."""

    @property
    def calls(self) -> list[Call]:
        """All operations, by number."""
        return [*self.workload, *self.beside, *(each.call for each in (*self.probes, *self.reads))]

    @property
    def probe_numbers(self) -> list[tuple[int, int]]:
        """The number of each probe, and the operation of the workload since which it is run."""
        begin = len(self.workload) + len(self.beside)
        return [(begin + at, each.since) for at, each in enumerate(self.probes)]

    def parts(self, state: str = "", foretold: bytes = b"") -> list[bytes]:
        """As the host reads it, with a crash state, and what the results of probes must be."""
        told = "".join(f"heal {module} {offset}\n" for module, offset in self.healed) + state
        if foretold:
            return [self._text(), told.encode(), foretold]
        return [self._text(), told.encode()] if told else [self._text()]

    def _text(self) -> bytes:
        lines = [self.test, *(_line("0", call) for call in self.workload), *(_line("1", call) for call in self.beside)]
        lines += (_line(f"after@{each.since}" if each.since else "after", each.call) for each in self.probes)
        lines += (_line(f"1@{each.since}", each.call) for each in self.reads)
        return ("\n".join(lines) + "\n").encode()


def _line(where: str, call: Call) -> str:
    return f"{where} {call.operation} {msgspec.json.encode(list(call.args)).decode()}"


@dataclass(slots=True)
class Heard:
    """What hosts have said, all together."""

    traced: WorkloadTraced | None = None
    described: Any = None
    violations: list[tuple[int, CrashViolation]] = field(default_factory=list)
    """With the number of the host."""
    results: dict[int, CrashTestsEnded] = field(default_factory=dict)
    died: str = ""
    """Why one of them has no result."""
    by_itself: bool = False
    """It died without being told to."""
    peak_memory_bytes: int = 0
    interrupted: bool = False
    stopped: bool = False
    """We have stopped it, since we had heard enough."""
    seconds: float = 0.0
    reached: int = 0
    """Tests that were done when they were last heard of."""


class Enough(Exception):  # noqa: N818 - no error
    """Nothing more needs to be heard."""


@dataclass(slots=True)
class Listening:
    """Who is told what; each may say that it is enough."""

    judge: Callable[[CrashQuestion], bool] = lambda _: True
    traced: Callable[[WorkloadTraced], None] = lambda _: None
    violation: Callable[[int, CrashViolation], None] = lambda _host, _violation: None
    progress: Callable[[int], None] = lambda _tests: None
    sampled: Callable[[ImageSampled], None] = lambda _: None


class _CrashWatch(Watch):
    """One host that asks."""

    number: int
    answers: int
    heard: Heard
    listening: Listening
    ended: CrashTestsEnded | None = None
    tests: int = 0
    enough: bool = False

    @property
    def over(self) -> bool:
        return self._silent or self.ended is not None or self.enough or bool(self._stopped)

    @property
    def unfinished(self) -> bool:
        return self.enough

    @property
    def _ends_by_itself(self) -> bool:
        return not self.enough and (self.ended is not None or not self._stopped)

    @property
    def stopped(self) -> str:
        """Why it was stopped."""
        return self._stopped

    def _hear(self, line: bytes) -> None:
        if self.enough:
            return
        try:
            self._understand(heard(line))
        except Enough:
            self.enough = self.heard.stopped = True

    def _understand(self, message: CrashMessage) -> None:
        if message.judge is not None:
            answer = b"+" if self.listening.judge(message.judge) else b"-"
            try:
                os.write(self.answers, answer)
            except OSError:  # it is gone, which we will hear soon
                self._silent = True
        elif message.progress is not None:
            self.tests = message.progress.tests
        elif message.violation is not None:
            self.heard.violations.append((self.number, message.violation))
            self.listening.violation(self.number, message.violation)
        elif message.traced is not None:
            if self.heard.traced is None:
                self.heard.traced = message.traced
                self.listening.traced(message.traced)
        elif message.result is not None:
            self.ended = self.heard.results[self.number] = message.result
            self.tests = sum(message.result.tests.values())
        elif message.sampled is not None:
            self.listening.sampled(message.sampled)
        elif message.described is not None:
            self.heard.described = message.described

    def read(self) -> bool:
        """As ever; true if more tests are done."""
        before = self.tests
        super().read()
        return self.tests != before


@dataclass(frozen=True, slots=True)
class CrashHost:
    """A host and a target that has tests of persistent objects."""

    path: Path
    target: Path
    manner: Manner

    def describe(self, seconds: float) -> Heard:
        """What tests there are."""
        return self._run("describe", [], seconds, 1, Listening())

    def trace(self, plan: Plan, seconds: float = _FOR_TRACE) -> Heard:
        """The workload, run once without a crash."""
        return self._run("trace", plan.parts(), seconds, 1, Listening())

    def test(
        self,
        plan: Plan,
        kinds: Sequence[str],
        seconds: float,
        listening: Listening,
        *,
        workers: int = 0,
        foretold: bytes = b"",
    ) -> Heard:
        """Crash tests of these kinds; the hosts share the operations in which crashes happen."""
        parts = plan.parts(foretold=foretold)
        return self._run(",".join(kinds), parts, seconds, workers or self.manner.workers, listening)

    def state(self, plan: Plan, state: str, seconds: float, listening: Listening) -> Heard:
        """One crash state again."""
        return self._run("state", plan.parts(state), seconds, 1, listening)

    def _run(self, what: str, parts: Sequence[bytes], seconds: float, workers: int, listening: Listening) -> Heard:
        said = Heard()
        started = time.monotonic()
        words = [str(self.path), str(self.target), "--crash", what, *self.manner.words(workers)]
        words += ["--seconds", f"{seconds:.3f}"]
        memory = None if self.manner.max_memory is None else self.manner.max_memory // workers
        with ExitStack() as stack:
            watches: list[_CrashWatch] = []
            try:
                for number in range(workers):
                    watches.append(_started(stack, words, parts, (number, workers), seconds + GRACE + 1, memory))
                    watches[-1].number, watches[-1].heard, watches[-1].listening = number, said, listening
            except OSError as error:
                said.died = f"the host cannot be started: {error.strerror}"
                return said

            def progress() -> None:
                said.reached = sum(watch.tests for watch in watches)
                listening.progress(said.reached)

            def end() -> None:
                for watch in watches:
                    watch.enough = True

            try:
                watch_all(watches, progress, end)
            except KeyboardInterrupt:
                said.interrupted = True
            said.reached = sum(watch.tests for watch in watches)
            said.seconds = time.monotonic() - started
            if not said.interrupted:
                _conclude(said, watches, what)
        return said


def _started(
    stack: ExitStack,
    words: Sequence[str],
    parts: Sequence[bytes],
    shard: tuple[int, int],
    seconds: float,
    memory: int | None,
) -> _CrashWatch:
    """One host, with its scenarios in a file of its own and a pipe for our answers."""
    file = os.memfd_create("linpoint")
    stack.callback(os.close, file)
    os.write(file, b"".join(part + b"\0" for part in parts))
    os.lseek(file, 0, os.SEEK_SET)
    reading, writing = os.pipe()
    stack.callback(os.close, writing)
    try:
        own = ["--scenarios", str(file), "--answers", str(reading), "--shard", f"{shard[0]}/{shard[1]}"]
        watch = _CrashWatch([*words, *own], (), [file, reading], seconds, memory)
    finally:
        os.close(reading)
    watch.answers = writing
    stack.callback(watch.end)
    return watch


def _conclude(said: Heard, watches: Sequence[_CrashWatch], what: str) -> None:
    for watch in watches:
        outcome = watch.outcome()
        said.peak_memory_bytes += outcome.peak_memory_bytes
        missing = watch.ended is None and not watch.enough and not (what == "describe" and said.described is not None)
        if missing and not said.died:
            said.died = watch.stopped or outcome.died
            said.by_itself = outcome.by_itself and not watch.stopped
