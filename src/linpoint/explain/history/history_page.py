# SPDX-License-Identifier: Apache-2.0
"""An explanation of a history as one self-contained HTML document, in which no content of the history can run.

Guarantee: that of ``page_renderer``; all content of a history is escaped text or data. Cost: that of ``page_timeline``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from markupsafe import Markup

from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.order_graph_svg import graph_svg
from linpoint.explain.history.page_downloads import MINIMAL, downloads, minimal_command
from linpoint.explain.history.page_operations import choose_operations
from linpoint.explain.history.page_summary import names_of, summary_context
from linpoint.explain.history.page_timeline import TIMELINE_SCRIPTS, timeline_of
from linpoint.explain.history.register_zones import value_zones, zone_rows
from linpoint.explain.pages.page_renderer import render_page
from linpoint.explain.pages.script_data import plain
from linpoint.histories.values import format_value
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Status

TEMPLATES: Final = (
    "base.html",
    "macros.html",
    "history.html",
    "summary.html",
    "operation_bars.html",
    "timeline.html",
    "timeline_keys.html",
)
"""The templates that most pages use."""
_MAX_UNDECIDED_KEYS: Final = 20


def history_page(
    explanation: Explanation,
    *,
    file: str = "",
    arguments: Sequence[str] = (),
    command: str = "",
    replay: str = "",
    traces: Sequence[str] = (),
) -> str:
    """The explanation as an HTML document.

    ``file`` is the history's name, ``arguments`` are the options of its check, ``command`` is the shell command that
    checks it, and ``replay`` the one that replays the finding. ``traces`` are HTML fragments, which are inserted
    unchanged.
    """
    verdict = explanation.verdict
    shown = choose_operations(explanation)
    timeline = timeline_of(explanation, shown)
    files = downloads(explanation)
    zones = value_zones(explanation)
    graph = graph_svg(explanation, names_of(explanation))
    found = {"graph": graph, "zones": zones, "traces": traces, "statistics": True, "save": files}
    names = {"graph": "Graph", "zones": "Zones", "traces": "Traces", "statistics": "Statistics", "save": "Save"}
    links = timeline.links | {section: names[section] for section, content in found.items() if content}
    name = file or verdict.history.source
    context = summary_context(explanation, shown.places, command=command, replay=replay) | {
        "page_note": timeline.note,
        "graph": Markup(graph),  # noqa: S704 - the SVG writer escapes all content of the history
        "zones": zone_rows(zones, explanation.core),
        "traces": [Markup(trace) for trace in traces],  # noqa: S704 - the caller vouches for them
        "facts": list(_facts(explanation)),
        "details": list(_details(explanation)),
        "minimal_command": minimal_command(explanation, arguments) if files and files[0]["name"] == MINIMAL else "",
    }
    return render_page(
        "history.html",
        context,
        title=f"{verdict.status.name}: {name}",
        heading=f"{name} · {verdict.spec.name} · {verdict.condition}",
        links=links,
        data={"downloads": files} | timeline.data,
        scripts=TIMELINE_SCRIPTS,
    )


def _facts(explanation: Explanation) -> Iterator[tuple[str, str]]:
    verdict = explanation.verdict
    history, statistics = verdict.history, verdict.statistics
    yield "Spec", verdict.spec.name
    yield "Condition", verdict.condition
    yield "Checker", verdict.checker
    yield "Checked", count_noun(statistics.operations, "operation")
    yield "Recorded", count_noun(len(history), "operation")
    yield "Processes", f"{len(history.processes):,}"
    yield "Keys", f"{len(verdict.keys):,}"
    yield "Time", f"{statistics.seconds:.3f} s"
    yield "Peak memory", f"{statistics.peak_memory_bytes / 2**20:,.0f} MiB"
    yield "Configurations", f"{statistics.configurations:,}"
    if history.crashes:
        yield "Crashes", f"{len(history.crashes):,}"
    if history.annotations:
        yield "Annotations", f"{len(history.annotations):,}"
    if history.clock_skew:
        yield "Clock skew", f"up to {history.clock_skew:,}"


def _details(explanation: Explanation) -> Iterator[tuple[str, str]]:
    """The reason for the checker, warnings, and where the search stopped for undecided keys."""
    verdict = explanation.verdict
    yield "Why this checker", verdict.why
    yield from (("Warning", warning) for warning in verdict.warnings)
    undecided = [key for key in verdict.keys if key.status is Status.UNKNOWN]
    for key in undecided[:_MAX_UNDECIDED_KEYS]:
        where = "Not decided" if key.key is None else f"Key {plain(format_value(key.key), 60)} was not decided"
        how_far = ""
        if key.reached is not None:
            how_far = f"; the longest legal prefix found has {len(key.reached.prefix):,} of {key.reached.operations:,} operations"
        yield where, f"{key.why}{how_far}"
