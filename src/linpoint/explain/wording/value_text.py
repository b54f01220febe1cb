# SPDX-License-Identifier: Apache-2.0
"""Values and calls in one line of limited width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from linpoint.histories.values import Value, format_value
from linpoint.text.phrases import one_line
from linpoint.text.terminal_text import fit

MAX_VALUE_COLUMNS: Final = 60


def fit_value(value: Value, text: Callable[[Value], str] = format_value) -> str:
    """A value in one line, formatted by ``text``; the middle of a wide text is omitted."""
    return fit_call(text(value))


def fit_call(call: str) -> str:
    """The text of a call in one line; the middle of a wide text is omitted."""
    return fit(one_line(call), MAX_VALUE_COLUMNS)
