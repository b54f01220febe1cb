# SPDX-License-Identifier: Apache-2.0
"""Values and calls in one line of limited width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from linpoint.histories.values import Value, one_line, show
from linpoint.text.terminal_text import fitted

MAX_VALUE_COLUMNS: Final = 60


def format_value(value: Value, text: Callable[[Value], str] = show) -> str:
    """A value in one line; what is too wide loses its middle. ``text`` writes the value."""
    return format_call(text(value))


def format_call(call: str) -> str:
    """The text of a call in one line; what is too wide loses its middle."""
    return fitted(one_line(call), MAX_VALUE_COLUMNS)
