# SPDX-License-Identifier: Apache-2.0
"""Limits the text of a trace to a number of lines by showing fewer steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

STEP_LIMITS: Final = (40, 30, 24, 18, 12, 8)
"""The numbers of steps to try. The list is short, since each attempt renders the trace again."""


def limited_lines(texts: Iterable[str], max_lines: int) -> list[str]:
    """The lines of the first text that fits; ``texts`` are rendered lazily, with decreasing numbers of steps.

    The last text may still have more than ``max_lines``.
    """
    lines: list[str] = []
    for text in texts:
        lines = text.splitlines()
        if len(lines) <= max_lines:
            break
    return lines
