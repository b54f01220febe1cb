# SPDX-License-Identifier: Apache-2.0
"""What every page is put into: one HTML document that needs no network and no other file, and in which nothing can run
but our script.

Guarantee: the only script is ours, named by its hash in the page's security policy, which lets nothing be loaded. The
document can be written as UTF-8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from string import Template
from typing import Any, Final

from linpoint.explain.pages.inlining import asset, digest
from linpoint.explain.pages.script_data import escaped, script_data

_STYLES: Final = ("base.css", "summary.css", "sections.css", "graph.css", "traces.css")
_FIRST: Final = ("elements.js", "interaction.js")
_LAST: Final = ("page_ready.js",)
_LONGEST_TITLE: Final = 120


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page: its HTML, the sections in it to which the header links, and what its scripts need."""

    html: str
    links: tuple[tuple[str, str], ...] = ()
    """Ids of sections and what they are called."""
    data: Mapping[str, Any] = field(default_factory=dict)
    scripts: tuple[str, ...] = ()
    keys: str = ""
    """Rows of the table of keys."""


def document(parts: Sequence[Part], *, title: str, name: str, styles: Sequence[str] = ()) -> str:
    """The parts as one document: ``title`` for the browser, ``name`` for the header. Both are escaped here."""
    data: dict[str, Any] = {"downloads": []}
    for part in parts:
        data |= part.data
    keys = "".join(part.keys for part in parts)
    script = _script(tuple(script for part in parts for script in part.scripts))
    return Template(asset("base.html")).substitute(
        policy=_policy(script),
        title=escaped(f"{title} - linpoint", _LONGEST_TITLE),
        style="\n".join(map(asset, (*_STYLES, *styles))),
        file=escaped(name),
        links="".join(f'<a href="#{where}">{what}</a>' for part in parts for where, what in part.links),
        body="\n".join(part.html for part in parts),
        keys=keys,
        escape=", or clear the selection" if keys else "",
        data=script_data(data),
        script=script,
    )


def _policy(script: str) -> str:
    """Nothing is loaded from anywhere, and no script runs but this one."""
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _script(names: tuple[str, ...]) -> str:
    """All scripts as one, with names of their own."""
    return "\n".join(["(() => {", '"use strict";', *map(asset, (*_FIRST, *names, *_LAST)), "})();"])
