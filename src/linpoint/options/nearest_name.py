# SPDX-License-Identifier: Apache-2.0
"""Proposals for misspelt names of options and values."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest_name(word: str, known: Iterable[str]) -> str | None:
    """The known name closest to ``word``, ignoring case; None if none is close."""
    names = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), list(names), n=1)
    return names[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The text ``Did you mean x? `` if a known name is close, else an empty text."""
    near = nearest_name(word, known)
    return f"Did you mean {near}? " if near is not None else ""
