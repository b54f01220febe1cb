# SPDX-License-Identifier: Apache-2.0
"""The result for a model as text: the failure, its operations, the run step by step, the coverage.

Guarantee: the text is safe to print; the steps take at most ``MAX_TRACE_LINES`` lines if they can be folded so far, with
the failure among them. The text of a pass states what it does not prove.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from linpoint.explain.trace import run_text
from linpoint.explain.trace.limited_text import STEP_LIMITS, limited_lines
from linpoint.explain.trace.step_wording import model_value
from linpoint.explain.wording.ascii_timeline import ascii_timeline
from linpoint.explain.wording.state_text import state_text
from linpoint.explain.wording.value_text import fit_value
from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import Value
from linpoint.text.phrases import count_noun
from linpoint.text.printable import printable
from linpoint.text.terminal_text import wrap
from linpoint.traces.trace import MEMORY_MODELS, Trace
from linpoint.traces.trace_operations import operations_of
from linpoint.verdicts.coverage import Coverage
from linpoint.verdicts.evidence import AllowedConfiguration, ModelStep
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result
from linpoint.verdicts.status import Status

MAX_TRACE_LINES: Final = 60
"""The maximum number of lines for the steps."""
_WIDTH: Final = 100
ENOUGH: Final = 10_000
"""From this number of states on, the bytes per state exceed the fixed tables."""
_HEAPS: Final = {
    "gc": "unreachable nodes are collected",
    "free": "nodes are reused",
    "counted": "nodes are reused, pointers are counted",
}


def model_text(result: Result) -> str:
    """The result for a model as text."""
    lines = [f"{result.status.name}: {sentence(result)}."]
    for finding in result.findings:
        lines += model_finding_lines(finding)
    lines += ["", *wrap(f"Explored: {covered(result)}.", _WIDTH)]
    if meaning(result):
        lines += wrap(meaning(result), _WIDTH, most=9)
    lines += [f"Warning: {warning}." for warning in result.warnings]
    return printable("\n".join(lines))


def sentence(result: Result) -> str:
    """The answer in a sentence, without the verdict."""
    if result.findings:
        return f"{result.name}: {result.findings[0].message}"
    if result.status is Status.HOLDS and result.spec:
        return f"{result.name} is linearizable with respect to {result.spec}: {result.why}"
    return f"{result.name}: {result.why}"


def model_finding_lines(finding: Finding) -> list[str]:
    """A finding: its operations as a drawing, the possible states of the spec, its steps."""
    return [*refusal_lines(finding), "", f"{run_sentence(finding)}:", "", *_steps(finding)]


def refusal_lines(finding: Finding) -> list[str]:
    """The operations of a run as a drawing, and the possible states of the spec before the refused response."""
    drawn = drawing(finding)
    lines = ["", *(f"  {row}" for row in drawn.splitlines())] if drawn else []
    return [*lines, "", *_ways(finding)] if finding.refused else lines


def drawing(finding: Finding) -> str:
    """The operations of the run, a row for each process; null results are shown for the refused operation."""
    history = history_of(finding)
    if not len(history):
        return ""
    return ascii_timeline(history, range(len(history)), width=_WIDTH, nulls=nulls_of(finding))


def nulls_of(finding: Finding) -> frozenset[str]:
    """The operations whose null results are shown: those with the name of the refused one."""
    culprit = culprit_of(finding)
    return frozenset() if culprit is None else frozenset([culprit.name])


def history_of(finding: Finding) -> History:
    """The operations of the run, by the names of their processes."""
    return History(operations_of(trace_of(finding), names_of(finding)), source="the run")


def trace_of(finding: Finding) -> Trace:
    """The steps of the run, which every finding of a model has."""
    assert finding.trace is not None
    return finding.trace


def names_of(finding: Finding) -> dict[int | str, int | str]:
    """The names of the processes."""
    return {thread.id: thread.label for thread in trace_of(finding).threads}


def culprit_of(finding: Finding) -> Operation | None:
    """The operation that the spec rejects: the one that returns last."""
    returned = [each for each in history_of(finding).operations if each.return_ is not None]
    return max(returned, key=lambda each: each.return_ or 0) if finding.refused and returned else None


def _ways(finding: Finding) -> list[str]:
    """The possible states of the spec before the last response."""
    last = finding.steps[-1]
    ways = [configuration_text(each, names_of(finding), last.process) for each in last.survivors]
    states = "states" if len(ways) + last.more_survivors > 1 else "state"
    lines = [f"Possible {states} of the spec before that return:"]
    lines += (f"  {line}" for way in ways for line in wrap(way, _WIDTH - 2))
    return [*lines, f"  ... and {last.more_survivors:,} more"] if last.more_survivors else lines


def configuration_text(
    survivor: AllowedConfiguration, names: Mapping[int | str, int | str], asking: int | None = None
) -> str:
    """A state of the spec, with the open operations that have taken effect in it; ``asking`` is about to return."""
    parts = []
    for process, (call, result) in survivor.done.items():
        gives = f" and returns {fit_value(result)}" if process == asking or result is not None else ""
        parts.append(f"{call} of {names[process]} has taken effect{gives}")
    parts += [f"{call} of {names[process]} has not taken effect" for process, call in survivor.pending.items()]
    state = fit_value(survivor.state, state_text)
    return f"{state}: {', '.join(parts)}" if parts else state


def format_model_value(value: Value) -> str:
    """A value in one line; nodes by their names."""
    return fit_value(value, model_value)


def run_sentence(finding: Finding) -> str:
    """A sentence on the length of the run, without the full stop."""
    if finding.kind == "progress":
        return f"The run has {count_noun(finding.length, 'step')}"
    few = "no run with fewer steps fails" if finding.shortest else "a shorter run may exist"
    switches = f"{finding.switches:,} {'switch' if finding.switches == 1 else 'switches'} between processes"
    model = trace_of(finding).memory_model
    memory = "" if model == "sc" else f" under {MEMORY_MODELS[model]}"
    return f"The run has {count_noun(finding.length, 'step')} and {switches}{memory} ({few})"


def step_numbers(steps: Sequence[ModelStep], count: int) -> list[str]:
    """For each of ``count`` parts of a trace, the number (from 1) of the step that begins there; else empty."""
    numbers = [""] * count
    for number, step in enumerate(steps, 1):
        if step.first < count:
            numbers[step.first] = f"{number:,}"
    return numbers


def _steps(finding: Finding) -> list[str]:
    numbers = step_numbers(finding.steps, len(trace_of(finding).steps))
    limits = (120, 60, *STEP_LIMITS)
    texts = (run_text(trace_of(finding), numbers, width=_WIDTH, most=most) for most in limits)
    return limited_lines(texts, MAX_TRACE_LINES)


def covered(result: Result) -> str:
    """The coverage as text, without the full stop."""
    coverage = result.coverage
    if result.findings and not coverage.states:
        return f"only this run; {bounds_text(result.bounds)}"
    parts = [
        count_noun(coverage.states, "state"),
        count_noun(coverage.transitions, "transition"),
        f"depth {coverage.depth:,}",
    ]
    parts.append(f"{coverage.seconds:.2f} s")
    speed = list(_speed(coverage))
    return ", ".join(parts) + (f" ({', '.join(speed)})" if speed else "") + f"; {bounds_text(result.bounds)}"


def _speed(coverage: Coverage) -> Iterator[str]:
    if coverage.states < ENOUGH:
        return
    if coverage.seconds > 0:
        yield f"{coverage.states / coverage.seconds:,.0f} states per second"
    if coverage.bytes_per_state:
        yield f"{coverage.bytes_per_state:,.0f} bytes per state"


def bounds_text(bounds: Mapping[str, Any]) -> str:
    """The bounds of the coverage, as text."""
    roles = bounds.get("roles", {})
    who = ", ".join(f"{count:,} of role {role}" for role, count in roles.items())
    parts = [
        count_noun(bounds["processes"], "process") if bounds["processes"] == 1 else f"{bounds['processes']:,} processes"
    ]
    parts[0] += f" ({who})" if who else ""
    number = bounds["operations"]
    parts.append(f"{count_noun(number, 'operation')} each" if number else "unbounded operations")
    parts.append(f"memory {MEMORY_MODELS.get(bounds['memory_model'], bounds['memory_model'])}")
    if "heap" in bounds:
        parts.append(f"heap {bounds['heap']} ({_HEAPS.get(bounds['heap'], '')})")
    if "without" in bounds:
        parts.append(f"without {' and '.join(bounds['without'])}")
    return ", ".join(parts)


def meaning(result: Result) -> str:
    """Sentences on what a result without a violation proves and what it does not prove."""
    if result.status is Status.VIOLATION:
        return ""
    if result.status is Status.UNKNOWN:
        return f"This is not a pass: unreached states may fail. {result.remedy}".rstrip()
    number = result.bounds.get("operations")
    more = "more processes or operations" if number else "more processes"
    heap = ", another heap" if "heap" in result.bounds else ""
    return (
        f"This is a proof for the model within these bounds. It does not cover {more}, arguments that the operations do "
        f"not name, another memory model{heap}, or a program that differs from the model."
    )
