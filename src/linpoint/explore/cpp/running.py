# SPDX-License-Identifier: Apache-2.0
"""The host, started for one search: by itself, or several of them that share the work.

Guarantee: whatever the host or the program in it does, there is an ``Outcome``, and no process is left behind; Ctrl-C
ends the search and is told with how far it was.
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

from linpoint.explore.cpp.watching import GRACE, Outcome, Watch, watch_all
from linpoint.hosts.search_messages import SearchProgress, SearchResult

RACES: Final = ("stop", "report", "ignore")
"""What may be done at a data race: it is the finding, it is told beside, or plain accesses count as relaxed atomics."""
ISOLATIONS: Final = ("none", "fork")
_SHARED: Final = 16 * 2**20
"""Bytes that workers share."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a program is run, whatever the search."""

    memory_model: str = "sc"
    races: str = "stop"
    reuse: bool = False
    spurious: bool = False
    isolate: str = "none"
    args: tuple[str, ...] = ()
    max_memory: int | None = None
    atomic: tuple[tuple[int, int], ...] = ()
    """Code that nobody interrupts: where functions begin and end in the target."""
    workers: int = 1
    """Processes that share a search, where it can be shared."""

    def words(self, workers: int = 1) -> list[str]:
        """As options of each of so many hosts."""
        words = ["--memory-model", self.memory_model, "--races", self.races, "--isolate", self.isolate]
        words += ["--reuse"] * self.reuse + ["--spurious"] * self.spurious
        words += ["--atomic", ",".join(f"{begin}-{end}" for begin, end in self.atomic)] if self.atomic else []
        # Half of it is for what the program allocates; the rest is the host's own.
        words += [] if self.max_memory is None else ["--max-memory", str(max(1, self.max_memory // 2 // workers))]
        return words


Listener = Callable[[SearchProgress], None]


@dataclass(frozen=True, slots=True)
class Host:
    """A host and a target, to be run with one search after another."""

    path: Path
    target: Path
    manner: Manner
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
    ) -> Outcome:
        """Let the host run one search, for so many seconds; all workers share it if it can be ``shared``.

        A run that takes longer is ended when ``patience`` seconds have passed since the start: the host itself says it
        of one that seems to have no end.
        """
        kill_after = seconds + GRACE if patience is None else patience
        workers = self.manner.workers if shared else 1
        words = [str(self.path), str(self.target), *self.manner.words(workers), "--search", search]
        words += ["--seed", str(seed), "--seconds", f"{seconds:.3f}"]
        words += ["--trace"] * trace + ["--outcomes"] * outcomes
        with ExitStack() as stack:
            files = []
            if workers > 1:
                files = [os.memfd_create("linpoint")]
                stack.callback(os.close, files[0])
                os.truncate(files[0], _SHARED)
                words += ["--share", str(files[0]), "--workers", str(workers)]
            watches: list[Watch] = []
            memory = self.manner.max_memory
            try:
                for _ in range(workers):
                    limit = None if memory is None else memory // workers
                    watches.append(Watch(words, self.manner.args, files, kill_after, limit))
                    stack.callback(watches[-1].end)
            except OSError as error:
                return Outcome(None, SearchProgress(), f"the host cannot be started: {error.strerror}")
            return self._watched(watches, files)

    def _watched(self, watches: Sequence[Watch], files: Sequence[int]) -> Outcome:
        def listen() -> None:
            self.listen(_reached(watches))

        def stop() -> None:
            for file in files:
                os.pwrite(file, b"\1", 0)

        try:
            watch_all(watches, listen, stop)
        except KeyboardInterrupt:
            return Outcome(None, _reached(watches), "it was interrupted", interrupted=True)
        return _together([watch.outcome() for watch in watches])


def _reached(watches: Sequence[Watch]) -> SearchProgress:
    each = [watch.reached for watch in watches]
    estimate = each[0].estimate if len(each) == 1 else None
    schedules, steps = sum(one.schedules for one in each), sum(one.steps for one in each)
    return SearchProgress(schedules, steps, max(one.depth for one in each), estimate)


def _together(outcomes: Sequence[Outcome]) -> Outcome:
    """What workers have found out together: all, if each of them says so."""
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    reached = SearchProgress(
        sum(each.reached.schedules for each in outcomes), sum(each.reached.steps for each in outcomes)
    )
    peak = sum(outcome.peak_memory_bytes for outcome in outcomes)
    found = [result for result in results if result.finding is not None]
    dead = next((outcome for outcome in outcomes if outcome.result is None), None)
    if dead is not None and not found:
        return Outcome(None, reached, dead.died, dead.by_itself, peak)
    told = min(found, key=_length) if found else min(results, key=_completeness)
    races = {race.key: race for result in results for race in result.races}
    counted = [Counter(result.outcomes) for result in results if result.outcomes is not None]
    whole = replace(
        told,
        exhaustive=all(result.exhaustive for result in results),
        schedules=sum(result.schedules for result in results),
        redundant=sum(result.redundant for result in results),
        steps=sum(result.steps for result in results),
        cut=sum(result.cut for result in results),
        qualified=list(dict.fromkeys(sentence for result in results for sentence in result.qualified)),
        outcomes=dict(sum(counted, Counter())) if counted else None,
        races=list(races.values()),
    )
    return Outcome(whole, reached, peak_memory_bytes=peak)


def _length(result: SearchResult) -> tuple[int, int]:
    assert result.finding is not None
    return result.finding.preemptions, len(result.finding.schedule)


def _completeness(result: SearchResult) -> bool:
    """Those that were stopped by another one say that nothing is left for them."""
    return result.ended == "exhausted"
