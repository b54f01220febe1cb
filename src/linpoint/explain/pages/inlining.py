# SPDX-License-Identifier: Apache-2.0
"""Scripts and styles of pages, which are kept as files of their own and put into every page."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources


@cache
def asset(name: str) -> str:
    """The text of a script, a style sheet or a template."""
    folder = "templates" if name.endswith(".html") else "assets"
    return (resources.files("linpoint.explain.pages") / folder / name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """What a security policy calls a script or a style sheet by."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
