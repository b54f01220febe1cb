# SPDX-License-Identifier: Apache-2.0
"""Short phrases in messages: counted nouns, lists, and text that must stay on one line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_INVISIBLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def count_noun(number: int, noun: str) -> str:
    """A number with its noun: ``1 key``, ``1,200 keys``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def join_words(words: Sequence[str], conjunction: str) -> str:
    """Join words as in ``A, B and C``."""
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}" if len(words) > 1 else "".join(words)


def one_line(text: str) -> str:
    """Escape every character that could start a line, move the cursor or change the writing direction."""
    return _INVISIBLE.sub(lambda match: match.group().encode("unicode_escape").decode(), text)
