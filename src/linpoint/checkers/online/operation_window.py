# SPDX-License-Identifier: Apache-2.0
"""A window: the operations of one object that can still matter.

The window with its open calls, as operations of unknown outcome, is a history like any other, and is decided as one.
Linearizability is closed under prefixes, so a violation of it is final. Memory: what ``trimming`` cannot forget.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Final

from linpoint.checkers.online.forgetting import ForgettingRule
from linpoint.histories.operation import Operation, Time
from linpoint.histories.streams.call_sink import OpenCall
from linpoint.histories.values import Value
from linpoint.specs.spec import Spec

MIN_FORGETTING_OPERATIONS: Final = 16
"""Operations below which trimming is not worth its time. There may be thousands of windows, one for each key."""
MAX_WINDOW_OPERATIONS: Final = 2000
"""Operations that trimming leaves only if it finds no cut, or if as much is inside."""


class OperationWindow:
    """One object's window. Calls come in the order of time."""

    def __init__(self, key: Value, spec: Spec, trimming: ForgettingRule) -> None:
        self.key = key
        self.spec = spec
        self._trimming = trimming
        self._first = trimming.first(spec.initial, key)
        self.done: list[Operation] = []
        self.lost: list[Operation] = []
        self.open: dict[OpenCall, None] = {}
        self._trim_at = MIN_FORGETTING_OPERATIONS
        self.forgot = False
        """Whether it ever was more."""

    def __len__(self) -> int:
        return len(self.done) + len(self.lost) + len(self.open)

    def understands(self, name: str) -> bool:
        """Whether the rule for trimming knows this operation."""
        return name in self._trimming.operations or name.replace("_", "-") in self._trimming.operations

    def called(self, call: OpenCall) -> None:
        """An operation was called."""
        self.open[call] = None

    def returned(self, call: OpenCall, op: Operation) -> None:
        """It returned."""
        del self.open[call]
        self.done.append(op)

    def failed(self, call: OpenCall) -> None:
        """It had no effect."""
        del self.open[call]

    def forgotten(self, call: OpenCall) -> None:
        """Its outcome will never be known."""
        del self.open[call]
        if self.spec.step_named(call.name).reads is not True:  # what changes nothing and says nothing is nothing
            self.lost.append(call.as_open())

    def operations(self) -> list[Operation]:
        """The window as a history has it."""
        return [*self.done, *self.lost, *(call.as_open() for call in self.open)]

    @property
    def horizon(self) -> Time:
        """No operation to come, and none that is open, was called before this."""
        return next(iter(self.open)).at if self.open else math.inf

    def trim(self, *, at_once: bool = False) -> None:
        """Forget what cannot matter, after the window was found linearizable; by default only if it has grown."""
        if not at_once and len(self.done) < self._trim_at:
            return
        kept = self._trimming.rule(self.done, self.lost, self.horizon, self._first)
        if kept is not None:
            self.done, self.lost = kept.done, kept.lost
            self.forgot = True
            if kept.emptied:
                self._first = ()
                self.spec = dataclasses.replace(self.spec, initial=())
        self._trim_at = max(MIN_FORGETTING_OPERATIONS, 2 * len(self.done))

    @property
    def overgrown(self) -> bool:
        """Whether trimming has left much more than the calls that overlap: there is no cut to be had."""
        return self._trim_at > 2 * MAX_WINDOW_OPERATIONS
