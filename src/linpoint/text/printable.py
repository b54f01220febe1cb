# SPDX-License-Identifier: Apache-2.0
"""Text from outside, made fit to be shown: in a terminal, in XML, in HTML.

Guarantee: the result has no character that moves a cursor, breaks a line unasked, turns the writing around, or that
XML 1.0 or UTF-8 cannot hold; such a character is seen as an escape. Markup is left to who writes markup.
"""

from __future__ import annotations

import re
from typing import Final

# C0, DEL and C1, what changes the direction of text or breaks lines, halves of surrogate pairs (which stand for bytes of
# file names that are not UTF-8), and the two that are no characters at all.
_UNPRINTABLE: Final = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]"
)


def printable(text: str, *, lines: bool = True) -> str:
    r"""``text`` with control characters as escapes (``\x1b``, ``\u202e``), but for line ends where ``lines`` allows them."""
    return _UNPRINTABLE.sub(lambda found: found[0] if lines and found[0] == "\n" else _escape(found[0]), text)


def _escape(letter: str) -> str:
    number = ord(letter)
    if 0xDC80 <= number <= 0xDCFF:  # Python's stand-in for a byte of a file's name that is not UTF-8
        number -= 0xDC00
        return f"\\x{number:02x}"
    return f"\\x{number:02x}" if number < 0x80 else f"\\u{number:04x}"
