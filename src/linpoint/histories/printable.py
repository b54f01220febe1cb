# SPDX-License-Identifier: Apache-2.0
"""Text that is safe to show: nothing in it moves a cursor, turns the writing around or cannot be written as UTF-8.

A history is untrusted input, and so is the name of its file. What quotes and brackets mean is for those who write a
format. Cost: O(length).
"""

from __future__ import annotations

import re
from typing import Final

# C0, DEL and C1, what changes the direction of text or breaks lines, and halves of surrogate pairs (which stand for
# bytes of file names that are not UTF-8).
_UNPRINTABLE: Final = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
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
