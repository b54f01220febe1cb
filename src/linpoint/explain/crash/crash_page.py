# SPDX-License-Identifier: Apache-2.0
"""The result of testing crashes as one HTML document: what is lost and the remedy, the operations around the crash, the
cache lines as it left them, what was covered, how to see it again.

Guarantee: that of ``frame``; names, values and source lines are escaped text. There is no script but the frame's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from linpoint.explain.crash import crash_text as crashes
from linpoint.explain.crash.cache_lines import by_line, mark_of, store_told, stored_value, where_told
from linpoint.explain.crash.crash_text import (
    CLASS_NAMES,
    advice_told,
    allowed_told,
    bounds_told,
    meaning,
    points_told,
    remedy_of,
    sentence,
    value_told,
)
from linpoint.explain.history.page_summary import headline
from linpoint.explain.pages.page_renderer import Part, document
from linpoint.explain.pages.script_data import escaped
from linpoint.explain.pages.sections import Section, again, facts, file_and_name, saved_document
from linpoint.histories.values import counted
from linpoint.verdicts.durability import CrashFinding, CrashResult, Done, StoreShown

_STYLES: Final = ("tests.css", "crashes.css")
_LONGEST: Final = 200
_MOST_BEFORE: Final = 40
_MOST_AFTER: Final = 60
_LINE: Final = 64
_WORD: Final = 8
_WHEN: Final = {"before": "before", "beside": "beside it", "open": "cut off", "after": "probe"}
_ROLES: Final = {
    "cause": "make this durable",
    "unrecovered": "this is not undone",
    "also": "and this",
    "before": "before this",
    "sync": "the crash is at this store",
}


def page_of_crash(result: CrashResult, *, command: str = "", replay: str = "") -> str:
    """The result as an HTML document; ``command`` runs the test, ``replay`` shows its finding again."""
    parts = [Part(_first(result))]
    for number, finding in enumerate(result.findings):
        parts += (Part(each.html, ((each.name, each.title),)) for each in _of_finding(finding, number))
    parts += (Part(each.html, ((each.name, each.title),)) for each in _sections(result, command, replay))
    parts += saved_document(crashes.document(result))
    name = file_and_name(result.file, result.name)
    return document(parts, title=f"{result.answer.name}: {result.name}", name=name, styles=_STYLES)


def _first(result: CrashResult) -> str:
    """The first screen: the verdict and why, the remedy, what happened."""
    parts = [headline(result.answer, sentence(result).removeprefix(f"{result.name}: "))]
    if result.findings:
        finding = result.findings[0]
        parts += [_classes(finding), _remedy(finding)]
        parts.append(f"<h2>What happened</h2>{_around(finding.operations)}")
    else:
        parts.append(f'<p class="meaning">{escaped(meaning(result))}</p>')
        parts.append(f'<p class="facts">{escaped(f"Tested: {crashes.covered(result)}.")}</p>')
    parts += (f'<p class="note">{escaped(f"Warning: {warning}.")}</p>' for warning in result.warnings)
    return f'<section id="verdict" aria-labelledby="sentence">{"".join(parts)}</section>'


def _classes(finding: CrashFinding) -> str:
    told = ", ".join(f"{each} ({CLASS_NAMES.get(each, each)})" for each in finding.classes)
    if not told:
        return ""
    violates = f" Violates: {', '.join(finding.violates)}." if finding.violates else ""
    many = f" {counted(finding.count, 'crash state')} with this cause." if finding.count > 1 else ""
    return f'<p class="meaning">{escaped(f"Class: {told}.{violates}{many}")}</p>'


def _remedy(finding: CrashFinding) -> str:
    return f'<p class="remedy"><b>Remedy</b>{escaped(remedy_of(finding), 1000)}</p>' if finding.remedy else ""


def _of_finding(finding: CrashFinding, number: int) -> Iterator[Section]:
    """The cache lines of a finding; of all but the first, which is on the first screen, the rest too."""
    body = ""
    if number:
        shown = f"<h3>What happened</h3>{_around(finding.operations)}"
        body = f"<p>{escaped(finding.message, 2000)}.</p>{_classes(finding)}{_remedy(finding)}{shown}"
    if finding.stores:
        hint = "Words of eight bytes with what was stored last. Struck out: lost in the crash."
        body += f'<p class="hint">{hint}</p>{"".join(_cache_lines(finding.stores))}'
    if body:
        where = where_told(finding.place)
        title = f"Finding {number + 1}: {escaped(where, _LONGEST)}" if number else "The cache lines at the crash"
        yield Section("lines" if not number else f"finding-{number + 1}", title, body)


def _around(operations: Sequence[Done]) -> str:
    before = [each for each in operations if each.when == "before"]
    beside = [each for each in operations if each.when in ("beside", "open")]
    after = [each for each in operations if each.when == "after"]
    rows = []
    if len(before) > _MOST_BEFORE:
        rows.append(_row("before", f"... {counted(len(before) - _MOST_BEFORE, 'operation')}", ""))
    rows += [_operation(each) for each in (*before[-_MOST_BEFORE:], *beside)]
    if after or beside:
        rows.append('<tr class="crash"><th scope="row">crash</th><td colspan="2">and recovery</td></tr>')
    wrong = next((at for at, each in enumerate(after) if each.allowed is not None or not each.returned), 0)
    begin = max(0, min(wrong - _MOST_AFTER // 2, len(after) - _MOST_AFTER))
    if begin:
        rows.append(_row("probe", f"... {counted(begin, 'probe')} as it should be", ""))
    rows += [_operation(each) for each in after[begin : begin + _MOST_AFTER]]
    left = len(after) - begin - _MOST_AFTER
    rows += [_row("probe", f"... {counted(left, 'more probe')}", "")] if left > 0 else []
    head = '<thead><tr><th scope="col">when</th><th scope="col">operation</th><th scope="col">result</th></tr></thead>'
    return f'<div class="scroll"><table class="around">{head}<tbody>{"".join(rows)}</tbody></table></div>'


def _operation(each: Done) -> str:
    result = value_told(each.result) if each.returned else "does not come back" if each.when == "after" else ""
    wrong = each.allowed is not None or (each.when == "after" and not each.returned)
    told = f"{result}: {allowed_told(each.allowed)}" if each.allowed is not None else result
    return _row(_WHEN[each.when], each.call, told, wrong=wrong)


def _row(when: str, call: str, result: str, *, wrong: bool = False) -> str:
    cells = f"<td><code>{escaped(call, _LONGEST)}</code></td><td><code>{escaped(result, _LONGEST)}</code></td>"
    return f'<tr{" class=wrong" if wrong else ""}><th scope="row">{when}</th>{cells}</tr>'


def _cache_lines(stores: Sequence[StoreShown]) -> Iterator[str]:
    for line, members in by_line(stores):
        cells = "".join(_word(line + at, members) for at in range(0, _LINE, _WORD))
        words = f'<table class="words" aria-label="Words of the line {line:#x}"><tr>{cells}</tr></table>'
        rows = "".join(map(_store, members))
        yield f'<div class="cache-line"><h3>line {line:#x}</h3>{words}<table class="stores">{rows}</table></div>'


def _word(address: int, stores: Sequence[StoreShown]) -> str:
    """A word: what was stored there last, and whether it survives."""
    mine = [store for store in stores if store.address < address + _WORD and address < store.address + store.size]
    if not mine:
        return "<td>·</td>"
    last = mine[-1]
    kind = "persisted" if last.persisted else "kept" if last.kept else "lost"
    told = f"{last.name or hex(last.address)} = {stored_value(last)} ({mark_of(last)})"
    return f'<td class="{kind}" title="{escaped(told, _LONGEST)}">{escaped(stored_value(last), 24)}</td>'


def _store(store: StoreShown) -> str:
    place = store.place
    source = (
        f" <code>{escaped((place.text or '').strip(), _LONGEST)}</code>" if place is not None and place.text else ""
    )
    role = f' <span class="role">{_ROLES[store.role]}</span>' if store.role in _ROLES else ""
    kinds = " ".join(each for each in ("" if store.kept or store.persisted else "lost", store.role) if each)
    return (
        f'<tr class="{kinds}"><td class="mark">{mark_of(store)}</td>'
        f'<td class="where">{escaped(where_told(place), _LONGEST)}</td>'
        f"<td><code>{escaped(store_told(store), _LONGEST)}</code>{source}{role}</td></tr>"
    )


def _sections(result: CrashResult, command: str, replay: str) -> Iterator[Section]:
    yield Section("covered", "What was covered", facts(_numbers(result), _ended(result)))
    if result.advice:
        told = "".join(f"<li>{escaped(advice_told(each), 400)}</li>" for each in result.advice)
        yield Section("advice", "Flushes and fences to spare", f'<ul class="advice">{told}</ul>')
    yield from again(
        ("replay", "This crash alone (from the same folder; it needs the sources of the test):", replay),
        ("command", "The whole test (from the same folder):", command),
    )


def _numbers(result: CrashResult) -> Iterator[tuple[str, str]]:
    tested = result.tested
    if result.spec:
        yield "Spec", result.spec
    yield "Condition", result.condition
    yield "Operations", f"{tested.operations:,}"
    yield "Crash tests", f"{tested.crash_tests:,}"
    for kind, count in tested.tests.items():
        yield f"... {escaped(kind)}", f"{count:,}"
    if tested.rate:
        yield "Tests a second", f"{tested.rate:,.0f}"
    yield "Schedules", f"{tested.schedules:,}"
    yield "Probes", f"{tested.probes:,}"
    yield "Stores", f"{tested.stores:,}"
    yield "Flushes and fences", f"{tested.flushes:,} and {tested.fences:,}"
    yield "Time", f"{tested.seconds:.1f} s"
    yield "Peak memory", f"{tested.peak_memory_bytes / 2**20:,.0f} MiB"


def _ended(result: CrashResult) -> Iterator[tuple[str, str]]:
    yield "Bounds", bounds_told(result)
    if result.tested.points:
        yield "Likely linearization points", points_told(result.tested.points)
    yield "Exhaustive", "yes" if result.exhaustive else "no"
