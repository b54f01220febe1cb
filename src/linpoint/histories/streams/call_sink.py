# SPDX-License-Identifier: Apache-2.0
"""The receiver of the calls and returns of a growing log."""

from __future__ import annotations

from typing import Protocol

from linpoint.histories.operation import Operation, Process, Time
from linpoint.histories.values import Value


class OpenCall(Protocol):
    """A call whose outcome is not known yet. Two calls are never equal."""

    process: Process
    name: str
    args: tuple[Value, ...]
    key: Value
    at: Time

    def as_open(self) -> Operation:
        """The operation as known before its return: its outcome is unknown."""


class CallSink(Protocol):
    """Receives calls and returns in the order of time. At one instant, calls come before returns."""

    def called(self, call: OpenCall) -> None:
        """An operation was called."""

    def returned(self, call: OpenCall, op: Operation) -> None:
        """An operation returned and is complete."""

    def failed(self, call: OpenCall) -> None:
        """An operation certainly had no effect."""

    def lost(self, call: OpenCall) -> None:
        """The outcome of an operation will remain unknown: it may take effect at any later time."""
