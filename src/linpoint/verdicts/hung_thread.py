# SPDX-License-Identifier: Apache-2.0
"""A thread that hangs, as findings of stress tests tell of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HungThread:
    """A thread that hangs: in which operation, where, and whether it still runs (a loop without end) or waits.

    ``operation`` is None before and between operations; ``stack`` is empty inside of a function that is not Python's.
    """

    process: int
    operation: str | None
    stack: tuple[str, ...]
    running: bool

    def __str__(self) -> str:
        what = f"process {self.process} {'runs on' if self.running else 'waits'} in {self.operation or 'no operation'}"
        return "\n".join([what, *(f"    {frame}" for frame in self.stack)])
