# SPDX-License-Identifier: Apache-2.0
"""Text in a terminal: control characters escaped, measured in columns, shortened and wrapped to a width.

Names and values come from outside. Guarantee: the result of ``escape_controls`` is one line, cannot move the cursor or
reverse the writing direction, can be written in UTF-8 and in XML, and takes at least one column for every three
characters. ``fit`` and ``wrap`` keep to their width, however wide the characters are. Cost: O(length).
"""

from __future__ import annotations

from functools import cache
from typing import Final

_MAX_COMBINING_MARKS: Final = 2
# They select the narrow or the wide form of the preceding character, and terminals disagree about the result.
_VARIATIONS: Final = ("\ufe0e", "\ufe0f")
ELLIPSIS: Final = "…"


def escape_controls(text: str) -> str:
    """Escape every character in ``text`` that is invisible or could change the appearance of the rest."""
    if text.isascii() and text.isprintable():
        return text
    letters = []
    marks = _MAX_COMBINING_MARKS  # a combining mark at the start would attach to a character outside the text
    for letter in text:
        marks = marks + 1 if _is_mark(letter) else 0
        shown = letter.isprintable() and marks <= _MAX_COMBINING_MARKS and letter not in _VARIATIONS
        letters.append(letter if shown else letter.encode("unicode_escape").decode())
    return "".join(letters)


def display_width(text: str) -> int:
    """The number of columns that a text takes in a monospaced font."""
    return len(text) if text.isascii() else sum(map(_width, text))


def fit(text: str, width: int) -> str:
    """Shorten ``text`` to at most ``width`` columns. The middle is omitted, since both ends are more informative."""
    if display_width(text) <= width:
        return text
    tail = (width - 1) // 2
    head = width - 1 - tail
    end = _beginning(text[::-1], tail)[::-1]
    while end and _is_mark(end[0]):  # a mark whose base character was removed
        end = end[1:]
    return f"{_beginning(text, head)}{ELLIPSIS}{end}"


def pad(text: str, width: int) -> str:
    """Pad ``text``, which must fit, with spaces to ``width`` columns."""
    return text + " " * (width - display_width(text))


def wrap(text: str, width: int, *, most: int = 3) -> list[str]:
    """Wrap ``text`` to at most ``most`` lines of at most ``width`` columns, broken at spaces where possible."""
    lines: list[str] = []
    rest = text
    while display_width(rest) > width and len(lines) < most - 1:
        line = _beginning(rest, width)
        broken = line.rstrip() if rest[len(line)] == " " else line.rpartition(" ")[0].rstrip()
        line = broken if display_width(broken) > width // 3 else line
        lines.append(line)
        rest = rest[len(line) :].lstrip(" ")
    # A line of spaces only would split a table.
    return [line for line in (*lines, fit(rest, width)) if line.strip()] or [""]


@cache
def _width(letter: str) -> int:
    """The columns of one character; one column for a character without a width, such as a control character."""
    if letter.isascii():
        return 1
    from wcwidth import wcwidth  # noqa: PLC0415 - loading its tables takes longer than most commands

    width: int = wcwidth(letter)
    return 1 if width < 0 else width


def _is_mark(letter: str) -> bool:
    """Whether a character is shown within the preceding one: accents, and the vowels and finals of Korean syllables."""
    return _width(letter) == 0


def _beginning(text: str, width: int) -> str:
    """The longest prefix that takes at most ``width`` columns."""
    for index, letter in enumerate(text):
        width -= _width(letter)
        if width < 0:
            return text[:index]
    return text
