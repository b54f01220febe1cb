# SPDX-License-Identifier: Apache-2.0
"""When the command began: its budget counts from there, and not from the end of its imports.

But these count as a tenth of the budget at most, so that a short one is for the work on a slow machine too.
"""

from __future__ import annotations

import time
from typing import Final

from linpoint.limits.budget import Budget, seconds

_MAX_START_SHARE: Final = 0.1
_began: float | None = None


def command_began(moment: float) -> None:
    """The process became the command at this moment of the monotonic clock."""
    global _began  # noqa: PLW0603 - a process is one command
    _began = moment


def command_budget(time_limit: str | float | None, max_memory: str | int | None) -> Budget:
    """The budget of the whole command."""
    now = time.monotonic()
    start = 0.0 if _began is None else min(now - _began, _MAX_START_SHARE * (seconds(time_limit) or 0.0))
    return Budget.starting_at(now - start, time_limit, max_memory)
