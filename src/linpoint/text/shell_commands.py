# SPDX-License-Identifier: Apache-2.0
"""Commands that are shown to users for pasting into a shell.

Guarantee: a shell splits the line into exactly the original words, whatever characters they contain, and the line
itself can be shown anywhere. A file is never mistaken for an option. Cost: linear in the number of characters.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

from linpoint.text.printable import printable

STANDARD: Final = "-"
"""Stands for standard input or output in place of a path."""


def shell_command(words: Sequence[str]) -> str:
    """Quote words for a shell. Words with control characters get the form ``$'...'`` of bash and zsh."""
    return " ".join(_quoted(word) for word in words)


def check_argv(file: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """The arguments of ``linpoint`` that check a file with these options."""
    return ("check", f"./{file}" if file.startswith("-") and file != STANDARD else file, *arguments)


def _quoted(word: str) -> str:
    if printable(word, lines=False) == word:
        return shlex.quote(word)
    return "$'" + printable(word.replace("\\", r"\\").replace("'", r"\'"), lines=False) + "'"
