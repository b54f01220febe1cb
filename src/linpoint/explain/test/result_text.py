# SPDX-License-Identifier: Apache-2.0
"""The result of a test in words: what fails, the smallest scenario, how it happens step by step, what was covered.

Guarantee: every word is safe to print; the steps take at most ``MOST_LINES`` lines, with the failure among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from linpoint.explain.trace import trace_text
from linpoint.histories.values import Value, counted, one_line, show, thaw
from linpoint.text.printable import printable
from linpoint.text.terminal_text import display_width, fitted, padded
from linpoint.traces.trace import SourcePlace, Trace
from linpoint.verdicts.finding import Finding, Ran, TestResult
from linpoint.verdicts.model import ModelFinding
from linpoint.verdicts.program import ProgramFinding
from linpoint.verdicts.verdict import Status

MOST_LINES: Final = 40
"""Of the steps."""
FEW: Final = 2
"""Preemptions of the schedules that are all run before any with more."""
_LONGEST: Final = 60
_MOST_ORDERS: Final = 6
_WIDTH: Final = 100
_WAITING: Final = frozenset(("deadlock", "livelock", "progress", "linearizability", "exception", "nondeterminism"))
"""Kinds of findings whose runs went on as far as they could: what has not returned there never does."""
_MODELS: Final = {
    Status.LINEARIZABLE: "no violation",
    Status.VIOLATION: "a violation too",
    Status.UNKNOWN: "not decided",
}


@dataclass(frozen=True, slots=True)
class ResultText:
    """A result, explained: ``text`` for people, ``as_dict()`` for programs."""

    result: TestResult
    text: str

    def __str__(self) -> str:
        return self.text

    def as_dict(self) -> dict[str, Any]:
        """The JSON document of the test."""
        return document(self.result)

    def as_html(self, *, command: str = "", replay: str = "") -> str:
        """The result as one page for a browser, which needs nothing else.

        ``command`` and ``replay`` are shown as what runs the test and what shows its first finding again.
        """
        from linpoint.explain.test.result_page import result_page  # noqa: PLC0415 - only who asks for a page is to wait for it

        return result_page(self.result, command=command, replay=replay)


def explain_result(result: TestResult) -> ResultText:
    """Put a result into words."""
    lines = [_headline(result)]
    for finding in result.findings:
        lines += ["", *finding_lines(finding)]
    lines += ["", *filter(None, (models_told(result), f"Explored: {explored(result)}.", meaning(result)))]
    lines += [f"Warning: {warning}." for warning in result.warnings]
    return ResultText(result, printable("\n".join(lines)))


def _headline(result: TestResult) -> str:
    return f"{result.status.name}: {result.name}: {accusation(result)}."


def accusation(result: TestResult) -> str:
    """The result in a sentence, without the verdict."""
    return result.findings[0].message if result.findings else result.why


def finding_lines(finding: Finding) -> list[str]:
    """A finding: its scenario with results, what orders would give, and the steps."""
    lines = [f"The scenario{scenario_note(finding)}:", *_table(finding)]
    if finding.orders:
        lines += ["", *_orders(finding)]
    if finding.trace is not None:
        lines += ["", *steps_of(finding.trace)]
    if finding.advice:
        lines += ["", *(f"{sentence}." for sentence in finding.advice)]
    return lines


def scenario_note(finding: Finding) -> str:
    """Whether its scenario is as small as can be, in brackets, where that was tried."""
    if finding.kind in ("nondeterminism", "crash"):
        return ""
    return " (nothing in it can be left out)" if finding.minimal else " (there was no time to make it smaller)"


def _table(finding: Finding) -> list[str]:
    """The operations in a column for each thread, with their results."""
    before, threads, after = parts_of(finding.operations)
    cells = [[_cell(each, finding) for each in operations] for operations in threads.values()]
    heads = [f"thread {thread + 1}" for thread in threads]
    widths = [max(display_width(text) for text in (head, *column)) for head, column in zip(heads, cells, strict=True)]
    rows = [heads]
    rows += (
        [column[number] if number < len(column) else "" for column in cells]
        for number in range(max(map(len, cells), default=0))
    )
    lines = [f"  before: {_cell(each, finding)}" for each in before]
    lines += [
        "  " + " | ".join(padded(text, width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return lines + [f"  after: {_cell(each, finding)}" for each in after]


def parts_of(operations: Sequence[Ran]) -> tuple[list[Ran], dict[int, list[Ran]], list[Ran]]:
    """What ran alone before, what each thread ran, and what ran alone after."""
    before = [each for each in operations if each.thread is None and not each.after]
    numbers = sorted({each.thread for each in operations if each.thread is not None})
    threads = {thread: [each for each in operations if each.thread == thread] for thread in numbers}
    return before, threads, [each for each in operations if each.after]


def _cell(each: Ran, finding: Finding) -> str:
    outcome = outcome_told(each, finding)
    told = f"{fitted(one_line(each.call), _LONGEST)} {outcome}" if outcome else fitted(one_line(each.call), _LONGEST)
    return told if each.allowed is None else f"{told}  ({allowed_told(each)})"


def outcome_told(each: Ran, finding: Finding) -> str:
    """What became of an operation: ``-> 1``. Where the process died, nobody knows."""
    if not each.returned:
        return "never returns" if finding.kind in _WAITING else ""
    if _raises(each.result):
        return f"raises {fitted(one_line(str(each.result['raises'])), _LONGEST)}"
    return f"-> {value_told(each.result)}"


def allowed_told(each: Ran) -> str:
    """What an operation should have returned, where it returned something else."""
    return f"allowed: {', '.join(map(value_told, each.allowed or ())) or 'nothing'}"


def _orders(finding: Finding) -> list[str]:
    """The results that orders give, where each of those seen is possible by itself."""
    calls = [each for each in finding.operations if each.thread is not None or each.after]
    shown = finding.orders[:_MOST_ORDERS]
    more = len(finding.orders) - len(shown)
    lines = ["Orders of the operations give:"]
    for results in shown:
        told = [
            f"{fitted(one_line(each.call), _LONGEST)} -> {value_told(result)}"
            for each, result in zip(calls, results, strict=False)
        ]
        lines.append(f"  {', '.join(told)}")
    return [*lines, f"  ... and {more} more"] if more > 0 else lines


def steps_of(trace: Trace) -> list[str]:
    """The steps, in at most ``MOST_LINES`` lines if that can be done."""
    for most in (80, 40, 30, 24, 18, 12, 8):
        lines = trace_text(trace, width=_WIDTH, most=most).splitlines()
        if len(lines) <= MOST_LINES:
            break
    return lines


def models_told(result: TestResult) -> str:
    """Where a violation can happen: in every interpreter, or only in one without a global lock."""
    sc = result.models.get("sc")
    if len(result.models) > 1 and sc is not None and result.status is Status.VIOLATION:
        told = "a violation too" if sc is Status.VIOLATION else _MODELS[sc]
        return f"With every store seen by all threads at once (sc), this scenario shows {told}."
    gil = result.models.get("gil")
    if gil is None or result.status is not Status.VIOLATION:
        return ""
    without = "Threads may switch at any shared access here, as without a global lock (free-threaded)."
    return f"{without} With one, where they switch only between calls and jumps (gil): {_MODELS[gil]}."


def explored(result: TestResult) -> str:
    """What was covered."""
    tested = result.tested
    sizes = [f"{name} <= {value}" for name, value in result.bounds.items() if name != "preemptions"]
    parts = [
        counted(tested.scenarios, "scenario") + (f" ({', '.join(sizes)})" if sizes else ""),
    ]
    if tested.bounded_schedules or not tested.schedules:
        parts.append(f"{counted(tested.bounded_schedules, 'schedule')} with up to {FEW} preemptions")
        parts += [f"{tested.schedules:,} without a bound"] if tested.schedules else []
    else:
        parts.append(counted(tested.schedules, "schedule"))
    parts.append(f"{tested.seconds:.1f} s")
    return ", ".join(parts) + ("; every schedule of every such scenario" if result.exhaustive else "")


def meaning(result: TestResult) -> str:
    """What a result without a violation says, and what it does not."""
    if result.findings and result.findings[0].kind == "nondeterminism":
        return "Time, random numbers, ids and whatever is outside of the process must be the same in each run."
    if result.status is Status.VIOLATION:
        return ""
    if result.status is Status.UNKNOWN:
        more = " A larger --budget explores more." if "budget" in result.why else ""
        more = " A larger --max-memory may help." if "memory" in result.why else more
        return f"This is no pass: what was not explored may be wrong.{more}"
    if result.exhaustive:
        return "Within these bounds nothing was left out; larger scenarios and other arguments were not tried."
    if "preemptions" not in result.bounds:
        return "Nothing but this schedule was run."
    return (
        f"All schedules of these scenarios with up to {FEW} preemptions were run. What takes more of them, or another "
        "scenario, may still be wrong."
    )


def value_told(value: Value) -> str:
    """A value in one line, as short as it must be."""
    return fitted(one_line(show(value)), _LONGEST)


def _raises(result: Value) -> bool:
    return isinstance(result, Mapping) and set(result) == {"raises"}


def document(result: TestResult) -> dict[str, Any]:
    """The JSON document of a test, as the contract has it."""
    return {
        "test": result.name,
        **({"file": result.file} if result.file else {}),
        "verdict": result.status.value,
        "exhaustive": result.exhaustive,
        "why": result.why,
        "models": {name: status.value for name, status in result.models.items()},
        "bounds": dict(result.bounds),
        "statistics": result.tested.as_dict(),
        "findings": [finding_document(each, explanation_of(each), each.replay_words) for each in result.findings],
        "warnings": list(result.warnings),
    }


def finding_document(
    finding: Finding | ProgramFinding | ModelFinding, explanation: dict[str, Any], replay: list[str]
) -> dict[str, Any]:
    """A finding in a JSON document, as the contract has it."""
    place = place_of(finding.trace)
    return {
        "kind": finding.kind,
        "message": finding.message,
        **({} if place is None else {"place": f"{place.file}:{place.line}"}),
        "explanation": explanation,
        "replay": replay,
    }


def place_of(trace: Trace | None) -> SourcePlace | None:
    """The line at which a failure shows: that of its step, or the last one before it that its thread came by."""
    if trace is None or trace.failure is None or trace.failure.step is None:
        return None
    at = trace.failure.step
    thread = trace.steps[at].thread
    steps = (step for step in reversed(trace.steps[: at + 1]) if step.thread == thread)
    return next((step.place for step in steps if step.place is not None), None)


def explanation_of(finding: Finding) -> dict[str, Any]:
    """What there is to say of a finding, as JSON."""
    threads = {each.thread for each in finding.operations if each.thread is not None}
    return {
        "text": printable("\n".join([f"{finding.message}.", "", *finding_lines(finding)])),
        "scenario": finding.scenario,
        "operations": [_operation(each) for each in finding.operations],
        "orders": [[thaw(value) for value in results] for results in finding.orders],
        "preemptions": finding.preemptions,
        "minimal": finding.minimal,
        **({"advice": list(finding.advice)} if finding.advice else {}),
        "schedule": [list(each) for each in finding.schedule],
        "counts": {
            "threads": len(threads),
            "operations": len(finding.operations),
            "preemptions": finding.preemptions,
            "steps": 0 if finding.trace is None else len(finding.trace.steps),
        },
        **({} if finding.trace is None else {"trace": finding.trace.as_dict()}),
    }


def _operation(each: Ran) -> dict[str, Any]:
    when = "after" if each.after else "before" if each.thread is None else each.thread
    found: dict[str, Any] = {"thread": when, "call": each.call, "returned": each.returned}
    if each.returned:
        found["result"] = thaw(each.result)
    if each.allowed is not None:
        found["allowed"] = [thaw(value) for value in each.allowed]
    return found
