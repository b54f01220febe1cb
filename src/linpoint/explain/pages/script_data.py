# SPDX-License-Identifier: Apache-2.0
"""Text and data of a history inside HTML. A history is untrusted input: nothing of it becomes an element or a script.

Guarantee: what leaves here can be written as UTF-8, has no control character and does not turn the writing around.
"""

from __future__ import annotations

import html
import json
from typing import Any, Final

from linpoint.text.printable import printable

_SCRIPT: Final = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&"}


def clipped(text: str, longest: int) -> str:
    """At most ``longest`` letters; what is cut off is counted."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} more letters)"


def plain(text: str, longest: int = 2_000) -> str:
    """One line of text that is safe to show, for scripts that set it as text."""
    return printable(clipped(text, longest), lines=False)


def escaped(text: str, longest: int = 2_000) -> str:
    """The same inside an element or a quoted attribute."""
    return html.escape(plain(text, longest))


def escaped_command(text: str) -> str:
    """The same, uncut: half a command is worse than none."""
    return html.escape(printable(text, lines=False))


def script_data(data: Any) -> str:
    """JSON for the inside of a ``<script>``: no letter of it can end the element, and all of it is ASCII."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False, default=repr).translate(_SCRIPT)
