# SPDX-License-Identifier: Apache-2.0
"""Where the calls and returns of a growing log go."""

from __future__ import annotations

from typing import Protocol

from linpoint.histories.operation import Operation, Process, Time
from linpoint.histories.values import Value


class OpenCall(Protocol):
    """A call whose outcome is not known yet. It stands for itself: two are never the same call."""

    process: Process
    name: str
    args: tuple[Value, ...]
    key: Value
    at: Time

    def as_open(self) -> Operation:
        """The operation with all that is known of it before it returns: its outcome is unknown."""


class CallSink(Protocol):
    """Takes calls and returns in the order of time; at one instant calls come before returns."""

    def called(self, call: OpenCall) -> None:
        """An operation was called."""

    def returned(self, call: OpenCall, op: Operation) -> None:
        """It returned, and is complete now."""

    def failed(self, call: OpenCall) -> None:
        """It certainly had no effect."""

    def lost(self, call: OpenCall) -> None:
        """Nobody will ever know: it may take effect at any later time."""
