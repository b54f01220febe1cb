# SPDX-License-Identifier: Apache-2.0
"""Records the start of the command. The budget counts from there, and not from the end of the imports.

The time of the imports counts for at most a tenth of the budget, so that on a slow machine a short budget is still
available for the work.
"""

from __future__ import annotations

import time
from typing import Final

from linpoint.limits.budget import Budget, seconds

_MAX_START_SHARE: Final = 0.1
_began: float | None = None


def command_began(moment: float) -> None:
    """Set the start of the command, as a moment on the monotonic clock."""
    global _began  # noqa: PLW0603 - a process runs one command
    _began = moment


def command_budget(time_limit: str | float | None, max_memory: str | int | None) -> Budget:
    """The budget of the whole command."""
    now = time.monotonic()
    start = 0.0 if _began is None else min(now - _began, _MAX_START_SHARE * (seconds(time_limit) or 0.0))
    return Budget.starting_at(now - start, time_limit, max_memory)
