# SPDX-License-Identifier: Apache-2.0
"""The result of a test as an HTML report: the failure, the smallest scenario, the schedule step by step, the models,
the coverage, the replay command; then the history of the failing run, if there is one.

Guarantee: that of ``page_renderer``. Names, values and source lines of the code under test are escaped text. The page
lists no likely causes, since the steps of a run are known. Cost: that of the steps and the history.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from linpoint.explain.history.explain_verdict import explain
from linpoint.explain.history.page_operations import choose_operations
from linpoint.explain.history.page_timeline import TIMELINE_SCRIPTS, Timeline, timeline_of
from linpoint.explain.pages.page_renderer import again_link, page_heading, render_page, result_download
from linpoint.explain.test.result_document import test_document
from linpoint.explain.test.result_text import accusation, explored, meaning, models_text
from linpoint.explain.test.scenario_tables import scenario_tables
from linpoint.explain.trace.trace_table import trace_table
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result
from linpoint.verdicts.schedule import FEW_PREEMPTIONS
from linpoint.verdicts.status import Status

_STYLES: Final = ("tests.css",)
_VERDICTS: Final = {
    Status.LINEARIZABLE: "no violation",
    Status.VIOLATION: "a violation",
    Status.UNKNOWN: "not decided",
}
_BOUNDS: Final = {
    "preemptions": "Maximum preemptions",
    "threads": "Maximum threads",
    "operations": "Maximum operations per thread",
}
_MODELS: Final = {
    "free-threaded": "Python without a global lock: threads switch at any shared access",
    "gil": "Python with the global lock: threads switch only at calls and jumps",
    "sc": "all threads see each store immediately (sequential consistency)",
    "tso": "each thread has a store buffer, as on x86 (TSO)",
    "pso": "each thread has a store buffer per location (PSO)",
}


@dataclass(frozen=True, slots=True)
class ShownModel:
    """The verdict in one execution model."""

    name: str
    status: Status
    verdict: str
    meaning: str


def result_page(result: Result, *, command: str = "", replay: str = "") -> str:
    """The result as an HTML document; ``command`` runs the test, ``replay`` replays its first finding."""
    finding = result.findings[0] if result.findings else None
    timeline = None if finding is None else _timeline(finding)
    downloads = result_download(test_document(result))
    links = {"models": "Execution models"} if models_text(result) else {}
    links |= {"covered": "Coverage"} | again_link(command=command, replay=replay)
    links |= {} if timeline is None else timeline.links
    links |= {"save": "Save"} if downloads else {}
    context = {
        "status": result.status,
        "sentence": accusation(result),
        "meaning": "" if result.status is Status.VIOLATION else meaning(result),
        "explored": explored(result) if finding is None else "",
        "scenario": None if finding is None else scenario_tables(finding),
        "trace": None if finding is None or finding.trace is None else trace_table(finding.trace),
        "advice": () if finding is None else finding.advice,
        "warnings": result.warnings,
        "models": [
            ShownModel(name, status, _VERDICTS[status], _MODELS.get(name, "")) for name, status in result.models.items()
        ],
        "facts": list(_numbers(result)),
        "details": list(_ended(result)),
        "command": command,
        "replay": replay,
        "timeline": timeline,
        "page_note": "" if timeline is None else timeline.note,
    }
    return render_page(
        "test.html",
        context,
        title=f"{result.status.name}: {result.name}",
        heading=page_heading(result.file, result.name),
        links=links,
        data={"downloads": downloads} | ({} if timeline is None else timeline.data),
        scripts=() if timeline is None else TIMELINE_SCRIPTS,
        styles=_STYLES,
    )


def _numbers(result: Result) -> Iterator[tuple[str, str]]:
    coverage = result.coverage
    for name, value in result.bounds.items():
        yield _BOUNDS.get(name, f"Maximum {name}"), f"{value:,}"
    yield "Scenarios", f"{coverage.scenarios:,}"
    if coverage.bounded_schedules or not coverage.schedules:
        yield f"Schedules, up to {FEW_PREEMPTIONS} preemptions", f"{coverage.bounded_schedules:,}"
        yield "Schedules without that bound", f"{coverage.schedules:,}"
    else:
        yield "Schedules", f"{coverage.schedules:,}"
    yield "Steps", f"{coverage.steps:,}"
    yield "Time", f"{coverage.seconds:.1f} s"
    yield "Peak memory", f"{coverage.peak_memory_bytes / 2**20:,.0f} MiB"


def _ended(result: Result) -> Iterator[tuple[str, str]]:
    if result.findings:
        yield "Exhaustive", "no: the search stops at the first finding"
    elif result.exhaustive:
        yield "Exhaustive", "yes: every schedule of every scenario within these bounds was run"
    else:
        yield "Exhaustive", "no: not every schedule of every scenario within these bounds was run"


def _timeline(finding: Finding) -> Timeline | None:
    """The history of the failing run. A deadlock has none, since it would show only operations that returned."""
    if finding.verdict is None or finding.kind == "deadlock":
        return None
    explanation = explain(finding.verdict)
    return timeline_of(explanation, choose_operations(explanation))
