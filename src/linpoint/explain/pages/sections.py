# SPDX-License-Identifier: Apache-2.0
"""The sections of a page below its tables: the graph, zones, traces, statistics, what can be saved."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.order_graph_svg import graph_svg
from linpoint.explain.history.page_downloads import MINIMAL
from linpoint.explain.history.page_summary import names_of
from linpoint.explain.history.register_zones import picture, zones
from linpoint.explain.pages.copying import copied
from linpoint.explain.pages.page_renderer import Part
from linpoint.explain.pages.script_data import escaped
from linpoint.histories.values import counted, show
from linpoint.verdicts import Status

_LONGEST_JSON: Final = 1_000_000


class Section(NamedTuple):
    """A part of the page with a heading, to which the header links."""

    name: str
    title: str
    body: str

    @property
    def html(self) -> str:
        """As an element."""
        heading = f'<h2 id="{self.name}-title">{self.title}</h2>'
        return f'<section id="{self.name}" aria-labelledby="{self.name}-title">{heading}{self.body}</section>'


def sections(
    explanation: Explanation, files: Sequence[Mapping[str, Any]], traces: Sequence[str], *, check_minimal: str
) -> list[Section]:
    """All sections that have something to say."""
    found = [
        Section("graph", "Who must come before whom", _graph(explanation)),
        Section("zones", "When each value was current", _zones(explanation)),
        Section("traces", "Traces", "".join(f'<div class="trace-box">{trace}</div>' for trace in traces)),
        Section("statistics", "Statistics", _statistics(explanation)),
        Section("save", "Save", _save(files, check_minimal)),
    ]
    return [section for section in found if section.body]


def _graph(explanation: Explanation) -> str:
    drawn = graph_svg(explanation, names_of(explanation))
    return f'<div class="picture graph">{drawn}</div>' if drawn else ""


def _zones(explanation: Explanation) -> str:
    found = zones(explanation)
    if not found:
        return ""
    return (
        '<p class="hint">Full bars: the value was certainly current all this time. Hollow bars: at some instant within. '
        "Two full bars that overlap, or a hollow one inside a full one, cannot be. Red: values of the minimal history. "
        "Only the order of times is kept; values that were written twice are left out.</p>"
        f'<div class="picture">{picture(found, explanation.core)}</div>'
    )


def _facts(explanation: Explanation) -> Iterator[tuple[str, str]]:
    verdict = explanation.verdict
    history, statistics = verdict.history, verdict.statistics
    yield "Spec", verdict.spec.name
    yield "Condition", verdict.condition
    yield "Checker", verdict.checker
    yield "Checked", counted(statistics.operations, "operation")
    yield "Recorded", counted(len(history), "operation")
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


def _statistics(explanation: Explanation) -> str:
    verdict = explanation.verdict
    wide = [("Why this checker", verdict.why), *(("Warning", warning) for warning in verdict.warnings)]
    return facts(_facts(explanation), [*wide, *_stopped(explanation)])


def facts(short: Iterable[tuple[str, str]], wide: Iterable[tuple[str, str]] = ()) -> str:
    """Names with what is said of them, in columns; the wide ones take a row each. The names are put in as they are."""
    pairs = [f"<div><dt>{name}</dt><dd>{escaped(text)}</dd></div>" for name, text in short]
    pairs += [f'<div class="wide"><dt>{name}</dt><dd>{escaped(text)}</dd></div>' for name, text in wide]
    return f'<dl class="statistics">{"".join(pairs)}</dl>'


def _stopped(explanation: Explanation) -> list[tuple[str, str]]:
    """Where searches were stopped, for keys that were not decided."""
    said: list[tuple[str, str]] = []
    for key in explanation.verdict.keys:
        if key.status is not Status.UNKNOWN or len(said) == 20:
            continue
        where = "Not decided" if key.key is None else f"Key {escaped(show(key.key), 60)} was not decided"
        how_far = ""
        if key.reached is not None:
            how_far = f"; {len(key.reached.prefix):,} of {key.reached.operations:,} operations had their place"
        said.append((where, f"{key.why}{how_far}"))
    return said


def _save(files: Sequence[Mapping[str, Any]], check_minimal: str) -> str:
    if not files:
        return ""
    checked = ""
    if files[0]["name"] == MINIMAL:
        checked = copied("minimal", "The minimal history is a violation by itself. Check it with:", check_minimal)
    return f"{saved(files)}{checked}"


def again(*boxes: tuple[str, str, str]) -> list[Section]:
    """The commands that show a result again, each with its name and what it is for; those that are empty are left out."""
    told = [copied(name, what, text) for name, what, text in boxes if text]
    title = "Show it again" if any(name == "replay" and text for name, _, text in boxes) else "Run it again"
    return [Section("again", title, f'<div class="again">{"".join(told)}</div>')] if told else []


def saved_document(document: Mapping[str, Any]) -> list[Part]:
    """The JSON document of a result, to be saved, unless it would be most of the page."""
    text = json.dumps(document, default=repr)
    if len(text) > _LONGEST_JSON:
        return []
    files = [{"name": "result.json", "type": "application/json", "text": text}]
    section = Section("save", "Save", saved(files))
    return [Part(section.html, ((section.name, section.title),), {"downloads": files})]


def file_and_name(file: str | None, name: str) -> str:
    """What a page is of: a test or a model of a file, without the folders that are only of this machine."""
    where = PurePath(file or "")
    return " · ".join([where.name if where.is_absolute() else str(file), name] if file else [name])


def saved(files: Sequence[Mapping[str, Any]]) -> str:
    """A button for each of the files that are in the data of the page."""
    buttons = (
        f'<button type="button" data-download="{at}">{escaped(file["name"])}</button>' for at, file in enumerate(files)
    )
    return f'<div class="save">{"".join(buttons)}</div>'
