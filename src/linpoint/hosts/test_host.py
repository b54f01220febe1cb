# SPDX-License-Identifier: Apache-2.0
"""A host for a target with tests: it describes the tests, and explores many scenarios of a test in one process.

Guarantee: as in ``host_process``, there is always a reply, whatever the host or its test does, and no process is left
behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.host_search import HostSearch
from linpoint.options.host_arguments import host_words


@dataclass(frozen=True, slots=True)
class TestHost:
    """A host and a target with tests."""

    __test__ = False

    path: Path
    target: Path
    config: HostConfig

    def describe(self, seconds: float) -> HostSearch:
        """The descriptions of the target's tests, in ``described`` of a finished search."""
        return self.search((), "dpor", seconds=seconds).run()

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
        """Explore all scenarios by one search within ``seconds`` in total; workers run them in parallel."""
        workers = self.config.workers if len(scenarios) > 1 else 1
        words = [str(self.path), str(self.target), *self.config.words(workers), *more]
        words += host_words(search=search, seed=seed, seconds=seconds, workers=workers, trace=trace)
        return HostSearch(words, scenarios, seconds=seconds, max_memory=self.config.max_memory)
