# SPDX-License-Identifier: Apache-2.0
"""A host that searches the schedules of a program: one process, or several that share the work.

Guarantee: the caller always gets a ``SearchOutcome``, whatever the host or its program does, and no process is left
behind. Ctrl-C ends the search, and the outcome has its progress.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.host_message import SEARCH_MESSAGES
from linpoint.hosts.host_process import GRACE, HostProcess, read_hosts, start_host
from linpoint.hosts.search_messages import SearchProgress, SearchResult
from linpoint.options.host_arguments import host_words

_SHARED_BYTES: Final = 16 * 2**20


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The outcome of a search: a result, or the reason in ``died``."""

    result: SearchResult | None
    reached: SearchProgress
    """The last reported progress."""
    died: str = ""
    by_itself: bool = False
    """Whether the host died by itself."""
    peak_memory_bytes: int = 0
    interrupted: bool = False
    """Whether Ctrl-C ended the search."""


Listener = Callable[[SearchProgress], None]


@dataclass(slots=True)
class _Worker:
    """A process of a search and its last messages."""

    host: HostProcess
    reached: SearchProgress
    result: SearchResult | None = None

    def outcome(self) -> SearchOutcome:
        """The outcome of its part of the search."""
        peak = self.host.peak_memory_bytes
        if self.result is not None:
            return SearchOutcome(self.result, self.reached, peak_memory_bytes=peak)
        ending = self.host.ending()
        return SearchOutcome(None, self.reached, ending.died, ending.by_itself, peak)


@dataclass(frozen=True, slots=True)
class ProgramHost:
    """A host and a target, which can run several searches one after another."""

    path: Path
    target: Path
    config: HostConfig
    listen: Listener = lambda _: None

    def run(
        self,
        search: str,
        *,
        seconds: float,
        patience: float | None = None,
        seed: int = 0,
        trace: bool = False,
        outcomes: bool = False,
        shared: bool = False,
    ) -> SearchOutcome:
        """Run one search for ``seconds``; with ``shared``, all workers share it.

        A host that is still running is killed ``patience`` seconds after the start. The host itself reports a run that
        seems endless.
        """
        kill_after = seconds + GRACE if patience is None else patience
        workers = self.config.workers if shared else 1
        words = [str(self.path), str(self.target), *self.config.words(workers)]
        words += host_words(search=search, seed=seed, seconds=seconds, trace=trace, outcomes=outcomes)
        with ExitStack() as stack:
            memory = None
            if workers > 1:
                memory = os.memfd_create("linpoint")
                stack.callback(os.close, memory)
                os.truncate(memory, _SHARED_BYTES)
                words += host_words(share=memory, workers=workers)
            limit = None if self.config.max_memory is None else self.config.max_memory // workers

            def start() -> HostProcess:
                args = self.config.args
                return start_host(words, stack, seconds=kill_after, max_memory=limit, args=args, shared=memory)

            try:
                hosts = [start() for _ in range(workers)]
            except OSError as error:
                return SearchOutcome(None, SearchProgress(), f"the host cannot be started: {error.strerror}")
            return self._search([_Worker(host, SearchProgress()) for host in hosts], memory)

    def _search(self, workers: Sequence[_Worker], memory: int | None) -> SearchOutcome:
        working = {id(worker.host): worker for worker in workers}
        news = False
        try:
            for host, message in read_hosts([worker.host for worker in workers], SEARCH_MESSAGES):
                worker = working[id(host)]
                if message is not None:
                    if message.progress is not None:
                        worker.reached, news = message.progress, True
                    elif message.result is not None:
                        worker.result = message.result
                        host.finish()
                    continue
                if news:
                    news = False
                    self.listen(_reached(workers))
                if host.over and memory is not None and (worker.result is None or worker.result.ended != "exhausted"):
                    os.pwrite(memory, b"\1", 0)  # stops the other workers
        except KeyboardInterrupt:
            return SearchOutcome(None, _reached(workers), "the run was interrupted", interrupted=True)
        return _merge_outcomes([worker.outcome() for worker in workers])


def _reached(workers: Sequence[_Worker]) -> SearchProgress:
    each = [worker.reached for worker in workers]
    estimate = each[0].estimate if len(each) == 1 else None
    schedules, steps = sum(one.schedules for one in each), sum(one.steps for one in each)
    return SearchProgress(schedules, steps, max(one.depth for one in each), estimate)


def _merge_outcomes(outcomes: Sequence[SearchOutcome]) -> SearchOutcome:
    """The joint outcome of all workers; the search is exhaustive if that of each worker is."""
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    reached = SearchProgress(
        sum(each.reached.schedules for each in outcomes), sum(each.reached.steps for each in outcomes)
    )
    peak = sum(outcome.peak_memory_bytes for outcome in outcomes)
    found = [result for result in results if result.finding is not None]
    dead = next((outcome for outcome in outcomes if outcome.result is None), None)
    if dead is not None and not found:
        return SearchOutcome(None, reached, dead.died, dead.by_itself, peak)
    first = min(found, key=_length) if found else min(results, key=_completeness)
    races = {race.key: race for result in results for race in result.races}
    counted = [Counter(result.outcomes) for result in results if result.outcomes is not None]
    whole = replace(
        first,
        exhaustive=all(result.exhaustive for result in results),
        schedules=sum(result.schedules for result in results),
        redundant=sum(result.redundant for result in results),
        steps=sum(result.steps for result in results),
        cut=sum(result.cut for result in results),
        qualified=list(dict.fromkeys(sentence for result in results for sentence in result.qualified)),
        outcomes=dict(sum(counted, Counter())) if counted else None,
        races=list(races.values()),
    )
    return SearchOutcome(whole, reached, peak_memory_bytes=peak)


def _length(result: SearchResult) -> tuple[int, int]:
    assert result.finding is not None
    return result.finding.preemptions, len(result.finding.schedule)


def _completeness(result: SearchResult) -> bool:
    """Sorts exhausted searches last: workers that another one has stopped also report an exhausted search."""
    return result.ended == "exhausted"
