# SPDX-License-Identifier: Apache-2.0
"""Text and data of a history inside a page. A history is untrusted: no part of it becomes an element or a script.

Guarantee: the output can be written as UTF-8 and contains no control characters and no changes of text direction.
"""

from __future__ import annotations

import json
from typing import Any, Final

from linpoint.text.printable import printable

MAX_TEXT_LETTERS: Final = 2_000
_SCRIPT: Final = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&"}


def clip(text: str, letters: int = MAX_TEXT_LETTERS) -> str:
    """At most ``letters`` characters of a text, and the number of omitted ones."""
    if len(text) <= letters:
        return text
    return f"{text[:letters]}… ({len(text) - letters:,} more characters)"


def plain(text: str, letters: int = MAX_TEXT_LETTERS) -> str:
    """One line of safe text, for scripts that set it as text and for templates that escape it."""
    return printable(clip(text, letters), lines=False)


def script_data(data: Any) -> str:
    """JSON for a ``<script>`` element, in ASCII: no character of it can end the element."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False, default=repr).translate(_SCRIPT)
