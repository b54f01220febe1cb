# SPDX-License-Identifier: Apache-2.0
"""The text of a trace with so few of its steps that it stays within a number of lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_STEP_LIMITS: Final = (40, 30, 24, 18, 12, 8)
"""Each attempt renders the trace once more, so there are few."""


def limited_lines(render: Callable[[int], str], max_lines: int, *first_limits: int) -> list[str]:
    """The lines that ``render`` gives for the most steps that fit, of ``first_limits`` and then fewer.

    With the fewest steps there may still be more than ``max_lines``.
    """
    lines: list[str] = []
    for max_steps in (*first_limits, *_STEP_LIMITS):
        lines = render(max_steps).splitlines()
        if len(lines) <= max_lines:
            break
    return lines
