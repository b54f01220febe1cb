# SPDX-License-Identifier: Apache-2.0
"""An explanation as one HTML document. It needs no network and no other file, and nothing from the history can run.

Guarantee: the only script is ours, named by its hash in the page's security policy; everything of a history is escaped
text or JSON data, which scripts set as text. The document can be written as UTF-8. Cost: O(operations held), at most
200,000, about ten microseconds for each; the page is some hundred bytes for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from string import Template
from typing import Any, Final

from linpoint.explain.explanation import Explanation
from linpoint.explain.html.choosing import choose
from linpoint.explain.html.columns import columns
from linpoint.explain.html.downloads import downloads, minimal_command
from linpoint.explain.html.escaping import escaped, plain, script_data
from linpoint.explain.html.inlining import asset, digest
from linpoint.explain.html.lanes import lane_names
from linpoint.explain.html.orders import orders
from linpoint.explain.html.sections import sections
from linpoint.explain.html.summary import names_of, summary
from linpoint.histories.values import show
from linpoint.verdicts import Verdict

_STYLES: Final = ("base.css", "summary.css", "sections.css", "graph.css", "traces.css")
_SCRIPTS: Final = (
    "data.js",
    "model.js",
    "timeline.js",
    "axis.js",
    "gestures.js",
    "windowed.js",
    "operations.js",
    "filters.js",
    "steps.js",
    "keys.js",
    "start.js",
)
_LONGEST_TITLE: Final = 120
_COLOURS: Final = 6


def page(
    explanation: Explanation,
    *,
    file: str = "",
    arguments: Sequence[str] = (),
    command: str = "",
    replay: str = "",
    traces: Sequence[str] = (),
) -> str:
    """The explanation as an HTML document.

    ``file`` is the history's name, ``arguments`` the options that it was checked with, ``command`` the shell command
    that checks it, ``replay`` the one that shows the finding again. ``traces`` are HTML fragments, which are put in as
    they are.
    """
    verdict = explanation.verdict
    chosen = choose(explanation)
    places = {position: at for at, position in enumerate(chosen.positions)}
    files = downloads(explanation)
    data = _data(explanation, chosen.positions, places) | {"downloads": files}
    below = sections(explanation, files, traces, check_minimal=minimal_command(explanation, arguments))
    script = _script()
    return Template(asset("page.html")).substitute(
        policy=_policy(script),
        title=escaped(f"{verdict.status.name}: {file or verdict.history.source} - linpoint", _LONGEST_TITLE),
        style="\n".join(map(asset, _STYLES)),
        file=escaped(f"{file or verdict.history.source} · {verdict.spec.name} · {verdict.condition}"),
        links=_links(data, [(section.name, section.title) for section in below]),
        summary=summary(explanation, places, command=command, replay=replay),
        note=f'<p class="note">{escaped(chosen.note)}</p>' if chosen.note else "",
        legend=_legend(data["columns"]["names"]),
        sections="\n".join(section.html for section in below),
        data=script_data(data),
        script=script,
    )


def _data(explanation: Explanation, positions: Sequence[int], places: Mapping[int, int]) -> dict[str, Any]:
    """What the script of the page works on."""
    verdict = explanation.verdict
    names = names_of(explanation)
    table = columns(verdict, positions)
    marks = _marks(verdict, len(table["lane"]), table["crashed"])
    culprit = -1 if explanation.culprit is None else places.get(explanation.culprit.position, -1)
    return {
        "columns": table,
        "total": len(verdict.history),
        "core": [[places[position], names[position]] for position in explanation.core if position in places],
        "culprit": culprit,
        "keys": _keys(verdict),
        "orders": orders(explanation, places),
        **marks,
    }


def _marks(verdict: Verdict, count: int, crashed: Sequence[int]) -> dict[str, Any]:
    """Crashes and annotations; their times are in the columns, behind those of the operations."""
    crashes, annotations = verdict.history.crashes, verdict.history.annotations
    first = 2 * count
    called = lane_names(verdict.history)
    then = first + len(crashes)
    return {
        "crashes": [
            {
                "at": first + at,
                "lane": lane,
                "text": "crash" if crash.process is None else plain(f"crash of {called[crash.process]}", 60),
            }
            for at, (crash, lane) in enumerate(zip(crashes, crashed, strict=True))
        ],
        "annotations": [
            {"at": then + at, "untilAt": then + len(annotations) + at, "text": plain(each.text, 200)}
            for at, each in enumerate(annotations)
        ],
    }


def _keys(verdict: Verdict) -> dict[str, list[Any]]:
    return {
        "key": ["" if key.key is None else plain(show(key.key), 200) for key in verdict.keys],
        "verdict": [key.status.value for key in verdict.keys],
        "operations": [len(key.positions) for key in verdict.keys],
        "checker": [plain(key.checker) for key in verdict.keys],
        "why": [plain(key.why) for key in verdict.keys],
    }


def _links(data: Mapping[str, Any], below: Sequence[tuple[str, str]]) -> str:
    """Links to the sections that are there."""
    found = [("timeline", "Timeline"), ("operations", "Operations")]
    found += [("steps", "Steps")] * bool(data["orders"])
    found += [("keys", "Keys")] * (len(data["keys"]["key"]) > 1)
    short = {"graph": "Graph", "zones": "Zones"}
    found += [(name, short.get(name, title)) for name, title in below]
    return "".join(f'<a href="#{name}">{title}</a>' for name, title in found)


def _legend(names: Sequence[str]) -> str:
    """Which colour stands for which operation, as far as colours go."""
    return "".join(
        f'<li><i class="swatch op-{number}"></i>{escaped(name, 30)}</li>'
        for number, name in enumerate(names[:_COLOURS])
    )


def _policy(script: str) -> str:
    """Nothing is loaded from anywhere, and no script runs but this one."""
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _script() -> str:
    """All scripts as one, with names of their own."""
    return "\n".join(["(() => {", '"use strict";', *map(asset, _SCRIPTS), "})();"])
