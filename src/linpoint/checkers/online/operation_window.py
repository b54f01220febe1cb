# SPDX-License-Identifier: Apache-2.0
"""A window: the operations of one object that can still matter.

The window, with its open calls as operations of unknown outcome, is decided like any other history. Linearizability is
closed under prefixes, so a violation of it is final. Memory: the operations that ``forgetting`` must retain.
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
"""Number of operations below which trimming is not worth its time. There may be thousands of windows, one per key."""
MAX_WINDOW_OPERATIONS: Final = 2000
"""Number of operations above which trimming found no cut, or that many values are inside."""


class OperationWindow:
    """The window of one object. Calls arrive in the order of time."""

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
        """Whether operations were forgotten."""

    def __len__(self) -> int:
        return len(self.done) + len(self.lost) + len(self.open)

    def understands(self, name: str) -> bool:
        """Whether the forgetting rule supports this operation."""
        return name in self._trimming.operations or name.replace("_", "-") in self._trimming.operations

    def called(self, call: OpenCall) -> None:
        """An operation was called."""
        self.open[call] = None

    def returned(self, call: OpenCall, op: Operation) -> None:
        """The operation returned."""
        del self.open[call]
        self.done.append(op)

    def failed(self, call: OpenCall) -> None:
        """The operation had no effect."""
        del self.open[call]

    def forgotten(self, call: OpenCall) -> None:
        """The outcome of the operation will never be known."""
        del self.open[call]
        if self.spec.step_named(call.name).reads is not True:  # a read without a result constrains nothing
            self.lost.append(call.as_open())

    def operations(self) -> list[Operation]:
        """The operations of the window, as a history contains them."""
        return [*self.done, *self.lost, *(call.as_open() for call in self.open)]

    @property
    def horizon(self) -> Time:
        """A time before which no open or future operation was called."""
        return next(iter(self.open)).at if self.open else math.inf

    def trim(self, *, at_once: bool = False) -> None:
        """Forget irrelevant operations after the window was found linearizable; by default only if it has grown."""
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
        """Whether trimming has retained many more operations than the overlapping calls, so that no cut exists."""
        return self._trim_at > 2 * MAX_WINDOW_OPERATIONS
