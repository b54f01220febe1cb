# SPDX-License-Identifier: Apache-2.0
"""Text and data of a history inside a page. A history is untrusted input: nothing of it becomes an element or a script.

Guarantee: what leaves here can be written as UTF-8, has no control character and does not turn the writing around.
"""

from __future__ import annotations

import json
from typing import Any, Final

from linpoint.text.printable import printable

MAX_TEXT_LETTERS: Final = 2_000
_SCRIPT: Final = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&"}


def clip(text: str, letters: int = MAX_TEXT_LETTERS) -> str:
    """At most ``letters`` letters of a text, and the number of the others."""
    if len(text) <= letters:
        return text
    return f"{text[:letters]}… ({len(text) - letters:,} more letters)"


def plain(text: str, letters: int = MAX_TEXT_LETTERS) -> str:
    """One line of text that is safe to show, for scripts that set it as text and for templates, which escape it."""
    return printable(clip(text, letters), lines=False)


def script_data(data: Any) -> str:
    """JSON for the inside of a ``<script>``: no letter of it can end the element, and all of it is ASCII."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False, default=repr).translate(_SCRIPT)
