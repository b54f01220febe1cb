# SPDX-License-Identifier: Apache-2.0
"""Commands that are shown to people, to be pasted into a shell.

Guarantee: what a shell makes of the line is the words it was made of, whatever their letters; the line itself can be
shown anywhere. A file is never taken for an option. Cost: O(letters).
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

from linpoint.text.printable import printable

STANDARD: Final = "-"
"""Standard input or output, in the place of a path."""


def shell_command(words: Sequence[str]) -> str:
    """Words as a shell takes them; those with control characters in the form ``$'...'`` of bash and zsh."""
    return " ".join(_quoted(word) for word in words)


def check_argv(file: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """What comes after ``linpoint`` to check a file with these options."""
    return ("check", f"./{file}" if file.startswith("-") and file != STANDARD else file, *arguments)


def _quoted(word: str) -> str:
    if printable(word, lines=False) == word:
        return shlex.quote(word)
    return "$'" + printable(word.replace("\\", r"\\").replace("'", r"\'"), lines=False) + "'"
