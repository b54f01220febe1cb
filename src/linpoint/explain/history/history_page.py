# SPDX-License-Identifier: Apache-2.0
"""An explanation as one HTML document. It needs no network and no other file, and nothing from the history can run.

Guarantee: that of ``frame``; everything of a history is escaped text or data. Cost: that of ``history``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.page_downloads import downloads, minimal_command
from linpoint.explain.history.page_operations import choose
from linpoint.explain.history.page_summary import summary
from linpoint.explain.history.page_timeline import history_part
from linpoint.explain.pages.page_renderer import Part, document
from linpoint.explain.pages.sections import sections

_SHORT: Final = {"graph": "Graph", "zones": "Zones"}


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
    below = sections(explanation, files, traces, check_minimal=minimal_command(explanation, arguments))
    parts = [
        Part(summary(explanation, places, command=command, replay=replay)),
        history_part(explanation, chosen),
        Part(
            "\n".join(section.html for section in below),
            tuple((section.name, _SHORT.get(section.name, section.title)) for section in below),
            {"downloads": files},
        ),
    ]
    name = file or verdict.history.source
    return document(
        parts,
        title=f"{verdict.status.name}: {name}",
        name=f"{name} · {verdict.spec.name} · {verdict.condition}",
    )
