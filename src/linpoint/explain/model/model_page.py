# SPDX-License-Identifier: Apache-2.0
"""The result for a model as an HTML report: the failure and the reason of the spec, the run to step through, the
coverage, the replay command.

Guarantee: that of ``page_renderer``; names, values and source lines are escaped text, or data that the script sets as
text. Without scripts, and on paper, the page shows the whole run with its final state. Cost: O(steps x memory cells).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from linpoint.explain.history.operation_bars_svg import OperationBars, operation_bars
from linpoint.explain.model import model_text as models
from linpoint.explain.model.model_document import model_document
from linpoint.explain.model.model_text import (
    ENOUGH,
    bounds_text,
    covered,
    format_model_value,
    meaning,
    run_sentence,
    sentence,
    trace_of,
)
from linpoint.explain.pages.page_renderer import again_link, page_heading, render_page, result_download
from linpoint.explain.pages.script_data import plain
from linpoint.explain.trace.step_wording import wording_of
from linpoint.explain.trace.trace_table import run_table
from linpoint.text.phrases import count_noun
from linpoint.traces.trace import StepKind, TraceStep
from linpoint.verdicts.evidence import ModelStep
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result
from linpoint.verdicts.status import Status

_STYLES: Final = ("tests.css", "models.css")
_MAX_TEXT_CHARS: Final = 160


def model_page(result: Result, *, command: str = "", replay: str = "") -> str:
    """The result as an HTML document; ``command`` checks the model, ``replay`` replays its finding."""
    finding = result.findings[0] if result.findings else None
    downloads = result_download(model_document(result))
    links = {} if finding is None else {"run": "Run"}
    links |= {"covered": "Coverage"} | again_link(command=command, replay=replay)
    links |= {"save": "Save"} if downloads else {}
    context = {
        "status": result.status,
        "sentence": sentence(result).removeprefix(f"{result.name}: "),
        "meaning": meaning(result) if finding is None else "",
        "explored": covered(result) if finding is None else "",
        "bars": None if finding is None else _bars(finding),
        "warnings": result.warnings,
        "trace": None,
        "facts": list(_numbers(result)),
        "details": list(_ended(result)),
        "command": command,
        "replay": replay,
    }
    data: dict[str, Any] = {}
    if finding is not None:
        numbers = models.step_numbers(finding.steps, len(trace_of(finding).steps))
        context |= {
            "run_length": run_sentence(finding),
            "trace": run_table(trace_of(finding), numbers),
            "with_buffers": trace_of(finding).memory_model != "sc",
        }
        data = {"stages": list(_stages(finding))}
    return render_page(
        "model.html",
        context,
        title=f"{result.status.name}: {result.name}",
        heading=page_heading(result.file, result.name),
        links=links,
        data={"downloads": downloads} | data,
        scripts=() if finding is None else ("model_run.js",),
        styles=_STYLES,
    )


def _bars(finding: Finding) -> OperationBars | None:
    """The operations of the run that the spec rejects, as a drawing."""
    history = models.history_of(finding)
    culprit = models.culprit_of(finding)
    at = next((number for number, each in enumerate(history.operations) if each == culprit), None)
    nulls = models.nulls_of(finding)
    return operation_bars(history, range(len(history)), names={}, places={}, culprit=at, nulls=nulls)


def _stages(finding: Finding) -> Iterator[dict[str, Any]]:
    """The contents of the view before the first step and after each step."""
    names = models.names_of(finding)
    wording = wording_of(trace_of(finding), longest=_MAX_TEXT_CHARS, of_model=True)
    standing = dict.fromkeys(names, ("", "idle"))
    nothing = {"processes": _named(finding, standing), "waiting": [], "survivors": []}
    yield {"rows": [-1, -1], "said": "Before the first step.", "memory": _memory(finding.memory, ()), **nothing}
    for number, step in enumerate(finding.steps, 1):
        parts = trace_of(finding).steps[step.first : step.last + 1]
        for part in parts:
            if part.thread is not None and part.kind is not StepKind.DRAIN:
                standing[part.thread] = _stands(part, standing[part.thread][0])
        told = [models.configuration_text(each, names, _asking(finding, step)) for each in step.survivors]
        told += [f"... and {count_noun(step.more_survivors, 'more state')}"] if step.more_survivors else []
        what = f"{names[step.process]}: {'; '.join(map(wording.step, parts))}"
        yield {
            "rows": [step.first, step.last],
            "said": _wrong(finding) if number == len(finding.steps) else plain(what, 400),
            "memory": _memory(step.memory, [place for place, _, _ in step.changes]),
            "processes": _named(finding, standing),
            "waiting": _waiting(finding, step),
            "survivors": [plain(each, 400) for each in told],
        }


def _asking(finding: Finding, step: ModelStep) -> int | None:
    return step.process if step is finding.steps[-1] and finding.refused else None


def _wrong(finding: Finding) -> str:
    return plain(finding.refused or f"{finding.message}.", 600)


def _stands(part: TraceStep, call: str) -> tuple[str, str]:
    """The open operation of a process, and the text of its last action."""
    if part.kind is StepKind.CALL:
        call = f"{part.operation}({', '.join(map(format_model_value, part.args))})"
    if part.kind is StepKind.RETURN:
        return "", f"{call} has returned {format_model_value(part.value)}"
    where = "" if part.place is None else f", line {part.place.line}: {(part.place.text or '').strip()}"
    return call, f"{call}{where}"


def _named(finding: Finding, standing: dict[int | str, tuple[str, str]]) -> list[list[Any]]:
    names = models.names_of(finding)
    return [
        [plain(str(names[process])), plain(told, _MAX_TEXT_CHARS), False] for process, (_, told) in standing.items()
    ]


def _memory(memory: Sequence[tuple[str, Any]], changed: Sequence[str]) -> list[list[Any]]:
    return [[plain(place), plain(format_model_value(value)), place in changed] for place, value in memory]


def _waiting(finding: Finding, step: ModelStep) -> list[list[Any]]:
    """The buffered stores after a step, for each process that has some."""
    found: dict[int | str, str] = {}
    for part in trace_of(finding).steps[: step.last + 1]:
        if part.thread is not None:
            found[part.thread] = ", ".join(f"{place} = {format_model_value(value)}" for place, value in part.buffer)
    names = models.names_of(finding)
    return [
        [plain(str(names[process])), plain(told, _MAX_TEXT_CHARS), False] for process, told in found.items() if told
    ]


def _numbers(result: Result) -> Iterator[tuple[str, str]]:
    coverage = result.coverage
    if result.spec:
        yield "Spec", result.spec
    yield "States", f"{coverage.states:,}"
    yield "Transitions", f"{coverage.transitions:,}"
    yield "Depth", f"{coverage.depth:,}"
    yield "Time", f"{coverage.seconds:.2f} s"
    if coverage.states >= ENOUGH and coverage.seconds > 0:
        yield "States per second", f"{coverage.states / coverage.seconds:,.0f}"
        yield "Bytes per state", f"{coverage.bytes_per_state:,.0f}"
    yield "Peak memory", f"{coverage.peak_memory_bytes / 2**20:,.0f} MiB"


def _ended(result: Result) -> Iterator[tuple[str, str]]:
    yield "Bounds", bounds_text(result.bounds)
    if result.findings:
        yield "Exhaustive", "no: the search stops at the first failing run"
    elif result.status is Status.HOLDS:
        yield "Exhaustive", "yes: every state within these bounds was reached"
    else:
        yield "Exhaustive", f"no: {result.why}"
