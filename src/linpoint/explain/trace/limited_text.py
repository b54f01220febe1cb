# SPDX-License-Identifier: Apache-2.0
"""The text of a trace with so few of its steps that it stays within a number of lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

STEP_LIMITS: Final = (40, 30, 24, 18, 12, 8)
"""The numbers of steps to try. Each attempt renders the trace once more, so there are few."""


def limited_lines(texts: Iterable[str], max_lines: int) -> list[str]:
    """The lines of the first text that fits; ``texts``, made one by one, have fewer and fewer steps.

    The last of them may still have more than ``max_lines``.
    """
    lines: list[str] = []
    for text in texts:
        lines = text.splitlines()
        if len(lines) <= max_lines:
            break
    return lines
