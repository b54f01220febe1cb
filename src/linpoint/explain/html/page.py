# SPDX-License-Identifier: Apache-2.0
"""One explanation as a page: the sentence on top, then the whole text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from linpoint.explain.explanation import Explanation
from linpoint.explain.text import sentence
from linpoint.histories.printable import printable


def page(
    explanation: Explanation, *, file: str = "", command: str = "", replay: str = "", traces: Sequence[str] = ()
) -> str:
    """The page of an explanation; ``command`` and ``replay`` show it again."""
    words = [escape(printable(text)) for text in (sentence(explanation), explanation.text, command, replay, *traces)]
    head = f'<meta charset="utf-8"><title>{escape(printable(file))}</title>'
    body = f"<h1>{words[0]}</h1>" + "".join(f"<pre>{text}</pre>" for text in words[1:])
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'
