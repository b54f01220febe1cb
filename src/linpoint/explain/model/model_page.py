# SPDX-License-Identifier: Apache-2.0
"""The result for a model as one HTML document: what goes wrong and why the spec refuses it, the run to step through, what
was covered, how to see it again.

Guarantee: that of ``frame``; names, values and source lines are escaped text, or data that the script sets as text. Without
a script, and on paper, the whole run is there with what was known at its end. Cost: O(steps x places in memory).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import Template
from typing import Any, Final

from linpoint.explain.history.operation_bars_svg import drawing
from linpoint.explain.history.page_summary import headline
from linpoint.explain.model import model_text as models
from linpoint.explain.model.model_text import ENOUGH, bounds_told, covered, meaning, run_told, sentence, value_told
from linpoint.explain.pages.inlining import asset
from linpoint.explain.pages.page_renderer import Part, document
from linpoint.explain.pages.script_data import escaped, plain
from linpoint.explain.pages.sections import Section, again, facts, file_and_name, saved_document
from linpoint.explain.trace.step_wording import wording_of
from linpoint.explain.trace.trace_section import run_fragment
from linpoint.histories.values import counted
from linpoint.traces.trace import StepKind, TraceStep
from linpoint.verdicts.model import ModelFinding, ModelResult, ModelStep
from linpoint.verdicts.program import Answer

_STYLES: Final = ("tests.css", "models.css")
_LONGEST: Final = 160


def page_of_model(result: ModelResult, *, command: str = "", replay: str = "") -> str:
    """The result as an HTML document; ``command`` checks the model, ``replay`` shows its finding again."""
    finding = result.findings[0] if result.findings else None
    parts = [Part(_first(result, finding))]
    if finding is not None:
        parts.append(_run(finding))
    parts += (Part(each.html, ((each.name, each.title),)) for each in _sections(result, command, replay))
    parts += saved_document(models.document(result))
    name = file_and_name(result.file, result.name)
    return document(parts, title=f"{result.answer.name}: {result.name}", name=name, styles=_STYLES)


def _first(result: ModelResult, finding: ModelFinding | None) -> str:
    """The first screen: the verdict and why."""
    parts = [headline(result.answer, sentence(result).removeprefix(f"{result.name}: "))]
    if finding is None:
        parts.append(f'<p class="meaning">{escaped(meaning(result))}</p>')
        parts.append(f'<p class="facts">{escaped(f"Explored: {covered(result)}.")}</p>')
    else:
        parts += _refusal(finding)
    parts += (f'<p class="note">{escaped(f"Warning: {warning}.")}</p>' for warning in result.warnings)
    return f'<section id="verdict" aria-labelledby="sentence">{"".join(parts)}</section>'


def _refusal(finding: ModelFinding) -> Iterator[str]:
    """Why the spec refuses it, beside the operations as a drawing."""
    history = models.history_of(finding)
    culprit = models.culprit_of(finding)
    at = next((number for number, each in enumerate(history.operations) if each == culprit), None)
    nulls = models.nulls_of(finding)
    drawn = drawing(history, range(len(history)), names={}, places={}, culprit=at, nulls=nulls)
    if finding.refused:
        yield f'<p class="meaning">{escaped(finding.refused)}</p>'
    if drawn:
        title = 'The operations <span class="count">(order only, not to scale)</span>'
        yield f'<div class="evidence one"><div><h2>{title}</h2><div class="draw-box">{drawn}</div></div></div>'


def _run(finding: ModelFinding) -> Part:
    """The run, to step through. The script begins at its end, so that nothing changes before somebody moves."""
    numbers = models.step_numbers(finding.steps, len(finding.trace.steps))
    stages = list(_stages(finding))
    html = Template(asset("model_run.html")).substitute(
        length=escaped(run_told(finding)),
        trace=run_fragment(finding.trace, numbers),
        last=str(len(stages) - 1),
        memory=_pairs(stages[-1]["memory"]),
        processes=_pairs(stages[-1]["processes"]),
        survivors="".join(f"<li>{escaped(each)}</li>" for each in stages[-1]["survivors"]),
        buffers="" if finding.trace.memory_model != "sc" else " hidden",
        waiting=_pairs(stages[-1]["waiting"]),
        refused=escaped(stages[-1]["said"]),
    )
    return Part(html, (("run", "The run"),), {"stages": stages}, ("model_run.js",), asset("model_run_keys.html"))


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


def _pairs(rows: Sequence[Sequence[Any]]) -> str:
    """Rows of a table: a name, what is said of it, and whether it has changed."""
    return "".join(
        f'<tr{" class=changed" if changed else ""}><th scope="row">{escaped(name)}</th><td>{escaped(told)}</td></tr>'
        for name, told, changed in rows
    )


def _sections(result: ModelResult, command: str, replay: str) -> Iterator[Section]:
    yield Section("covered", "What was covered", facts(_numbers(result), _ended(result)))
    yield from again(
        ("replay", "This run alone (from the same folder; it needs the file of the model):", replay),
        ("command", "The whole check (from the same folder):", command),
    )


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
