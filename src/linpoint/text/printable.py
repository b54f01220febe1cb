# SPDX-License-Identifier: Apache-2.0
"""Makes external text safe to show: in a terminal, in XML, in HTML.

Guarantee: the result has no character that moves a cursor, breaks a line unintentionally or reverses the writing
direction, and none that XML 1.0 or UTF-8 cannot represent. Such characters are shown as escapes. Callers handle markup.
"""

from __future__ import annotations

import re
from typing import Final

# C0, DEL and C1, characters that change the direction of text or break lines, surrogates (which stand for bytes of
# file names that are not UTF-8), and the two noncharacters.
_UNPRINTABLE: Final = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]"
)


def printable(text: str, *, lines: bool = True) -> str:
    r"""Replace control characters by escapes (``\x1b``, ``\u202e``), except line ends where ``lines`` allows them."""
    return _UNPRINTABLE.sub(lambda found: found[0] if lines and found[0] == "\n" else _escape(found[0]), text)


def _escape(letter: str) -> str:
    number = ord(letter)
    if 0xDC80 <= number <= 0xDCFF:  # Python's representation of a byte of a file name that is not UTF-8
        number -= 0xDC00
        return f"\\x{number:02x}"
    return f"\\x{number:02x}" if number < 0x80 else f"\\u{number:04x}"
