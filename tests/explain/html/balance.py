# SPDX-License-Identifier: Apache-2.0
"""Reading a page without a browser: its data, and whether its elements are closed in order."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "br", "img", "input", "hr", "option"}


def data_of(html: str) -> dict[str, Any]:
    """The data of a page as its script reads them."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html)
    assert found is not None
    return json.loads(found[1])  # type: ignore[no-any-return]


class Balanced(HTMLParser):
    """Reports elements that are closed in the wrong order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag
