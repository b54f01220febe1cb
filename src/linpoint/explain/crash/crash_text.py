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
CLASS_NAMES: Final = {
    "DL1": "incompletely durable",
    "DL2": "unrecovered",
    "DL3": "visible but not durable",
    "C2": "completed and lost",
    "stuck-lock": "a lock that stays locked",
    "recovery": "a crash during recovery",
}
_RULES: Final = {
    "atomic": "atomic",
    "guarded": "guarded",
    "publishing": "publishing",
    "fresh": "fresh, left out",
}


def crash_text(result: Result) -> str:
    """The result of testing crashes in words."""
    lines = wrap(f"{result.status.name}: {sentence(result)}.", _WIDTH, most=9)
    for at, finding in enumerate(result.findings):
        if at:
            lines += ["", *wrap(f"{at + 1}. {one_line(finding.message)}.", _WIDTH, most=9)]
        lines += ["", *crash_finding_lines(finding)]
        if at and finding.replay_words:
            lines.append(f"Show it again: {shell_command(['linpoint', *finding.replay_words])}")
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
        lines += ["", *wrap(f"Remedy: {remedy_text(finding)}", _WIDTH, most=6)]
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
        "" if "durable" in evidence.violates else " (not durable: the operation may still take effect after the crash)"
    )


def remedy_text(finding: Finding) -> str:
    """The fix, and whether it is proven."""
    evidence = finding.evidence_as(CrashEvidence)
    proof = ""
    if finding.kind == "durability" and finding.place is not None:
        proof = " Proven: with that store durable, the same crash is survived." if evidence.proven else ""
    return f"{evidence.remedy}.{proof}"


def _operation_lines(finding: Finding, operations: Sequence[CrashOperation]) -> Iterator[str]:
    few = "" if finding.minimal else " There was no time to leave out more operations."
    before = [each for each in operations if each.when == "before"]
    yield f"What happened:{few}"
    hidden = len(before) - _MAX_SHOWN_BEFORE
    if hidden > 0:
        yield f"  ... {count_noun(hidden, 'operation')} before, then"
    for each in before[max(0, hidden) :]:
        yield f"  {_operation_text(each)}"
    for each in operations:
        if each.when == "beside":
            yield f"  {_operation_text(each)}   (beside what was cut off)"
    for each in operations:
        if each.when == "open":
            yield f"  {fit(each.call, MAX_VALUE_COLUMNS)}   cut off"
    if finding.kind == "durability":
        yield "  --- crash, recovery ---"
        yield from _after([each for each in operations if each.when == "after"])


def _after(probes: Sequence[CrashOperation]) -> Iterator[str]:
    """The probes that matter: those that are wrong, and the last ones before the first of them."""
    wrong = [at for at, each in enumerate(probes) if each.allowed is not None or not each.returned]
    first = wrong[0] if wrong else len(probes)
    begin = max(0, first - _MAX_SHOWN_PROBES + 1)
    if begin:
        yield f"  ... {count_noun(begin, 'probe')} as it should be, then"
    shown = probes[begin : first + 1] if wrong else probes[begin:]
    yield from (f"  {_operation_text(each)}" for each in shown)
    more = [probes[at] for at in wrong[1:_MAX_SHOWN_PROBES]]
    yield from (f"  {_operation_text(each)}" for each in more)
    rest = len(probes) - first - 1 - len(more)
    if wrong and rest > 0:
        yield f"  ... {count_noun(rest, 'more probe')}"


def _operation_text(each: CrashOperation) -> str:
    if not each.returned:
        return f"{fit(each.call, MAX_VALUE_COLUMNS)}   <-- does not come back"
    text = f"{fit(each.call, MAX_VALUE_COLUMNS)} -> {fit_value(each.result)}"
    if each.allowed is None:
        return text
    return f"{text}   <-- {allowed_text(each.allowed)}"


def allowed_text(values: Sequence[Value]) -> str:
    """What the spec would have allowed, in words."""
    if not values:
        return "the spec allows nothing here"
    return f"the spec allows {' or '.join(fit_value(each) for each in values[:3])}"


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
        f" ({coverage.crash_tests_a_second:,.0f} a second)"
        if coverage.crash_tests_a_second and coverage.crash_tests
        else ""
    )
    parts = [count_noun(coverage.operations, "operation"), f"{count_noun(coverage.crash_tests, 'crash test')}{rate}"]
    if coverage.schedules:
        parts.append(count_noun(coverage.schedules, "schedule"))
    parts += [count_noun(coverage.probes, "probe"), f"{coverage.seconds:.1f} s"]
    return f"{', '.join(parts)}; {bounds_text(result)}"


def bounds_text(result: Result) -> str:
    """What limits what was covered, in words."""
    memory = "caches are lost (ADR)" if result.bounds.get("persistency", "adr") == "adr" else "caches survive (eADR)"
    parts = [memory, f"condition {result.condition}"]
    if result.bounds.get("points_only"):
        parts.append("only at likely linearization points")
    if result.exhaustive:
        parts.append("every crash state that recovery and probes can tell apart")
    elif result.status is Status.HOLDS:
        parts.append("not exhaustive")
    return ", ".join(parts)


def points_text(points: Mapping[str, int]) -> str:
    """The numbers of likely linearization points by rule, as text."""
    rules = ", ".join(f"{points.get(rule, 0):,} {words}" for rule, words in _RULES.items())
    return f"{count_noun(points.get('stores', 0), 'store')} ({rules})"


def advice_lines(advice: Sequence[NeedlessInstruction]) -> list[str]:
    """Flushes and fences that could be left out."""
    lines = [f"Advice: {advice_text(each)}." for each in advice[:_MAX_SHOWN_ADVICE]]
    more = len(advice) - _MAX_SHOWN_ADVICE
    return [*lines, f"Advice: {count_noun(more, 'more flush or fence')[:-1]} change nothing."] if more > 1 else lines


def advice_text(each: NeedlessInstruction) -> str:
    """One of them."""
    what = "nothing in its line was left to write back" if each.kind == "flush" else "there was nothing to wait for"
    return f"the {each.kind} at {place_text(each.place)} changed nothing {count_noun(each.count, 'time')}: {what}"


def meaning(result: Result) -> str:
    """What a result without a violation says, and what it does not."""
    if result.status is Status.VIOLATION:
        return ""
    if result.status is Status.UNKNOWN:
        return "This is no pass: what was not tested may be lost in a crash."
    if result.exhaustive:
        return (
            "This covers every crash in this workload, as x86 may leave it. It says nothing of other workloads, or of "
            "operations at the same time beyond those coverage."
        )
    return (
        "A pass covers the crashes that were tested in this workload. It says nothing of other workloads, of other crash "
        "states (--exhaustive, for small workloads), or of more operations at the same time."
    )
