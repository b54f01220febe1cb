# SPDX-License-Identifier: Apache-2.0
"""The result of testing crashes in words: what does not survive and why, the stores around it by cache line, the remedy,
what was covered.

Guarantee: every word is safe to print. A pass says what it covered and what it does not prove.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from linpoint.explain.crash.cache_lines import store_lines, where_told
from linpoint.explain.history.explanation import as_json
from linpoint.histories.values import Value, counted, one_line, show
from linpoint.text.printable import printable
from linpoint.text.terminal_text import fitted, wrapped
from linpoint.verdicts.durability import CrashFinding, CrashResult, CrashTested, Done, Needless, StoreShown
from linpoint.verdicts.program import Answer

_WIDTH: Final = 100
_LONGEST: Final = 60
_MOST_BEFORE: Final = 8
"""Operations before the crash that are shown."""
_MOST_AFTER: Final = 6
_MOST_ADVICE: Final = 5
KIND_NAMES: Final = {
    "DL1": "DL1 (a store persistent before what it needs)",
    "DL2": "DL2 (a store lost, what came before it kept)",
    "DL3": "DL3 (seen by another operation before it is durable)",
    "C2": "C2 (an operation that had returned)",
    "exhaustive": "exhaustive",
    "recovery": "recovery (a second crash during it)",
}
"""Kinds of tests, as people read them."""
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


@dataclass(frozen=True, slots=True)
class CrashText:
    """A result, explained: ``text`` for people, ``as_dict()`` for programs, ``as_html()`` for a browser."""

    result: CrashResult
    text: str

    def __str__(self) -> str:
        return self.text

    def as_dict(self) -> dict[str, Any]:
        """The JSON document of the test."""
        return document(self.result)

    def as_html(self, *, command: str = "", replay: str = "") -> str:
        """The result as one page for a browser, which needs nothing else.

        ``command`` and ``replay`` are shown as what runs the test and what shows its finding again.
        """
        from linpoint.explain.crash.crash_page import crash_page  # noqa: PLC0415 - only who asks for a page waits for it

        return crash_page(self.result, command=command, replay=replay)


def explain_crash(result: CrashResult) -> CrashText:
    """Put a result into words."""
    lines = wrapped(f"{result.answer.name}: {sentence(result)}.", _WIDTH, most=9)
    for at, finding in enumerate(result.findings):
        if at:
            lines += ["", *wrapped(f"{at + 1}. {one_line(finding.message)}.", _WIDTH, most=9)]
        lines += ["", *finding_lines(finding)]
        if at and finding.replay_words:
            lines.append(f"Show it again: linpoint {' '.join(finding.replay_words)}")
    lines += ["", *covered_lines(result)]
    lines += advice_lines(result.advice)
    if meaning(result):
        lines += wrapped(meaning(result), _WIDTH, most=9)
    lines += [f"Warning: {warning}." for warning in result.warnings]
    return CrashText(result, printable("\n".join(lines)))


def sentence(result: CrashResult) -> str:
    """The answer in a sentence, without the verdict."""
    if not result.findings:
        return f"{result.name}: {result.why}"
    more = f" (and {counted(len(result.findings) - 1, 'other finding')} below)" if result.findings[1:] else ""
    return f"{result.name}: {one_line(result.findings[0].message)}{more}"


def finding_lines(finding: CrashFinding) -> list[str]:
    """A finding: its class, the operations around the crash, the stores by cache line, the remedy."""
    lines = list(_class_lines(finding))
    lines += ["", *_operation_lines(finding)] if finding.operations else []
    lines += ["", *store_lines(finding.stores)] if finding.stores else []
    if finding.remedy:
        lines += ["", *wrapped(f"Remedy: {remedy_of(finding)}", _WIDTH, most=6)]
    return lines


def _class_lines(finding: CrashFinding) -> Iterator[str]:
    if finding.classes:
        told = ", ".join(f"{each} ({CLASS_NAMES.get(each, each)})" for each in finding.classes)
        many = f"; {counted(finding.count, 'crash state')} with this cause" if finding.count > 1 else ""
        yield f"Class: {told}{many}."
    if finding.violates:
        yield f"Violates: {', '.join(finding.violates)}{_spared(finding)}."


def _spared(finding: CrashFinding) -> str:
    return (
        "" if "durable" in finding.violates else " (not durable: the operation may still take effect after the crash)"
    )


def remedy_of(finding: CrashFinding) -> str:
    """What mends it, and how sure that is."""
    proof = ""
    if finding.kind == "durability" and finding.place is not None:
        proof = " Proven: with that store durable, the same crash is survived." if finding.proven else ""
    return f"{finding.remedy}.{proof}"


def _operation_lines(finding: CrashFinding) -> Iterator[str]:
    few = "" if finding.minimal else " There was no time to leave out more operations."
    before = [each for each in finding.operations if each.when == "before"]
    yield f"What happened:{few}"
    hidden = len(before) - _MOST_BEFORE
    if hidden > 0:
        yield f"  ... {counted(hidden, 'operation')} before, then"
    for each in before[max(0, hidden) :]:
        yield f"  {_told(each)}"
    for each in finding.operations:
        if each.when == "beside":
            yield f"  {_told(each)}   (beside what was cut off)"
    for each in finding.operations:
        if each.when == "open":
            yield f"  {fitted(each.call, _LONGEST)}   cut off"
    if finding.kind == "durability":
        yield "  --- crash, recovery ---"
        yield from _after([each for each in finding.operations if each.when == "after"])


def _after(probes: Sequence[Done]) -> Iterator[str]:
    """The probes that matter: those that are wrong, and the last ones before the first of them."""
    wrong = [at for at, each in enumerate(probes) if each.allowed is not None or not each.returned]
    first = wrong[0] if wrong else len(probes)
    begin = max(0, first - _MOST_AFTER + 1)
    if begin:
        yield f"  ... {counted(begin, 'probe')} as it should be, then"
    shown = probes[begin : first + 1] if wrong else probes[begin:]
    yield from (f"  {_told(each)}" for each in shown)
    more = [probes[at] for at in wrong[1:_MOST_AFTER]]
    yield from (f"  {_told(each)}" for each in more)
    rest = len(probes) - first - 1 - len(more)
    if wrong and rest > 0:
        yield f"  ... {counted(rest, 'more probe')}"


def _told(each: Done) -> str:
    if not each.returned:
        return f"{fitted(each.call, _LONGEST)}   <-- does not come back"
    text = f"{fitted(each.call, _LONGEST)} -> {value_told(each.result)}"
    if each.allowed is None:
        return text
    return f"{text}   <-- {allowed_told(each.allowed)}"


def allowed_told(values: Sequence[Value]) -> str:
    """What the spec would have allowed, in words."""
    if not values:
        return "the spec allows nothing here"
    return f"the spec allows {' or '.join(value_told(each) for each in values[:3])}"


def value_told(value: Value) -> str:
    """A value in one line, as short as it must be."""
    return fitted(one_line(show(value)), _LONGEST)


def covered_lines(result: CrashResult) -> list[str]:
    """What was covered."""
    tested = result.tested
    lines = [f"Tested: {covered(result)}."]
    if tested.tests:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in tested.tests.items())
        lines.append(f"Crash tests by kind: {kinds}.")
    if tested.points:
        lines.append(f"Likely linearization points: {points_told(tested.points)}.")
    return [line for each in lines for line in wrapped(each, _WIDTH, most=4)]


def covered(result: CrashResult) -> str:
    """The numbers, without their full stop."""
    tested = result.tested
    rate = f" ({tested.rate:,.0f} a second)" if tested.rate and tested.crash_tests else ""
    parts = [counted(tested.operations, "operation"), f"{counted(tested.crash_tests, 'crash test')}{rate}"]
    if tested.schedules:
        parts.append(counted(tested.schedules, "schedule"))
    parts += [counted(tested.probes, "probe"), f"{tested.seconds:.1f} s"]
    return f"{', '.join(parts)}; {bounds_told(result)}"


def bounds_told(result: CrashResult) -> str:
    """What limits what was covered, in words."""
    memory = "caches are lost (ADR)" if result.bounds.get("persistency", "adr") == "adr" else "caches survive (eADR)"
    parts = [memory, f"condition {result.condition}"]
    if result.bounds.get("points_only"):
        parts.append("only at likely linearization points")
    if result.exhaustive:
        parts.append("every crash state that recovery and probes can tell apart")
    elif result.answer is Answer.HOLDS:
        parts.append("not exhaustive")
    return ", ".join(parts)


def points_told(points: Mapping[str, int]) -> str:
    """Likely linearization points by rule."""
    rules = ", ".join(f"{points.get(rule, 0):,} {words}" for rule, words in _RULES.items())
    return f"{counted(points.get('stores', 0), 'store')} ({rules})"


def advice_lines(advice: Sequence[Needless]) -> list[str]:
    """Flushes and fences that could be left out."""
    lines = [f"Advice: {advice_told(each)}." for each in advice[:_MOST_ADVICE]]
    more = len(advice) - _MOST_ADVICE
    return [*lines, f"Advice: {counted(more, 'more flush or fence')[:-1]} change nothing."] if more > 1 else lines


def advice_told(each: Needless) -> str:
    """One of them."""
    what = "nothing in its line was left to write back" if each.kind == "flush" else "there was nothing to wait for"
    return f"the {each.kind} at {where_told(each.place)} changed nothing {counted(each.count, 'time')}: {what}"


def meaning(result: CrashResult) -> str:
    """What a result without a violation says, and what it does not."""
    if result.answer is Answer.VIOLATION:
        return ""
    if result.answer is Answer.UNKNOWN:
        return "This is no pass: what was not tested may be lost in a crash."
    if result.exhaustive:
        return (
            "This covers every crash in this workload, as x86 may leave it. It says nothing of other workloads, or of "
            "operations at the same time beyond those tested."
        )
    return (
        "A pass covers the crashes that were tested in this workload. It says nothing of other workloads, of other crash "
        "states (--exhaustive, for small workloads), or of more operations at the same time."
    )


def document(result: CrashResult) -> dict[str, Any]:
    """The JSON document of a test, as the contract has it."""
    return {
        "test": result.name,
        **({"file": result.file} if result.file else {}),
        "verdict": result.answer.value,
        "exhaustive": result.exhaustive,
        "why": result.why,
        **({"spec": result.spec} if result.spec else {}),
        "condition": result.condition,
        "bounds": dict(result.bounds),
        "statistics": statistics(result.tested),
        "findings": [finding_document(each) for each in result.findings],
        "advice": [_advice(each) for each in result.advice],
        "warnings": list(result.warnings),
    }


def statistics(tested: CrashTested) -> dict[str, Any]:
    """The numbers."""
    return tested.as_dict()


def finding_document(finding: CrashFinding) -> dict[str, Any]:
    """A finding in a JSON document, as the contract has it."""
    place = finding.place
    of_crash = {"class": list(finding.classes), "violates": list(finding.violates)}
    return {
        "kind": finding.kind,
        "message": finding.message,
        **({} if place is None else {"place": f"{place.file}:{place.line}"}),
        **(of_crash if finding.kind == "durability" else {}),
        "explanation": explanation_of(finding),
        "replay": finding.replay_words,
    }


def explanation_of(finding: CrashFinding) -> dict[str, Any]:
    """What there is to say of a finding, as JSON."""
    counts = {"operations": sum(each.when != "after" for each in finding.operations), "crash_states": finding.count}
    return {
        "text": printable("\n".join([f"{finding.message}.", "", *finding_lines(finding)])),
        **({"remedy": finding.remedy} if finding.remedy else {}),
        "proven": finding.proven,
        "minimal": finding.minimal,
        "counts": counts,
        "operations": [_operation(each) for each in finding.operations],
        "stores": [_store(each) for each in finding.stores],
    }


def _operation(each: Done) -> dict[str, Any]:
    return {
        "call": each.call,
        "when": each.when,
        "returned": each.returned,
        **({"result": as_json(each.result)} if each.returned else {}),
        **({} if each.allowed is None else {"allowed": [as_json(value) for value in each.allowed]}),
    }


def _store(store: StoreShown) -> dict[str, Any]:
    return {
        "place": None if store.place is None else f"{store.place.file}:{store.place.line}",
        "name": store.name,
        "operation": store.operation,
        "thread": store.thread,
        "address": store.address,
        "size": store.size,
        "value": store.value,
        "line": store.line,
        "kind": store.kind,
        "persisted": store.persisted,
        "kept": store.kept,
        "role": store.role,
    }


def _advice(each: Needless) -> dict[str, Any]:
    return {"kind": each.kind, "place": where_told(each.place), "count": each.count, "text": advice_told(each)}
