# SPDX-License-Identifier: Apache-2.0
"""Renders pages from Jinja2 templates: each is one self-contained HTML document.

Guarantee: the only script is linpoint's, named by its hash in the page's security policy, which forbids loading
anything. Every text that a template prints is escaped, printable, on one line and shortened to ``MAX_TEXT_LETTERS``
unless the template decides otherwise. An undefined name in a template is an error. The document can be written as
UTF-8. Cost: O(size); the templates are compiled once.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import PurePath
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from linpoint.explain.pages.script_data import clip, plain, script_data
from linpoint.text.printable import printable

_STYLES: Final = ("base.css", "summary.css", "sections.css", "graph.css", "traces.css")
_FIRST_SCRIPTS: Final = ("elements.js", "interaction.js")
_LAST_SCRIPTS: Final = ("page_ready.js",)
_MAX_DOCUMENT_LETTERS: Final = 1_000_000


def render_page(
    template: str,
    context: Mapping[str, Any],
    *,
    title: str,
    heading: str,
    links: Mapping[str, str],
    data: Mapping[str, Any],
    scripts: Sequence[str] = (),
    styles: Sequence[str] = (),
) -> str:
    """The page of one verdict or result.

    ``title`` is for the browser, ``heading`` for the top of the page. ``links`` has the ids and names of the sections
    in the navigation. ``data`` is for ``scripts``, which run together with those of every page.
    """
    return (
        _environment()
        .get_template(template)
        .render(
            context,
            title=title,
            heading=heading,
            links=links,
            data=data,
            script=joined_scripts((*_FIRST_SCRIPTS, *scripts, *_LAST_SCRIPTS)),
            style=joined_styles((*_STYLES, *styles)),
        )
    )


def render(template: str, context: Mapping[str, Any]) -> Markup:
    """Render one template: a document, or a fragment of a page."""
    return Markup(_environment().get_template(template).render(context))  # noqa: S704 - templates escape what they print


def load_templates(names: Iterable[str]) -> None:
    """Compile templates ahead of time, which takes some milliseconds for each."""
    for name in names:
        _environment().get_template(name)


def render_text(text: str) -> Markup:
    """Render a text as templates print it."""
    return Markup(_environment().from_string("{{ text }}").render(text=text))  # noqa: S704 - as above


@cache
def joined_scripts(names: tuple[str, ...]) -> Markup:
    """The scripts joined into one, each in its own scope."""
    return Markup("\n").join([Markup("(() => {"), Markup('"use strict";'), *map(asset, names), Markup("})();")])


def joined_styles(names: Sequence[str]) -> Markup:
    """The style sheets joined into one."""
    return Markup("\n").join(map(asset, names))


@cache
def asset(name: str) -> Markup:
    """The text of a script or a style sheet."""
    path = resources.files("linpoint.explain.pages") / "assets" / name
    return Markup(path.read_text(encoding="utf-8"))  # noqa: S704 - a file of linpoint


def page_heading(file: str | None, name: str) -> str:
    """The test or model of a page with its file, without directories that only this machine has."""
    where = PurePath(file or "")
    return " · ".join([where.name if where.is_absolute() else str(file), name] if file else [name])


def again_link(*, command: str, replay: str) -> dict[str, str]:
    """The link to the section with the commands, if there are any."""
    return {"again": "Replay" if replay else "Run again"} if command or replay else {}


def result_download(document: Mapping[str, Any]) -> list[dict[str, str]]:
    """The JSON document of a result as a download, unless it would be most of the page."""
    text = json.dumps(document, default=repr)
    if len(text) > _MAX_DOCUMENT_LETTERS:
        return []
    return [{"name": "result.json", "type": "application/json", "text": text}]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("linpoint.explain.pages"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_plain_text,
    )
    environment.filters |= {
        "clip": clip,
        "uncut": _uncut,
        "lines": _lines,
        "sentence_case": _sentence_case,
        "phrase_list": _phrase_list,
        "grouped": "{:,}".format,
        "tenths": "{:.1f}".format,
        "units": "{:.0f}".format,
        "sha256": _sha256,
        "script_data": _script_data,
    }
    return environment


def _plain_text(value: object) -> object:
    """Make a value of a template printable. Markup stays unchanged; everything else is escaped afterwards."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _uncut(text: str) -> Markup:
    """One line of text of any length: a shortened command would be wrong."""
    return escape(printable(text, lines=False))


def _lines(text: str, letters: int) -> Markup:
    """Text that keeps its line ends, shortened to ``letters``."""
    return escape(printable(text if len(text) <= letters else f"{text[:letters]}..."))


def _sentence_case(text: str) -> str:
    """Capitalise the first letter of a sentence, unless it begins with the name of an operation."""
    return text if "(" in text.partition(" ")[0] else f"{text[:1].upper()}{text[1:]}"


def _phrase_list(phrases: Iterable[str]) -> str:
    return " or ".join(phrases)


def _sha256(text: str) -> str:
    """The hash of a script or a style sheet for the security policy."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _script_data(data: Any) -> Markup:
    return Markup(script_data(data))  # noqa: S704 - no character of it can end its element
