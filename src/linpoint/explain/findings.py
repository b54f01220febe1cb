# SPDX-License-Identifier: Apache-2.0
"""The result of a test in words: what fails, the smallest scenario, how it happens step by step, what was covered.

Guarantee: every word is safe to print; the steps take at most ``MOST_LINES`` lines, with the failure among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from linpoint.explain.letters import columns, fitted, padded
from linpoint.explain.traces import trace_text
from linpoint.histories.printable import printable
from linpoint.histories.trace import Trace
from linpoint.histories.values import Value, counted, one_line, show, thaw
from linpoint.verdicts.finding import Finding, Ran, TestResult
from linpoint.verdicts.verdict import Status

MOST_LINES: Final = 40
"""Of the steps."""
_LONGEST: Final = 60
_MOST_ORDERS: Final = 6
_WIDTH: Final = 100
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


def explain_result(result: TestResult) -> ResultText:
    """Put a result into words."""
    lines = [_headline(result)]
    for finding in result.findings:
        lines += ["", *finding_lines(finding)]
    lines += ["", *_models(result), _covered(result)]
    lines += [f"Warning: {warning}." for warning in result.warnings]
    return ResultText(result, printable("\n".join(lines)))


def _headline(result: TestResult) -> str:
    if result.findings:
        return f"{result.status.name}: {result.name}: {result.findings[0].message}."
    return f"{result.status.name}: {result.name}: {result.why}."


def finding_lines(finding: Finding) -> list[str]:
    """A finding: its scenario with results, what orders would give, and the steps."""
    whole = "nothing in it can be left out" if finding.minimal else "there was no time to make it smaller"
    lines = [f"The scenario ({whole}):", *_table(finding.operations)]
    if finding.orders:
        lines += ["", *_orders(finding)]
    if finding.trace is not None:
        lines += ["", *steps_of(finding.trace)]
    return lines


def _table(operations: Sequence[Ran]) -> list[str]:
    """The operations in a column for each thread, with their results."""
    before = [each for each in operations if each.thread is None and not each.after]
    after = [each for each in operations if each.after]
    threads = sorted({each.thread for each in operations if each.thread is not None})
    cells = [[_cell(each) for each in operations if each.thread == thread] for thread in threads]
    heads = [f"thread {thread + 1}" for thread in threads]
    widths = [max(columns(text) for text in (head, *column)) for head, column in zip(heads, cells, strict=True)]
    rows = [heads]
    rows += (
        [column[number] if number < len(column) else "" for column in cells]
        for number in range(max(map(len, cells), default=0))
    )
    lines = [f"  before: {_cell(each)}" for each in before]
    lines += [
        "  " + " | ".join(padded(text, width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return lines + [f"  after: {_cell(each)}" for each in after]


def _cell(each: Ran) -> str:
    call = fitted(one_line(each.call), _LONGEST)
    if not each.returned:
        return f"{call} never returns"
    result = (
        f"{call} -> {_value(each.result)}" if not _raises(each.result) else f"{call} raises {each.result['raises']}"
    )
    if each.allowed is None:
        return result
    return f"{result}  (allowed: {', '.join(map(_value, each.allowed)) or 'nothing'})"


def _orders(finding: Finding) -> list[str]:
    """The results that orders give, where each of those seen is possible by itself."""
    calls = [each for each in finding.operations if each.thread is not None]
    shown = finding.orders[:_MOST_ORDERS]
    more = len(finding.orders) - len(shown)
    lines = ["Orders of the operations give:"]
    for results in shown:
        told = [
            f"{fitted(one_line(each.call), _LONGEST)} -> {_value(result)}"
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


def _models(result: TestResult) -> list[str]:
    gil = result.models.get("gil")
    if not result.findings or gil is None:
        return []
    without = "Threads may switch at any shared access here, as without a global lock (free-threaded)."
    return [f"{without} With one, where they switch only between calls and jumps (gil): {_MODELS[gil]}."]


def _covered(result: TestResult) -> str:
    tested = result.tested
    sizes = [f"{name} <= {value}" for name, value in result.bounds.items() if name != "preemptions"]
    parts = [
        counted(tested.scenarios, "scenario") + (f" ({', '.join(sizes)})" if sizes else ""),
        f"{counted(tested.bounded_schedules, 'schedule')} with up to 2 preemptions",
    ]
    if tested.schedules:
        parts.append(f"{tested.schedules:,} without a bound")
    parts.append(f"{tested.seconds:.1f} s")
    end = "; every schedule of every such scenario" if result.exhaustive else ""
    return f"Explored: {', '.join(parts)}{end}."


def _value(value: Value) -> str:
    return fitted(one_line(show(value)), _LONGEST)


def _raises(result: Value) -> bool:
    return isinstance(result, dict) and set(result) == {"raises"}


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
        "findings": [
            {
                "kind": each.kind,
                "message": each.message,
                "explanation": explanation_of(each),
                "replay": each.replay_words,
            }
            for each in result.findings
        ],
        "warnings": list(result.warnings),
    }


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
