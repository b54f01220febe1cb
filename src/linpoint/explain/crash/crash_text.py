# SPDX-License-Identifier: Apache-2.0
"""The result of crash tests as text: the lost operation and its cause, the stores around it by cache line, the fix, the
coverage.

Guarantee: every word is safe to print. The text of a pass states its coverage and the limits of the claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from linpoint.explain.crash.cache_lines import place_text, store_lines
from linpoint.explain.wording.value_text import MAX_VALUE_COLUMNS, fit_value
from linpoint.histories.values import Value
from linpoint.text.phrases import count_noun, one_line
from linpoint.text.printable import printable
from linpoint.text.shell_commands import shell_command
from linpoint.text.terminal_text import fit, wrap
from linpoint.verdicts.evidence import CrashEvidence, CrashOperation, NeedlessInstruction
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result
from linpoint.verdicts.status import Status

_WIDTH: Final = 100
_MAX_SHOWN_BEFORE: Final = 8
"""The maximum number of shown operations before the crash."""
_MAX_SHOWN_PROBES: Final = 6
_MAX_SHOWN_ADVICE: Final = 5
_MAX_SHOWN_ALLOWED: Final = 3
CLASS_NAMES: Final = {
    "DL1": "incompletely durable",
    "DL2": "unrecovered",
    "DL3": "visible but not durable",
    "C2": "completed but lost",
    "stuck-lock": "lock not released",
    "recovery": "crash during recovery",
}
_RULES: Final = {
    "atomic": "atomic",
    "guarded": "guarded",
    "publishing": "publishing",
    "fresh": "fresh, excluded",
}


def crash_text(result: Result) -> str:
    """The result of crash tests as text."""
    lines = wrap(f"{result.status.name}: {sentence(result)}.", _WIDTH, most=9)
    for at, finding in enumerate(result.findings):
        if at:
            lines += ["", *wrap(f"{at + 1}. {one_line(finding.message)}.", _WIDTH, most=9)]
        lines += ["", *crash_finding_lines(finding)]
        if at and finding.replay_words:
            lines.append(f"Replay: {shell_command(['linpoint', *finding.replay_words])}")
    lines += ["", *covered_lines(result)]
    lines += advice_lines(result.advice)
    if meaning(result):
        lines += wrap(meaning(result), _WIDTH, most=9)
    lines += [f"Warning: {warning}." for warning in result.warnings]
    return printable("\n".join(lines))


def sentence(result: Result) -> str:
    """The answer in a sentence, without the verdict."""
    if not result.findings:
        return f"{result.name}: {result.why}"
    more = f" (and {count_noun(len(result.findings) - 1, 'other finding')} below)" if result.findings[1:] else ""
    return f"{result.name}: {one_line(result.findings[0].message)}{more}"


def crash_finding_lines(finding: Finding) -> list[str]:
    """A finding: its class, the operations around the crash, the stores by cache line, the remedy."""
    evidence = finding.evidence_as(CrashEvidence)
    lines = list(_class_lines(evidence))
    lines += ["", *_operation_lines(finding, evidence.operations)] if evidence.operations else []
    lines += ["", *store_lines(evidence.stores)] if evidence.stores else []
    if evidence.remedy:
        lines += ["", *wrap(f"{fix_label(finding)}: {remedy_text(finding)}", _WIDTH, most=6)]
    return lines


def _class_lines(evidence: CrashEvidence) -> Iterator[str]:
    if evidence.classes:
        names = ", ".join(f"{each} ({CLASS_NAMES.get(each, each)})" for each in evidence.classes)
        many = f"; {count_noun(evidence.count, 'crash state')} with this cause" if evidence.count > 1 else ""
        yield f"Class: {names}{many}."
    if evidence.violates:
        yield f"Violates: {', '.join(evidence.violates)}{_spared(evidence)}."


def _spared(evidence: CrashEvidence) -> str:
    return (
        ""
        if "durable" in evidence.violates
        else " (but not durable: the operation may still take effect after the crash)"
    )


def fix_label(finding: Finding) -> str:
    """The label of the fix: whether the same crash was tested with it."""
    return "Fix (verified)" if _is_verified(finding) else "Fix"


def remedy_text(finding: Finding) -> str:
    """The fix, and the test that verified it."""
    proof = " With that store durable, the object is correct after the same crash." if _is_verified(finding) else ""
    return f"{finding.evidence_as(CrashEvidence).remedy}.{proof}"


def _is_verified(finding: Finding) -> bool:
    proven = finding.evidence_as(CrashEvidence).proven
    return finding.kind == "durability" and finding.place is not None and proven


def _operation_lines(finding: Finding, operations: Sequence[CrashOperation]) -> Iterator[str]:
    few = "" if finding.minimal else " (shrinking did not finish in time)"
    before = [each for each in operations if each.when == "before"]
    yield f"Operations{few}:"
    hidden = len(before) - _MAX_SHOWN_BEFORE
    if hidden > 0:
        yield f"  ... {count_noun(hidden, 'earlier operation')}"
    for each in before[max(0, hidden) :]:
        yield f"  {_operation_text(each)}"
    for each in operations:
        if each.when == "beside":
            yield f"  {_operation_text(each)}   (concurrent)"
    for each in operations:
        if each.when == "open":
            yield f"  {fit(each.call, MAX_VALUE_COLUMNS)}   interrupted"
    if finding.kind == "durability":
        yield "  --- crash, recovery ---"
        yield from _after([each for each in operations if each.when == "after"])


def _after(probes: Sequence[CrashOperation]) -> Iterator[str]:
    """The wrong probes, and the last ones before the first of them."""
    wrong = [at for at, each in enumerate(probes) if each.allowed is not None or not each.returned]
    first = wrong[0] if wrong else len(probes)
    begin = max(0, first - _MAX_SHOWN_PROBES + 1)
    if begin:
        yield f"  ... {count_noun(begin, 'correct probe')}"
    shown = probes[begin : first + 1] if wrong else probes[begin:]
    yield from (f"  {_operation_text(each)}" for each in shown)
    more = [probes[at] for at in wrong[1:_MAX_SHOWN_PROBES]]
    yield from (f"  {_operation_text(each)}" for each in more)
    rest = len(probes) - first - 1 - len(more)
    if wrong and rest > 0:
        yield f"  ... {count_noun(rest, 'more probe')}"


def _operation_text(each: CrashOperation) -> str:
    if not each.returned:
        return f"{fit(each.call, MAX_VALUE_COLUMNS)}   <-- does not return"
    text = f"{fit(each.call, MAX_VALUE_COLUMNS)} -> {fit_value(each.result)}"
    if each.allowed is None:
        return text
    return f"{text}   <-- {allowed_text(each.allowed)}"


def allowed_text(values: Sequence[Value]) -> str:
    """The results that the spec allows, as text."""
    if not values:
        return "the spec allows no result here"
    more = len(values) - _MAX_SHOWN_ALLOWED
    others = [count_noun(more, "other result")] if more > 0 else []
    return f"the spec requires {' or '.join([*map(fit_value, values[:_MAX_SHOWN_ALLOWED]), *others])}"


def covered_lines(result: Result) -> list[str]:
    """The coverage as lines of text."""
    coverage = result.coverage
    lines = [f"Tested: {covered(result)}."]
    if coverage.crash_tests_by_kind:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in coverage.crash_tests_by_kind.items())
        lines.append(f"Crash tests by kind: {kinds}.")
    if coverage.points:
        lines.append(f"Likely linearization points: {points_text(coverage.points)}.")
    return [line for each in lines for line in wrap(each, _WIDTH, most=4)]


def covered(result: Result) -> str:
    """The counts of the coverage as text, without the full stop."""
    coverage = result.coverage
    rate = (
        f" ({coverage.crash_tests_a_second:,.0f} per second)"
        if coverage.crash_tests_a_second and coverage.crash_tests
        else ""
    )
    parts = [count_noun(coverage.operations, "operation"), f"{count_noun(coverage.crash_tests, 'crash test')}{rate}"]
    if coverage.schedules:
        parts.append(count_noun(coverage.schedules, "schedule"))
    parts += [count_noun(coverage.probes, "probe"), f"{coverage.seconds:.1f} s"]
    return f"{', '.join(parts)}; {bounds_text(result)}"


def bounds_text(result: Result) -> str:
    """The bounds of the coverage, as text."""
    memory = "volatile caches (ADR)" if result.bounds.get("persistency", "adr") == "adr" else "persistent caches (eADR)"
    parts = [memory, f"condition {result.condition}"]
    if result.bounds.get("points_only"):
        parts.append("only at likely linearization points")
    if result.exhaustive:
        parts.append("every crash state that recovery and probes can distinguish")
    elif result.status is Status.HOLDS:
        parts.append("not exhaustive")
    return ", ".join(parts)


def points_text(points: Mapping[str, int]) -> str:
    """The numbers of likely linearization points by rule, as text."""
    rules = ", ".join(f"{points.get(rule, 0):,} {words}" for rule, words in _RULES.items())
    return f"{count_noun(points.get('stores', 0), 'store')} ({rules})"


def advice_lines(advice: Sequence[NeedlessInstruction]) -> list[str]:
    """Unnecessary flushes and fences."""
    lines = [f"Advice: {advice_text(each)}." for each in advice[:_MAX_SHOWN_ADVICE]]
    more = len(advice) - _MAX_SHOWN_ADVICE
    return [*lines, f"Advice: {more:,} more flushes or fences have no effect."] if more > 1 else lines


def advice_text(each: NeedlessInstruction) -> str:
    """An unnecessary flush or fence as text."""
    what = "its cache line had nothing to write back" if each.kind == "flush" else "nothing was pending"
    return f"the {each.kind} at {place_text(each.place)} had no effect {count_noun(each.count, 'time')}: {what}"


def meaning(result: Result) -> str:
    """Sentences on what a result without a violation proves and what it does not prove."""
    if result.status is Status.VIOLATION:
        return ""
    if result.status is Status.UNKNOWN:
        return "This is not a pass: untested crash states may fail."
    if result.exhaustive:
        return (
            "The result covers every crash state of this workload that x86 permits. It does not cover other workloads or "
            "more concurrent operations."
        )
    return (
        "A pass covers the crashes that were tested in this workload. It does not cover other workloads, other crash "
        "states (use --exhaustive for small workloads), or more concurrent operations."
    )
