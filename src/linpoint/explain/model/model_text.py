# SPDX-License-Identifier: Apache-2.0
"""The result for a model in words: what goes wrong, why the spec refuses it, the run step by step, what was covered.

Guarantee: every word is safe to print; the steps take at most ``MOST_LINES`` lines if they can be folded so far, with the
failure among them. A pass says what it does not prove.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from linpoint.explain.history.explanation import as_json, operation_fields
from linpoint.explain.test.result_text import finding_document
from linpoint.explain.trace import run_text
from linpoint.explain.trace.step_wording import model_value
from linpoint.explain.wording.ascii_timeline import picture
from linpoint.explain.wording.state_text import state_text
from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, counted, one_line, show
from linpoint.text.printable import printable
from linpoint.text.terminal_text import fitted, wrapped
from linpoint.traces.trace import MEMORY_MODELS
from linpoint.traces.trace_operations import operations_of
from linpoint.verdicts.model import ModelExplored, ModelFinding, ModelResult, ModelStep, Survivor
from linpoint.verdicts.program import Answer

MOST_LINES: Final = 60
"""Of the steps."""
_WIDTH: Final = 100
_LONGEST: Final = 60
ENOUGH: Final = 10_000
"""States from which on the bytes of one are more than the tables that are there before the first."""
_HEAPS: Final = {
    "gc": "nodes that nobody can reach are collected",
    "free": "nodes are used again",
    "counted": "nodes are used again, pointers are counted",
}


@dataclass(frozen=True, slots=True)
class ModelText:
    """A result, explained: ``text`` for people, ``as_dict()`` for programs, ``as_html()`` for a browser."""

    result: ModelResult
    text: str

    def __str__(self) -> str:
        return self.text

    def as_dict(self) -> dict[str, Any]:
        """The JSON document of the model."""
        return document(self.result)

    def as_html(self, *, command: str = "", replay: str = "") -> str:
        """The result as one page for a browser, which needs nothing else.

        ``command`` and ``replay`` are shown as what checks the model and what shows its finding again.
        """
        from linpoint.explain.model.model_page import model_page  # noqa: PLC0415 - only who asks for a page waits for it

        return model_page(self.result, command=command, replay=replay)


def explain_model(result: ModelResult) -> ModelText:
    """Put a result into words."""
    lines = [f"{result.answer.name}: {sentence(result)}."]
    for finding in result.findings:
        lines += finding_lines(finding)
    lines += ["", *wrapped(f"Explored: {covered(result)}.", _WIDTH)]
    if meaning(result):
        lines += wrapped(meaning(result), _WIDTH, most=9)
    lines += [f"Warning: {warning}." for warning in result.warnings]
    return ModelText(result, printable("\n".join(lines)))


def sentence(result: ModelResult) -> str:
    """The answer in a sentence, without the verdict."""
    if result.findings:
        return f"{result.name}: {result.findings[0].message}"
    if result.answer is Answer.HOLDS and result.spec:
        return f"{result.name} is linearizable with respect to {result.spec}: {result.why}"
    return f"{result.name}: {result.why}"


def finding_lines(finding: ModelFinding) -> list[str]:
    """A finding: why the spec refuses it, its operations as a drawing, what the spec could be, its steps."""
    return [*refusal_lines(finding), "", f"{run_told(finding)}:", "", *_steps(finding)]


def refusal_lines(finding: ModelFinding) -> list[str]:
    """The operations of a run as a drawing, and why the spec refuses the last of them."""
    lines = [finding.refused] if finding.refused else []
    drawn = drawing(finding)
    lines += ["", *(f"  {row}" for row in drawn.splitlines())] if drawn else []
    return [*lines, "", *_ways(finding)] if finding.refused else lines


def drawing(finding: ModelFinding) -> str:
    """The operations of the run, a row for each process. Of what the spec refuses, null is said too."""
    history = history_of(finding)
    if not len(history):
        return ""
    return picture(history, range(len(history)), width=_WIDTH, nulls=nulls_of(finding))


def nulls_of(finding: ModelFinding) -> frozenset[str]:
    """The operations of which null is said too: those by the name of the one that the spec refuses."""
    culprit = culprit_of(finding)
    return frozenset() if culprit is None else frozenset([culprit.name])


def history_of(finding: ModelFinding) -> History:
    """The operations of the run, by the names of their processes."""
    return History(operations_of(finding.trace, names_of(finding)), source="the run")


def names_of(finding: ModelFinding) -> dict[int | str, int | str]:
    """What the processes are called."""
    return {thread.id: thread.label for thread in finding.trace.threads}


def culprit_of(finding: ModelFinding) -> Operation | None:
    """The operation that the spec refuses: the one that returns last."""
    returned = [each for each in history_of(finding).operations if each.return_ is not None]
    return max(returned, key=lambda each: each.return_ or 0) if finding.refused and returned else None


def _ways(finding: ModelFinding) -> list[str]:
    """What the spec could have been when it was asked."""
    last = finding.steps[-1]
    ways = [survivor_told(each, names_of(finding), last.process) for each in last.survivors]
    lines = ["Before that return, the object that the spec describes was in this state:"]
    if len(ways) + last.more_survivors > 1:
        lines = ["Before that return, the object that the spec describes was in one of these states:"]
    lines += (f"  {line}" for way in ways for line in wrapped(way, _WIDTH - 2))
    return [*lines, f"  ... or in {counted(last.more_survivors, 'other')}"] if last.more_survivors else lines


def survivor_told(survivor: Survivor, names: Mapping[int | str, int | str], asking: int | None = None) -> str:
    """A state of the spec, and what of the open operations has taken effect in it; ``asking`` is about to return."""
    parts = []
    for process, (call, result) in survivor.done.items():
        gives = (
            f" and returns {fitted(one_line(show(result)), _LONGEST)}"
            if process == asking or result is not None
            else ""
        )
        parts.append(f"{call} of {names[process]} has taken effect{gives}")
    parts += [f"{call} of {names[process]} has not taken effect" for process, call in survivor.pending.items()]
    state = fitted(one_line(state_text(survivor.state)), _LONGEST)
    return f"{state}: {', '.join(parts)}" if parts else state


def value_told(value: Value) -> str:
    """A value in one line, as short as it must be; nodes by their names."""
    return fitted(one_line(model_value(value)), _LONGEST)


def run_told(finding: ModelFinding) -> str:
    """How long the run is, in a sentence without its full stop."""
    if finding.kind == "progress":
        return f"The run has {counted(finding.length, 'step')}"
    few = "no run with fewer steps goes wrong" if finding.shortest else "there was no time to look for a shorter one"
    switches = f"{finding.switches:,} {'switch' if finding.switches == 1 else 'switches'} between processes"
    model = finding.trace.memory_model
    memory = "" if model == "sc" else f" under {MEMORY_MODELS[model]}"
    return f"The run has {counted(finding.length, 'step')} and {switches}{memory} ({few})"


def step_numbers(steps: Sequence[ModelStep], count: int) -> list[str]:
    """For each of ``count`` parts of a trace the number of the step that begins with it, from 1; empty for the others."""
    numbers = [""] * count
    for number, step in enumerate(steps, 1):
        if step.first < count:
            numbers[step.first] = f"{number:,}"
    return numbers


def _steps(finding: ModelFinding) -> list[str]:
    numbers = step_numbers(finding.steps, len(finding.trace.steps))
    lines: list[str] = []
    for most in (120, 60, 40, 30, 24, 18, 12, 8):
        lines = run_text(finding.trace, numbers, width=_WIDTH, most=most).splitlines()
        if len(lines) <= MOST_LINES:
            break
    return lines


def covered(result: ModelResult) -> str:
    """What was covered, without its full stop."""
    explored = result.explored
    if result.findings and not explored.states:
        return f"just this run; {bounds_told(result.bounds)}"
    parts = [
        counted(explored.states, "state"),
        counted(explored.transitions, "transition"),
        f"depth {explored.depth:,}",
    ]
    parts.append(f"{explored.seconds:.2f} s")
    speed = list(_speed(explored))
    return ", ".join(parts) + (f" ({', '.join(speed)})" if speed else "") + f"; {bounds_told(result.bounds)}"


def _speed(explored: ModelExplored) -> Iterator[str]:
    if explored.states < ENOUGH:
        return
    if explored.seconds > 0:
        yield f"{explored.states / explored.seconds:,.0f} states a second"
    if explored.bytes_per_state:
        yield f"{explored.bytes_per_state:,.0f} bytes a state"


def bounds_told(bounds: Mapping[str, Any]) -> str:
    """What limits what was covered, in words."""
    roles = bounds.get("roles", {})
    who = ", ".join(f"{count:,} of role {role}" for role, count in roles.items())
    parts = [
        counted(bounds["processes"], "process") if bounds["processes"] == 1 else f"{bounds['processes']:,} processes"
    ]
    parts[0] += f" ({who})" if who else ""
    number = bounds["operations"]
    parts.append(f"{counted(number, 'operation')} each" if number else "any number of operations")
    parts.append(f"memory {MEMORY_MODELS.get(bounds['memory_model'], bounds['memory_model'])}")
    if "heap" in bounds:
        parts.append(f"heap {bounds['heap']} ({_HEAPS.get(bounds['heap'], '')})")
    if "without" in bounds:
        parts.append(f"without {' and '.join(bounds['without'])}")
    return ", ".join(parts)


def meaning(result: ModelResult) -> str:
    """What a result without a violation says, and what it does not."""
    if result.answer is Answer.VIOLATION:
        return ""
    if result.answer is Answer.UNKNOWN:
        return f"This is no pass: what was not reached may be wrong. {result.remedy}".rstrip()
    number = result.bounds.get("operations")
    more = "more processes or operations" if number else "more processes"
    heap = ", another heap" if "heap" in result.bounds else ""
    return (
        f"This is a proof for the model within these bounds. It says nothing of {more}, of arguments that the operations "
        f"do not name, of another memory model{heap}, or of a program that differs from the model."
    )


def document(result: ModelResult) -> dict[str, Any]:
    """The JSON document of a model, as the contract has it."""
    return {
        "model": result.name,
        **({"file": result.file} if result.file else {}),
        "verdict": result.answer.value,
        "exhaustive": result.exhaustive,
        "why": result.why,
        **({"remedy": result.remedy} if result.remedy else {}),
        **({"spec": result.spec} if result.spec else {}),
        "bounds": dict(result.bounds),
        "statistics": result.explored.as_dict(),
        "findings": [finding_document(each, explanation_of(each), each.replay_words) for each in result.findings],
        "warnings": list(result.warnings),
    }


def explanation_of(finding: ModelFinding) -> dict[str, Any]:
    """What there is to say of a finding, as JSON."""
    operations = history_of(finding).operations
    counts = {
        "processes": len(finding.trace.threads),
        "operations": len(operations),
        "steps": finding.length,
        "switches": finding.switches,
        "preemptions": finding.trace.preemptions,
    }
    culprit = culprit_of(finding)
    return {
        "text": printable("\n".join([f"{finding.message}.", *finding_lines(finding)])),
        **({} if culprit is None else {"refused": _refused(finding, culprit)}),
        "length": finding.length,
        "shortest": finding.shortest,
        "switches": finding.switches,
        "preemptions": finding.trace.preemptions,
        "counts": counts,
        "operations": [operation_fields(each) for each in operations],
        "drawing": drawing(finding),
        "steps": [_step(each, names_of(finding)) for each in finding.steps],
        "trace": finding.trace.as_dict(),
    }


def _refused(finding: ModelFinding, culprit: Operation) -> dict[str, Any]:
    return {
        "process": culprit.process,
        "op": culprit.name,
        "args": [as_json(each) for each in culprit.args],
        "result": as_json(culprit.result),
        "allowed": [as_json(each) for each in finding.allowed],
        "why": finding.refused,
    }


def _step(step: ModelStep, names: Mapping[int | str, int | str]) -> dict[str, Any]:
    return {
        "process": names[step.process],
        "first": step.first,
        "last": step.last,
        "changes": [
            {"place": place, "before": as_json(before), "after": as_json(after)}
            for place, before, after in step.changes
        ],
        "survivors": [_survivor(each, names) for each in step.survivors],
        "more_survivors": step.more_survivors,
    }


def _survivor(survivor: Survivor, names: Mapping[int | str, int | str]) -> dict[str, Any]:
    return {
        "state": as_json(survivor.state),
        "pending": {str(names[process]): call for process, call in survivor.pending.items()},
        "done": {
            str(names[process]): {"call": call, "result": as_json(result)}
            for process, (call, result) in survivor.done.items()
        },
    }
