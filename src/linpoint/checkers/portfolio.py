# SPDX-License-Identifier: Apache-2.0
"""A portfolio of searches for one part of a history, which run in turns; the first answer wins.

A portfolio runs as tasks. Each task continues one search for a while and returns the task that continues it further, so
any number of threads serves any number of portfolios fairly. The depth-first searches of one portfolio share refuted
configurations. A search that gets no more memory stops and releases its memory, so that the others can continue.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.checkers._native_search import (
    Machine,
    Problem,
    Search,
    SearchStatus,
    SeenTable,
    StopReason,
    StopToken,
    depth_first,
    linear,
    linear_depth_first,
    wing_gong,
)
from linpoint.checkers.frontier_decider import FrontierDecider
from linpoint.executors.thread_executor import Task
from linpoint.verdicts.refutation import RefutedStart
from linpoint.verdicts.witness import Witness

FIRST_TURN_CONFIGURATIONS: Final = 20_000
"""Configurations that the first search may visit, plus some per operation, before others join it."""
_FIRST_TURN_PER_OPERATION: Final = {"frontier": 20}
_DEFAULT_TURN_PER_OPERATION: Final = 8
_MAX_TURN_CONFIGURATIONS: Final = 1_000_000
_UNLIMITED_CONFIGURATIONS: Final = 2**62
_PERSIST, _CRASH = -1, -2


CertifyStart = Callable[[Search, StopToken], RefutedStart]
"""Creates the evidence of a search over frontiers that found no order, which takes time."""


@dataclass(frozen=True, slots=True)
class PortfolioAnswer:
    """The result. ``found`` is None if all searches were stopped; ``witness`` holds the order or the longest prefix."""

    found: bool | None
    witness: Witness
    configurations: int
    by: str = ""
    """The search that answered, or the one that got furthest."""
    raced: bool = False
    reason: StopReason = StopReason.NONE
    """The reason why there is no answer."""


@dataclass(eq=False, slots=True)
class _Contender:
    name: str
    search: Search | None
    token: StopToken
    turn: int
    configurations: int = 0
    prefix: list[int] = field(default_factory=list)


class Portfolio:
    """The searches of one part, as listed in ``names``: the first begins alone; the others join if it takes long."""

    def __init__(
        self,
        problem: Problem,
        machine: Machine,
        stop: StopToken,
        names: Sequence[str],
        *,
        at_once: bool = False,
        frontier: FrontierDecider | None = None,
        certify_start: CertifyStart | None = None,
    ) -> None:
        self._problem = problem
        self._machine = machine
        self._everything = stop
        self._stop = stop.child()
        self._waiting = list(names)
        self._at_once = at_once
        self._frontier = frontier
        self._certify_start = certify_start
        self._contenders: list[_Contender] = []
        self._seen: SeenTable | None = None
        self._lock = threading.Lock()
        self._answer: PortfolioAnswer | None = None
        self.raced = False
        self.refuted: float | None = None
        """The time at which it was found that no order exists."""
        self.refuted_start: RefutedStart | None = None
        """The certified refutation, if the search over frontiers found it."""

    def begin(self) -> Iterable[Task]:
        """Let the first search begin, or all of them if ``at_once``."""
        name = self._waiting.pop(0)
        per_operation = _FIRST_TURN_PER_OPERATION.get(name, _DEFAULT_TURN_PER_OPERATION)
        first = self._enter(name, FIRST_TURN_CONFIGURATIONS + per_operation * len(self._problem))
        if self._at_once:
            return [functools.partial(self._go_on, first), *self._join()]
        return self._go_on(first)

    def _join(self) -> list[Task]:
        joining = [self._enter(name, FIRST_TURN_CONFIGURATIONS) for name in self._waiting]
        self._waiting.clear()
        self.raced = self.raced or bool(joining)
        return [functools.partial(self._go_on, each) for each in joining]

    def _enter(self, name: str, turn: int) -> _Contender:
        token = self._stop.child()
        walkers = [each for each in self._contenders if each.name == "dfs"]
        if name == "wing-gong":
            search = wing_gong(self._problem, self._machine, token)
        elif name == "linear":
            search = linear(self._problem, self._machine, token)
        elif name == "linear-dfs":
            search = linear_depth_first(self._problem, self._machine, token)
        elif name == "frontier":
            assert self._frontier is not None
            search = self._frontier.search(token)
        else:
            if self._seen is None and (walkers or self._waiting.count("dfs")):
                self._seen = SeenTable(self._problem, self._stop)
            search = depth_first(self._problem, self._machine, token, self._seen, bool(len(walkers) % 2))
        contender = _Contender(name, search, token, turn)
        self._contenders.append(contender)
        return contender

    def _go_on(self, contender: _Contender) -> Iterable[Task]:
        search = contender.search
        if search is None or self._answer is not None:
            return ()
        status = search.run(contender.turn)
        contender.configurations = search.configurations
        if status is SearchStatus.PAUSED:
            joining = self._join()
            contender.turn = (
                min(_MAX_TURN_CONFIGURATIONS, 2 * contender.turn) if self.raced else _UNLIMITED_CONFIGURATIONS
            )
            return [functools.partial(self._go_on, contender), *joining]
        with self._lock:
            if self._answer is None:
                self._settle(contender, search, status)
        contender.search = None  # release its memory
        if all(each.search is None for each in self._contenders if each.name == "dfs"):
            self._seen = None
        if status is SearchStatus.VIOLATION and self._certify_start is not None and self._decided_by(contender):
            return [functools.partial(self._certify, self._certify_start, search)]
        return self._join() if status is SearchStatus.STOPPED and not self._stop.stopped else ()

    def _decided_by(self, contender: _Contender) -> bool:
        return contender.name == "frontier" and self._answer is not None and self._answer.by == "frontier"

    def _certify(self, certify_start: CertifyStart, search: Search) -> Iterable[Task]:
        self.refuted_start = certify_start(search, self._everything)
        return ()

    def _settle(self, contender: _Contender, search: Search, status: SearchStatus) -> None:
        contender.prefix = search.order
        if status not in (SearchStatus.VIOLATION, SearchStatus.LINEARIZABLE):
            return
        self._answer = self._answered(contender, found=status is SearchStatus.LINEARIZABLE)
        self.refuted = None if self._answer.found else time.perf_counter()
        self._stop.stop(StopReason.REQUEST)

    def _answered(self, contender: _Contender, *, found: bool | None) -> PortfolioAnswer:
        prefix = contender.prefix
        if found is False:  # the longest prefix explains most
            prefix = max((each.prefix for each in self._contenders), key=len)
        return PortfolioAnswer(
            found,
            witness_from_order(prefix),
            sum(each.configurations for each in self._contenders),
            contender.name,
            self.raced,
            self._everything.reason if self._everything.stopped else contender.token.reason,
        )

    def answer(self) -> PortfolioAnswer:
        """The answer, once the tasks are done or were stopped."""
        if self._answer is not None:
            return self._answer
        if not self._contenders:
            return PortfolioAnswer(None, Witness(()), 0, reason=self._stop.reason)
        furthest = max(self._contenders, key=lambda each: len(each.prefix))
        return self._answered(furthest, found=None)


def witness_from_order(order: Sequence[int]) -> Witness:
    """The witness for an order of positions and pseudo-operations."""
    if _PERSIST not in order and _CRASH not in order:
        return Witness(tuple(order))
    survivors, eras, count = [], [], 0
    for position in order:
        if position == _PERSIST:
            survivors.append(count)
        elif position == _CRASH:
            eras.append(count)
            count = 0
        else:
            count += 1
    return Witness(tuple(position for position in order if position >= 0), tuple(survivors), tuple(eras))
