# SPDX-License-Identifier: Apache-2.0
"""Commands in a page: each in a box of its own, with what it is for and a button that copies it."""

from __future__ import annotations

from linpoint.explain.pages.script_data import escaped_command


def copied(name: str, what: str, text: str) -> str:
    """The command ``text``; ``name`` tells it from the others of the page. ``what`` is put in as it is."""
    return (
        f'<p class="hint">{what}</p><div class="copy"><div tabindex="0"><code id="copy-{name}">{escaped_command(text)}'
        f'</code></div><button type="button" data-copy="copy-{name}">Copy</button></div>'
    )
