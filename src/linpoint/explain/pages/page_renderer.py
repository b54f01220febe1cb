# SPDX-License-Identifier: Apache-2.0
"""Pages from Jinja2 templates: each is one self-contained HTML document.

Guarantee: the only script is ours, named by its hash in the page's security policy, which lets nothing be loaded. Every
text that a template prints is escaped, printable and on one line, and is cut at ``MAX_TEXT_LETTERS`` unless the template
decides otherwise; a name that a template does not get is an error. The document can be written as UTF-8. Cost: O(size);
the templates are compiled once.
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

    ``title`` is for the browser, ``heading`` for the top of the page. ``links`` has the sections to which the top leads:
    their ids and names. ``data`` is for ``scripts``, which run together with those that every page has.
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
    """A template alone: a document, or a fragment for a page."""
    return Markup(_environment().get_template(template).render(context))  # noqa: S704 - templates escape what they print


def load_templates(names: Iterable[str]) -> None:
    """Compile templates ahead of time: each takes some milliseconds."""
    for name in names:
        _environment().get_template(name)


def render_text(text: str) -> Markup:
    """A text as templates print it."""
    return Markup(_environment().from_string("{{ text }}").render(text=text))  # noqa: S704 - as above


@cache
def joined_scripts(names: tuple[str, ...]) -> Markup:
    """Our scripts as one, with names of their own."""
    return Markup("\n").join([Markup("(() => {"), Markup('"use strict";'), *map(asset, names), Markup("})();")])


def joined_styles(names: Sequence[str]) -> Markup:
    """Our style sheets as one."""
    return Markup("\n").join(map(asset, names))


@cache
def asset(name: str) -> Markup:
    """The text of a script or a style sheet."""
    path = resources.files("linpoint.explain.pages") / "assets" / name
    return Markup(path.read_text(encoding="utf-8"))  # noqa: S704 - a file of ours


def page_heading(file: str | None, name: str) -> str:
    """The test or model of a page, and its file: without directories that exist on this machine only."""
    where = PurePath(file or "")
    return " · ".join([where.name if where.is_absolute() else str(file), name] if file else [name])


def again_link(*, command: str, replay: str) -> dict[str, str]:
    """The link to the section with the commands, if there is any command."""
    return {"again": "Replay" if replay else "Run again"} if command or replay else {}


def result_download(document: Mapping[str, Any]) -> list[dict[str, str]]:
    """The JSON document of a result as a file to be saved, unless it would be most of the page."""
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
    """What a template prints, made printable; markup stays as it is, and everything else is escaped afterwards."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _uncut(text: str) -> Markup:
    """One line of text of any length: a cut command would be wrong."""
    return escape(printable(text, lines=False))


def _lines(text: str, letters: int) -> Markup:
    """Text that keeps its line ends, cut after ``letters``."""
    return escape(printable(text if len(text) <= letters else f"{text[:letters]}..."))


def _sentence_case(text: str) -> str:
    """The beginning of a sentence in upper case; the name of an operation stays as it is."""
    return text if "(" in text.partition(" ")[0] else f"{text[:1].upper()}{text[1:]}"


def _phrase_list(phrases: Iterable[str]) -> str:
    return " or ".join(phrases)


def _sha256(text: str) -> str:
    """The name of a script or a style sheet in a security policy."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _script_data(data: Any) -> Markup:
    return Markup(script_data(data))  # noqa: S704 - no letter of it can end the element that it is in
