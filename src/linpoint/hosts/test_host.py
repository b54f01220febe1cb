# SPDX-License-Identifier: Apache-2.0
"""A host and a target that has tests: it describes them, and explores many scenarios of one of them in one process.

Guarantee: as for programs (``host_process``): whatever the host or the test in it does, there is a reply, and no process is
left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.host_message import SearchMessage
from linpoint.hosts.host_search import HostSearch
from linpoint.hosts.search_messages import ScenarioHistory, SearchResult


@dataclass(slots=True)
class HostReply:
    """What came of many scenarios."""

    results: dict[int, SearchResult] = field(default_factory=dict)
    described: Any = None
    died: str = ""
    """The reason why results are missing."""
    peak_memory_bytes: int = 0
    interrupted: bool = False


class Enough(Exception):  # noqa: N818 - no error
    """No more messages are needed."""


@dataclass(slots=True)
class Listening:
    """Callbacks for messages; each may raise ``Enough``."""

    history: Callable[[ScenarioHistory], None] = lambda _: None
    result: Callable[[int, SearchResult], None] = lambda _number, _result: None
    progress: Callable[[int, int], None] = lambda _scenario, _schedules: None

    def hear(self, message: SearchMessage) -> None:
        """Pass on a message."""
        if message.history is not None:
            self.history(message.history)
        elif message.progress is not None:
            self.progress(message.progress.scenario, message.progress.schedules)
        elif message.result is not None:
            self.result(message.result.scenario, message.result)


@dataclass(frozen=True, slots=True)
class TestHost:
    """A host and a target that has tests."""

    __test__ = False

    path: Path
    target: Path
    config: HostConfig

    def describe(self, seconds: float) -> HostReply:
        """The tests of the target."""
        return self.run((), "dpor", seconds=seconds)

    def search(
        self,
        scenarios: Sequence[str],
        search: str,
        *,
        seconds: float,
        seed: int = 0,
        trace: bool = False,
        more: Sequence[str] = (),
    ) -> HostSearch:
        """Explore all scenarios by one search within that many seconds together; several at a time if there are workers."""
        workers = self.config.workers if len(scenarios) > 1 else 1
        words = [str(self.path), str(self.target), *self.config.words(workers), "--search", search, *more]
        words += ["--seed", str(seed), "--seconds", f"{seconds:.3f}", "--workers", str(workers), *["--trace"] * trace]
        return HostSearch(words, scenarios, seconds=seconds, max_memory=self.config.max_memory)

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
        """The same, with callbacks."""
        listening = listening or Listening()
        with self.search(scenarios, search, seconds=seconds, seed=seed, trace=trace, more=more) as messages:
            for message in messages:
                try:
                    listening.hear(message)
                except Enough:
                    break
        return HostReply(
            messages.results, messages.described, messages.died, messages.peak_memory_bytes, messages.interrupted
        )
