# SPDX-License-Identifier: Apache-2.0
"""The result for a model as one HTML document: what goes wrong and why the spec refuses it, the run to step through, what
was covered, how to see it again.

Guarantee: that of ``page_renderer``; names, values and source lines are escaped text, or data that the script sets as
text. Without a script, and on paper, the whole run is there with the state at its end. Cost: O(steps x places in memory).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from linpoint.explain.history.operation_bars_svg import OperationBars, operation_bars
from linpoint.explain.model import model_text as models
from linpoint.explain.model.model_text import ENOUGH, bounds_told, covered, meaning, run_told, sentence, value_told
from linpoint.explain.pages.page_renderer import again_link, page_heading, render_page, result_download
from linpoint.explain.pages.script_data import plain
from linpoint.explain.trace.step_wording import wording_of
from linpoint.explain.trace.trace_table import run_table
from linpoint.histories.values import counted
from linpoint.traces.trace import StepKind, TraceStep
from linpoint.verdicts.model import ModelFinding, ModelResult, ModelStep
from linpoint.verdicts.program import Answer

_STYLES: Final = ("tests.css", "models.css")
_LONGEST: Final = 160


def model_page(result: ModelResult, *, command: str = "", replay: str = "") -> str:
    """The result as an HTML document; ``command`` checks the model, ``replay`` shows its finding again."""
    finding = result.findings[0] if result.findings else None
    downloads = result_download(models.document(result))
    links = {} if finding is None else {"run": "The run"}
    links |= {"covered": "What was covered"} | again_link(command=command, replay=replay)
    links |= {"save": "Save"} if downloads else {}
    context = {
        "status": result.answer,
        "sentence": sentence(result).removeprefix(f"{result.name}: "),
        "meaning": meaning(result) if finding is None else finding.refused,
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
        numbers = models.step_numbers(finding.steps, len(finding.trace.steps))
        context |= {
            "run_length": run_told(finding),
            "trace": run_table(finding.trace, numbers),
            "with_buffers": finding.trace.memory_model != "sc",
        }
        data = {"stages": list(_stages(finding))}
    return render_page(
        "model.html",
        context,
        title=f"{result.answer.name}: {result.name}",
        heading=page_heading(result.file, result.name),
        links=links,
        data={"downloads": downloads} | data,
        scripts=() if finding is None else ("model_run.js",),
        styles=_STYLES,
    )


def _bars(finding: ModelFinding) -> OperationBars | None:
    """The operations of the run, which the spec refuses."""
    history = models.history_of(finding)
    culprit = models.culprit_of(finding)
    at = next((number for number, each in enumerate(history.operations) if each == culprit), None)
    nulls = models.nulls_of(finding)
    return operation_bars(history, range(len(history)), names={}, places={}, culprit=at, nulls=nulls)


def _stages(finding: ModelFinding) -> Iterator[dict[str, Any]]:
    """What is shown before the first step and after each one."""
    names = models.names_of(finding)
    wording = wording_of(finding.trace, longest=_LONGEST, of_model=True)
    standing = dict.fromkeys(names, ("", "between two operations"))
    nothing = {"processes": _named(finding, standing), "waiting": [], "survivors": []}
    yield {"rows": [-1, -1], "said": "Before the first step.", "memory": _memory(finding.memory, ()), **nothing}
    for number, step in enumerate(finding.steps, 1):
        parts = finding.trace.steps[step.first : step.last + 1]
        for part in parts:
            if part.thread is not None and part.kind is not StepKind.DRAIN:
                standing[part.thread] = _stands(part, standing[part.thread][0])
        told = [models.survivor_told(each, names, _asking(finding, step)) for each in step.survivors]
        told += [f"... or in {counted(step.more_survivors, 'other state')}"] if step.more_survivors else []
        what = f"{names[step.process]}: {'; '.join(map(wording.step, parts))}"
        yield {
            "rows": [step.first, step.last],
            "said": _wrong(finding) if number == len(finding.steps) else plain(what, 400),
            "memory": _memory(step.memory, [place for place, _, _ in step.changes]),
            "processes": _named(finding, standing),
            "waiting": _waiting(finding, step),
            "survivors": [plain(each, 400) for each in told],
        }


def _asking(finding: ModelFinding, step: ModelStep) -> int | None:
    return step.process if step is finding.steps[-1] and finding.refused else None


def _wrong(finding: ModelFinding) -> str:
    return plain(finding.refused or f"{finding.message}.", 600)


def _stands(part: TraceStep, call: str) -> tuple[str, str]:
    """Of a process the operation that is open, and what it did last."""
    if part.kind is StepKind.CALL:
        call = f"{part.operation}({', '.join(map(value_told, part.args))})"
    if part.kind is StepKind.RETURN:
        return "", f"{call} has returned {value_told(part.value)}"
    where = "" if part.place is None else f", line {part.place.line}: {(part.place.text or '').strip()}"
    return call, f"{call}{where}"


def _named(finding: ModelFinding, standing: dict[int | str, tuple[str, str]]) -> list[list[Any]]:
    names = models.names_of(finding)
    return [[plain(str(names[process])), plain(told, _LONGEST), False] for process, (_, told) in standing.items()]


def _memory(memory: Sequence[tuple[str, Any]], changed: Sequence[str]) -> list[list[Any]]:
    return [[plain(place), plain(value_told(value)), place in changed] for place, value in memory]


def _waiting(finding: ModelFinding, step: ModelStep) -> list[list[Any]]:
    """The stores that wait after a step, of each process that has some."""
    found: dict[int | str, str] = {}
    for part in finding.trace.steps[: step.last + 1]:
        if part.thread is not None:
            found[part.thread] = ", ".join(f"{place} = {value_told(value)}" for place, value in part.buffer)
    names = models.names_of(finding)
    return [[plain(str(names[process])), plain(told, _LONGEST), False] for process, told in found.items() if told]


def _numbers(result: ModelResult) -> Iterator[tuple[str, str]]:
    explored = result.explored
    if result.spec:
        yield "Spec", result.spec
    yield "States", f"{explored.states:,}"
    yield "Transitions", f"{explored.transitions:,}"
    yield "Depth", f"{explored.depth:,}"
    yield "Time", f"{explored.seconds:.2f} s"
    if explored.states >= ENOUGH and explored.seconds > 0:
        yield "States a second", f"{explored.states / explored.seconds:,.0f}"
        yield "Bytes a state", f"{explored.bytes_per_state:,.0f}"
    yield "Peak memory", f"{explored.peak_memory_bytes / 2**20:,.0f} MiB"


def _ended(result: ModelResult) -> Iterator[tuple[str, str]]:
    yield "Bounds", bounds_told(result.bounds)
    if result.findings:
        yield "Exhaustive", "no: the search ends with the first run that goes wrong"
    elif result.answer is Answer.HOLDS:
        yield "Exhaustive", "yes: every state within these bounds was reached"
    else:
        yield "Exhaustive", f"no: {result.why}"
