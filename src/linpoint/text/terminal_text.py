# SPDX-License-Identifier: Apache-2.0
"""Letters as a terminal shows them: with control characters escaped, measured in columns, shortened and wrapped to a width.

Names and values come from outside. Guarantee: what ``escape_controls`` returns is one line, cannot move the cursor or turn the
writing around, can be written in UTF-8 and in XML, and takes at least a column for every three letters. ``fit`` and
``wrap`` keep to their width, however wide the letters are. Cost: O(length).
"""

from __future__ import annotations

from functools import cache
from typing import Final

_MAX_COMBINING_MARKS: Final = 2
# They choose between the narrow and the wide form of the letter before, and no two terminals agree how.
_VARIATIONS: Final = ("\ufe0e", "\ufe0f")
ELLIPSIS: Final = "…"


def escape_controls(text: str) -> str:
    """``text`` with everything escaped that cannot be seen, or that could change how the rest is seen."""
    if text.isascii() and text.isprintable():
        return text
    letters = []
    marks = _MAX_COMBINING_MARKS  # a mark in front would sit on a letter that is not ours
    for letter in text:
        marks = marks + 1 if _is_mark(letter) else 0
        shown = letter.isprintable() and marks <= _MAX_COMBINING_MARKS and letter not in _VARIATIONS
        letters.append(letter if shown else letter.encode("unicode_escape").decode())
    return "".join(letters)


def display_width(text: str) -> int:
    """How many columns a text takes in a font whose letters are all as wide."""
    return len(text) if text.isascii() else sum(map(_width, text))


def fit(text: str, width: int) -> str:
    """``text`` in at most ``width`` columns: what is too long loses its middle, since both ends tell more."""
    if display_width(text) <= width:
        return text
    tail = (width - 1) // 2
    head = width - 1 - tail
    end = _beginning(text[::-1], tail)[::-1]
    while end and _is_mark(end[0]):  # its letter was cut off
        end = end[1:]
    return f"{_beginning(text, head)}{ELLIPSIS}{end}"


def pad(text: str, width: int) -> str:
    """``text``, which fits, filled with spaces to ``width`` columns."""
    return text + " " * (width - display_width(text))


def wrap(text: str, width: int, *, most: int = 3) -> list[str]:
    """``text`` in at most ``most`` lines of at most ``width`` columns, broken at spaces where there are any."""
    lines: list[str] = []
    rest = text
    while display_width(rest) > width and len(lines) < most - 1:
        line = _beginning(rest, width)
        broken = line.rstrip() if rest[len(line)] == " " else line.rpartition(" ")[0].rstrip()
        line = broken if display_width(broken) > width // 3 else line
        lines.append(line)
        rest = rest[len(line) :].lstrip(" ")
    # What is nothing but spaces is no line to look at: it would part a table.
    return [line for line in (*lines, fit(rest, width)) if line.strip()] or [""]


@cache
def _width(letter: str) -> int:
    """The columns of one letter; one for what has no width of its own, such as a control character."""
    if letter.isascii():
        return 1
    from wcwidth import wcwidth  # noqa: PLC0415 - its tables take longer to load than most commands take to run

    width: int = wcwidth(letter)
    return 1 if width < 0 else width


def _is_mark(letter: str) -> bool:
    """Whether it is shown within the letter before it: accents, and the vowels and finals of Korean syllables."""
    return _width(letter) == 0


def _beginning(text: str, width: int) -> str:
    """The longest beginning that takes at most ``width`` columns."""
    for index, letter in enumerate(text):
        width -= _width(letter)
        if width < 0:
            return text[:index]
    return text
