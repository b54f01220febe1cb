# SPDX-License-Identifier: Apache-2.0
"""The result of a test as text: the failure, the smallest scenario, its schedule step by step, the coverage.

Guarantee: the text is safe to print; the steps take at most ``MAX_TRACE_LINES`` lines, with the failure among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from linpoint.explain.trace import trace_text
from linpoint.explain.trace.limited_text import STEP_LIMITS, limited_lines
from linpoint.explain.wording.value_text import fit_call, fit_value
from linpoint.histories.values import Value
from linpoint.text.phrases import count_noun
from linpoint.text.printable import printable
from linpoint.text.terminal_text import display_width, pad
from linpoint.traces.trace import Trace
from linpoint.verdicts.evidence import ShownOperation
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result
from linpoint.verdicts.schedule import FEW_PREEMPTIONS
from linpoint.verdicts.status import Status

MAX_TRACE_LINES: Final = 40
"""The maximum number of lines for the steps."""
_MOST_ORDERS: Final = 6
_WIDTH: Final = 100
_WAITING: Final = frozenset(("deadlock", "livelock", "progress", "linearizability", "exception", "nondeterminism"))
"""Kinds of findings whose runs ended only when no thread could continue: pending operations there never return."""
_MODELS: Final = {
    Status.LINEARIZABLE: "no violation",
    Status.VIOLATION: "also a violation",
    Status.UNKNOWN: "not decided",
}


def result_text(result: Result) -> str:
    """The result of a test as text."""
    lines = [_headline(result)]
    for finding in result.findings:
        lines += ["", *finding_lines(finding)]
    lines += ["", *filter(None, (models_text(result), f"Explored: {explored(result)}.", meaning(result)))]
    lines += [f"Warning: {warning}." for warning in result.warnings]
    return printable("\n".join(lines))


def _headline(result: Result) -> str:
    return f"{result.status.name}: {result.name}: {accusation(result)}."


def accusation(result: Result) -> str:
    """The result in a sentence, without the verdict."""
    return result.findings[0].message if result.findings else result.why


def finding_lines(finding: Finding) -> list[str]:
    """A finding: its scenario with results, the results of valid orders, and the steps."""
    lines = [f"Scenario{scenario_note(finding)}:", *_table(finding)]
    if finding.orders:
        lines += ["", *_orders(finding)]
    if finding.trace is not None:
        lines += ["", *trace_lines(finding.trace)]
    if finding.advice:
        lines += ["", *(f"{sentence}." for sentence in finding.advice)]
    return lines


def scenario_note(finding: Finding) -> str:
    """A note in parentheses on whether its scenario is minimal, if shrinking was tried."""
    if finding.kind in ("nondeterminism", "crash"):
        return ""
    return " (minimal)" if finding.minimal else " (shrinking did not finish in time)"


def _table(finding: Finding) -> list[str]:
    """The operations with their results, in a column for each thread."""
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
        "  " + " | ".join(pad(text, width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return lines + [f"  after: {_cell(each, finding)}" for each in after]


def parts_of(
    operations: Sequence[ShownOperation],
) -> tuple[list[ShownOperation], dict[int, list[ShownOperation]], list[ShownOperation]]:
    """The operations that ran alone before, those of each thread, and those that ran alone after."""
    before = [each for each in operations if each.thread is None and not each.after]
    numbers = sorted({each.thread for each in operations if each.thread is not None})
    threads = {thread: [each for each in operations if each.thread == thread] for thread in numbers}
    return before, threads, [each for each in operations if each.after]


def _cell(each: ShownOperation, finding: Finding) -> str:
    outcome = outcome_text(each, finding)
    text = f"{fit_call(each.call)} {outcome}" if outcome else fit_call(each.call)
    return text if each.allowed is None else f"{text}  ({allowed_text(each)})"


def outcome_text(each: ShownOperation, finding: Finding) -> str:
    """The outcome of an operation: ``-> 1``; empty if its process died."""
    if not each.returned:
        return "never returns" if finding.kind in _WAITING else ""
    if _raises(each.result):
        return f"raises {fit_call(str(each.result['raises']))}"
    return f"-> {fit_value(each.result)}"


def allowed_text(each: ShownOperation) -> str:
    """The results that an operation may return, if its own result is not among them."""
    return f"allowed: {', '.join(map(fit_value, each.allowed or ())) or 'nothing'}"


def _orders(finding: Finding) -> list[str]:
    """The results of valid orders, if each observed result is possible but their combination is not."""
    calls = [each for each in finding.operations if each.thread is not None or each.after]
    shown = finding.orders[:_MOST_ORDERS]
    more = len(finding.orders) - len(shown)
    lines = ["Valid orders give:"]
    for results in shown:
        outcomes = [
            f"{fit_call(each.call)} -> {fit_value(result)}" for each, result in zip(calls, results, strict=False)
        ]
        lines.append(f"  {', '.join(outcomes)}")
    return [*lines, f"  ... and {more} more"] if more > 0 else lines


def trace_lines(trace: Trace) -> list[str]:
    """The steps, in at most ``MAX_TRACE_LINES`` lines if possible."""
    texts = (trace_text(trace, width=_WIDTH, most=most) for most in (80, *STEP_LIMITS))
    return limited_lines(texts, MAX_TRACE_LINES)


def models_text(result: Result) -> str:
    """The execution models in which the violation occurs."""
    sc = result.models.get("sc")
    if len(result.models) > 1 and sc is not None and result.status is Status.VIOLATION:
        return f"Same scenario under sequential consistency (sc): {_MODELS[sc]}."
    gil = result.models.get("gil")
    if gil is None or result.status is not Status.VIOLATION:
        return ""
    found = "Found in the free-threaded model (switches at any shared access)."
    return f"{found} GIL model (switches at calls and jumps): {_MODELS[gil]}."


def explored(result: Result) -> str:
    """The coverage as text."""
    coverage = result.coverage
    sizes = [f"{name} <= {value}" for name, value in result.bounds.items() if name != "preemptions"]
    parts = [
        count_noun(coverage.scenarios, "scenario") + (f" ({', '.join(sizes)})" if sizes else ""),
    ]
    if coverage.bounded_schedules or not coverage.schedules:
        parts.append(f"{count_noun(coverage.bounded_schedules, 'schedule')} with up to {FEW_PREEMPTIONS} preemptions")
        parts += [f"{coverage.schedules:,} without a bound"] if coverage.schedules else []
    else:
        parts.append(count_noun(coverage.schedules, "schedule"))
    parts.append(f"{coverage.seconds:.1f} s")
    return ", ".join(parts) + ("; all schedules of all such scenarios" if result.exhaustive else "")


def meaning(result: Result) -> str:
    """Sentences on what a result without a violation proves and what it does not prove."""
    if result.findings and result.findings[0].kind == "nondeterminism":
        return "Make time, random numbers, ids and everything outside the process the same in each run."
    if result.status is Status.VIOLATION:
        return ""
    if result.status is Status.UNKNOWN:
        more = " A larger --budget explores more." if "budget" in result.why else ""
        more = " A larger --max-memory may help." if "memory" in result.why else more
        return f"This is not a pass: unexplored schedules may fail.{more}"
    if result.exhaustive:
        return "The search is exhaustive within these bounds; larger scenarios and other arguments were not tried."
    if "preemptions" not in result.bounds:
        return "Only this schedule was run."
    return (
        f"All schedules of these scenarios with up to {FEW_PREEMPTIONS} preemptions were run. Schedules with more "
        "preemptions and other scenarios may still fail."
    )


def _raises(result: Value) -> bool:
    return isinstance(result, Mapping) and set(result) == {"raises"}
