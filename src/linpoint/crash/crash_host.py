# SPDX-License-Identifier: Apache-2.0
"""Hosts that test crashes: several hosts share a plan, and each asks whether results that are new to it are allowed.

Guarantee: the caller always gets a ``CrashReply``, even if a host or its target dies, hangs, exhausts memory, sends
malformed messages or falls silent. No process is left behind. After Ctrl-C the reply has the facts known so far.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from linpoint.crash.crash_plan import CrashPlan
from linpoint.hosts.crash_messages import CrashTestsEnded, CrashViolation, WorkloadTraced
from linpoint.hosts.host_message import CRASH_MESSAGES, CrashMessage
from linpoint.hosts.host_process import GRACE, HostProcess, read_hosts, start_host
from linpoint.options.host_arguments import host_words

_TRACE_TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class CrashConfig:
    """The options of crash tests that do not depend on the workload."""

    persistency: str = "adr"
    pool_size: int | None = None
    persistent_heap: bool = False
    points_only: bool = False
    seed: int = 0
    workers: int = 1
    max_memory: int | None = None
    images: tuple[str, int] | None = None
    """A directory and n: hosts write the image of every n-th test there."""

    def words(self, workers: int) -> list[str]:
        """The command-line options of each host, if this number of workers share the memory."""
        images, every = self.images or (None, None)
        return host_words(
            persistency=self.persistency,
            seed=self.seed,
            pool_size=self.pool_size,
            persistent_heap=self.persistent_heap,
            points_only=self.points_only,
            images=images,
            every=every,
            # Half of the limit is for the target's allocations, the rest for the host.
            max_memory=None if self.max_memory is None else max(1, self.max_memory // 2 // workers),
        )


@dataclass(slots=True)
class CrashReply:
    """The joint replies of several hosts."""

    traced: WorkloadTraced | None = None
    described: Any = None
    violations: list[tuple[int, CrashViolation]] = field(default_factory=list)
    """The violations, each with the number of its host."""
    results: dict[int, CrashTestsEnded] = field(default_factory=dict)
    died: str = ""
    """The reason why a host has no result, or empty."""
    by_itself: bool = False
    """Whether the host died by itself."""
    peak_memory_bytes: int = 0
    interrupted: bool = False
    stopped: bool = False
    """Whether the hosts were stopped since no further result was needed."""
    seconds: float = 0.0
    reached: int = 0
    """The number of crash tests at the last progress."""


class CrashTesting:
    """Running hosts of one plan. Iterate over it in a ``with`` block, and answer each question to its host.

    Leaving the loop early, or the block, stops the hosts.
    """

    def __init__(
        self, command: Sequence[str], parts: Sequence[bytes], *, seconds: float, workers: int, max_memory: int | None
    ) -> None:
        self.reply = CrashReply()
        self._started = time.monotonic()
        self._stack = ExitStack()
        self._hosts: list[HostProcess] = []
        self._tests = [0] * workers
        self._ended = False
        limit = None if max_memory is None else max_memory // workers
        try:
            for number in range(workers):
                words = [*command, "--shard", f"{number}/{workers}"]
                host = start_host(
                    words, self._stack, seconds=seconds + GRACE + 1, max_memory=limit, request=parts, asks=True
                )
                self._hosts.append(host)
        except OSError as error:
            self._stack.close()
            self._hosts.clear()
            self.reply.died = f"the host cannot be started: {error.strerror}"

    def __enter__(self) -> Self:
        return self

    def __iter__(self) -> Iterator[tuple[int, CrashMessage]]:
        """The messages, each with the number of its host. They include only the first trace of the workload."""
        numbers = {id(host): number for number, host in enumerate(self._hosts)}
        for host, message in read_hosts(self._hosts, CRASH_MESSAGES):
            if message is None:
                continue
            number = numbers[id(host)]
            if self._note(number, host, message):
                yield number, message
        self._ended = True

    def answer(self, number: int, *, allowed: bool) -> None:
        """Answer a question of a host."""
        self._hosts[number].process.write(b"+" if allowed else b"-")

    def reject(self, number: int, error: Exception) -> None:
        """Stop a host whose question is malformed."""
        self._hosts[number].reject(error)

    def run(self) -> CrashReply:
        """Run a plan for which hosts ask no questions, and return the reply."""
        with self:
            for _ in self:
                pass
        return self.reply

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        reply = self.reply
        reply.interrupted = isinstance(error, KeyboardInterrupt)
        reply.seconds = time.monotonic() - self._started
        if self._hosts and error is None:
            self._conclude()
        self._stack.close()
        return reply.interrupted

    def _note(self, number: int, host: HostProcess, message: CrashMessage) -> bool:
        """Record a message; returns False if another host has already sent the same trace."""
        reply = self.reply
        if message.progress is not None:
            self._tests[number] = message.progress.tests
        elif message.violation is not None:
            reply.violations.append((number, message.violation))
        elif message.traced is not None:
            if reply.traced is not None:
                return False
            reply.traced = message.traced
        elif message.result is not None:
            reply.results[number] = message.result
            self._tests[number] = sum(message.result.tests.values())
            host.finish()
        elif message.described is not None:
            reply.described = message.described
        reply.reached = sum(self._tests)
        return True

    def _conclude(self) -> None:
        reply = self.reply
        reply.stopped = not self._ended
        for number, host in enumerate(self._hosts):
            if reply.stopped:
                host.kill()
            elif number not in reply.results and reply.described is None and not reply.died:
                ending = host.ending()
                reply.died, reply.by_itself = ending.died, ending.by_itself
            reply.peak_memory_bytes += host.peak_memory_bytes


@dataclass(frozen=True, slots=True)
class CrashHost:
    """A host and a target with tests of persistent objects."""

    path: Path
    target: Path
    config: CrashConfig

    def describe(self, seconds: float) -> CrashReply:
        """Describe the tests of the target."""
        return self._testing("describe", [], seconds, 1).run()

    def trace(self, plan: CrashPlan, seconds: float = _TRACE_TIMEOUT_S) -> CrashReply:
        """Run the workload once without a crash."""
        return self._testing("trace", plan.parts(), seconds, 1).run()

    def test(
        self, plan: CrashPlan, kinds: Sequence[str], seconds: float, *, workers: int = 0, expected: bytes = b""
    ) -> CrashTesting:
        """Run crash tests of these kinds; the hosts share the operations in which crashes happen."""
        return self._testing(",".join(kinds), plan.parts(expected=expected), seconds, workers or self.config.workers)

    def state(self, plan: CrashPlan, state: str, seconds: float) -> CrashTesting:
        """Test one crash state again."""
        return self._testing("state", plan.parts(state), seconds, 1)

    def _testing(self, what: str, parts: Sequence[bytes], seconds: float, workers: int) -> CrashTesting:
        words = [str(self.path), str(self.target), "--crash", what, *self.config.words(workers)]
        words += ["--seconds", f"{seconds:.3f}"]
        return CrashTesting(words, parts, seconds=seconds, workers=workers, max_memory=self.config.max_memory)
