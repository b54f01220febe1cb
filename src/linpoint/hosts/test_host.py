# SPDX-License-Identifier: Apache-2.0
"""The host with a test: given many scenarios at once, it tells every history as soon as it is seen.

Guarantee: as for programs (``watching``): whatever the host or the test in it does, there is an answer, and no process is
left behind.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from linpoint.explore.cpp.running import Manner
from linpoint.explore.cpp.watching import GRACE, Watch, watch_all
from linpoint.hosts.search_messages import SearchResult, result_of

_LOST: Final = "its process was ended by signal {}"


class ScenarioHistory(msgspec.Struct, frozen=True):
    """What operations did in runs that a schedule stands for."""

    scenario: int
    results: list[list[Any]]
    """Of each operation, in the order of the scenario: its result, or nothing if it has not come back."""
    called: list[bool]
    orders: list[list[int]]
    """Orders in real time: for each operation of the threads its call, twice its number, and its return, one more."""
    schedule: list[tuple[int, int]]
    preemptions: int = 0
    schedules: int = 0
    """That were run by then."""
    stuck: str = ""
    """The kind of finding if nobody could go on."""


@dataclass(slots=True)
class HostReply:
    """What the host said of many scenarios."""

    results: dict[int, SearchResult] = field(default_factory=dict)
    described: Any = None
    died: str = ""
    """Why there is no more of it."""
    peak_memory_bytes: int = 0
    interrupted: bool = False


class Enough(Exception):  # noqa: N818 - no error
    """Nothing more needs to be heard."""


@dataclass(slots=True)
class Listening:
    """Who is told what: each may say that it is enough."""

    history: Callable[[ScenarioHistory], None] = lambda _: None
    result: Callable[[int, SearchResult], None] = lambda _number, _result: None
    progress: Callable[[int, int], None] = lambda _scenario, _schedules: None


class _TestWatch(Watch):
    """A host that says many results; it is over when it is silent."""

    heard: HostReply
    listening: Listening
    enough: bool = False

    @property
    def over(self) -> bool:
        return self._silent or self.enough or bool(self._stopped)

    @property
    def unfinished(self) -> bool:
        return False

    @property
    def _ends_by_itself(self) -> bool:
        """Not if it is in the middle of something that nobody wants to know any more."""
        return not self.enough and super()._ends_by_itself

    def _hear(self, line: bytes) -> None:
        if self.enough:
            return
        message = msgspec.json.decode(line)
        try:
            self._understand(message)
        except Enough:
            self.enough = True

    def _understand(self, message: dict[str, Any]) -> None:
        if "history" in message:
            self.listening.history(msgspec.convert(message["history"], ScenarioHistory))
        elif "progress" in message:
            self.listening.progress(message["progress"]["scenario"], message["progress"]["schedules"])
        elif "result" in message:
            self._conclude(int(message["result"]["scenario"]), result_of(message["result"]))
        elif "lost" in message:
            reason = _LOST.format(message["lost"]["signal"])
            self._conclude(int(message["lost"]["scenario"]), SearchResult("lost", reason=reason))
        elif "described" in message:
            self.heard.described = message["described"]

    def _conclude(self, number: int, result: SearchResult) -> None:
        self.heard.results[number] = result
        self.listening.result(number, result)

    def stopped(self) -> str:
        return self._stopped


@dataclass(frozen=True, slots=True)
class TestHost:
    """A host and a target that has tests."""

    __test__ = False

    path: Path
    target: Path
    manner: Manner

    def describe(self, seconds: float) -> HostReply:
        """What tests there are."""
        return self.run((), "dpor", seconds=seconds)

    def run(
        self,
        scenarios: Sequence[str],
        search: str,
        *,
        seconds: float,
        listening: Listening | None = None,
        seed: int = 0,
        trace: bool = False,
        more: Sequence[str] = (),
    ) -> HostReply:
        """Explore all scenarios by one search, in so many seconds together; several at once if there are workers."""
        heard = HostReply()
        workers = self.manner.workers if len(scenarios) > 1 else 1
        words = [str(self.path), str(self.target), *self.manner.words(workers), "--search", search, *more]
        words += ["--seed", str(seed), "--seconds", f"{seconds:.3f}", "--workers", str(workers), *["--trace"] * trace]
        with ExitStack() as stack:
            file = os.memfd_create("linpoint")
            stack.callback(os.close, file)
            os.write(file, b"".join(each.encode() + b"\0" for each in scenarios))
            os.lseek(file, 0, os.SEEK_SET)
            try:
                watch = _TestWatch(
                    [*words, "--scenarios", str(file)], (), [file], seconds + GRACE + 1, self.manner.max_memory
                )
            except OSError as error:
                heard.died = f"the host cannot be started: {error.strerror}"
                return heard
            stack.callback(watch.end)
            watch.heard, watch.listening = heard, listening or Listening()
            try:
                watch_all([watch], lambda: None, lambda: None)
            except KeyboardInterrupt:
                heard.interrupted = True
                return heard
            outcome = watch.outcome()
            heard.peak_memory_bytes = outcome.peak_memory_bytes
            missing = not watch.enough and len(heard.results) < len(scenarios)
            heard.died = watch.stopped() or (outcome.died if missing and outcome.by_itself else "")
        return heard
