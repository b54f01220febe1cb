# SPDX-License-Identifier: Apache-2.0
"""The result of crash tests as an HTML report: the lost operation and the fix, the operations around the crash, the
cache lines after it, the coverage, the replay command.

Guarantee: that of ``page_renderer``; names, values and source lines are escaped text. The page has only the common
script of all pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.explain.crash.cache_lines import by_line, mark_of, place_text, store_text, stored_value
from linpoint.explain.crash.crash_document import crash_document
from linpoint.explain.crash.crash_text import (
    CLASS_NAMES,
    advice_text,
    allowed_text,
    bounds_text,
    covered,
    meaning,
    points_text,
    remedy_text,
    sentence,
)
from linpoint.explain.pages.page_renderer import again_link, page_heading, render_page, result_download
from linpoint.explain.pages.script_data import plain
from linpoint.explain.wording.value_text import fit_value
from linpoint.text.phrases import count_noun
from linpoint.verdicts.evidence import CrashEvidence, CrashOperation, CrashStore
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result

_STYLES: Final = ("tests.css", "crashes.css")
_MAX_PLACE_LETTERS: Final = 200
_MAX_BEFORE: Final = 40
_MAX_AFTER: Final = 60
_LINE_BYTES: Final = 64
_WORD_BYTES: Final = 8
_WHEN: Final = {"before": "before", "beside": "concurrent", "open": "interrupted", "after": "probe"}
_ROLES: Final = {
    "cause": "make this durable",
    "unrecovered": "not undone by recovery",
    "also": "and this",
    "before": "before this",
    "sync": "crash at this store",
}


@dataclass(frozen=True, slots=True)
class OperationAround:
    """An operation before or after the crash, or the crash itself."""

    when: str
    call: str = ""
    result: str = ""
    wrong: bool = False
    crash: bool = False


@dataclass(frozen=True, slots=True)
class ShownWord:
    """The last store to a word of a cache line, and whether it survived."""

    kind: str
    title: str
    value: str


@dataclass(frozen=True, slots=True)
class ShownStore:
    """A store in the table."""

    classes: str
    mark: str
    where: str
    store: str
    source: str
    role: str


@dataclass(frozen=True, slots=True)
class ShownCacheLine:
    """A cache line at the crash."""

    address: str
    words: tuple[ShownWord | None, ...]
    stores: tuple[ShownStore, ...]


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding as the page shows it."""

    id: str
    link: str
    message: str
    classes: str
    remedy: str
    operations: tuple[OperationAround, ...]
    cache_lines: tuple[ShownCacheLine, ...]


def crash_page(result: Result, *, command: str = "", replay: str = "") -> str:
    """The result as an HTML document; ``command`` runs the test, ``replay`` replays its finding."""
    findings = [_shown_finding(finding, number) for number, finding in enumerate(result.findings)]
    downloads = result_download(crash_document(result))
    # The first screen shows all of the first finding except its cache lines.
    links = {each.id: each.link for at, each in enumerate(findings) if at or each.cache_lines}
    links |= {"covered": "Coverage"}
    links |= {"advice": "Unnecessary flushes and fences"} if result.advice else {}
    links |= again_link(command=command, replay=replay)
    links |= {"save": "Save"} if downloads else {}
    context = {
        "status": result.status,
        "sentence": sentence(result).removeprefix(f"{result.name}: "),
        "findings": findings,
        "meaning": "" if findings else meaning(result),
        "covered": "" if findings else covered(result),
        "warnings": result.warnings,
        "facts": list(_numbers(result)),
        "details": list(_ended(result)),
        "advice": [advice_text(each) for each in result.advice],
        "command": command,
        "replay": replay,
    }
    return render_page(
        "crash.html",
        context,
        title=f"{result.status.name}: {result.name}",
        heading=page_heading(result.file, result.name),
        links=links,
        data={"downloads": downloads},
        styles=_STYLES,
    )


def _shown_finding(finding: Finding, number: int) -> ShownFinding:
    evidence = finding.evidence_as(CrashEvidence)
    where = plain(place_text(finding.place), _MAX_PLACE_LETTERS)
    return ShownFinding(
        f"finding-{number + 1}" if number else "lines",
        f"Finding {number + 1}: {where}" if number else "Cache lines at the crash",
        plain(finding.message),
        _classes(evidence),
        remedy_text(finding) if evidence.remedy else "",
        tuple(_around(evidence.operations)),
        tuple(_cache_lines(evidence.stores)),
    )


def _classes(evidence: CrashEvidence) -> str:
    names = ", ".join(f"{each} ({CLASS_NAMES.get(each, each)})" for each in evidence.classes)
    if not names:
        return ""
    violates = f" Violates: {', '.join(evidence.violates)}." if evidence.violates else ""
    many = f" {count_noun(evidence.count, 'crash state')} with this cause." if evidence.count > 1 else ""
    return f"Class: {names}.{violates}{many}"


def _around(operations: Sequence[CrashOperation]) -> Iterator[OperationAround]:
    before = [each for each in operations if each.when == "before"]
    concurrent = [each for each in operations if each.when in ("beside", "open")]
    after = [each for each in operations if each.when == "after"]
    if len(before) > _MAX_BEFORE:
        yield OperationAround("before", f"... {count_noun(len(before) - _MAX_BEFORE, 'operation')}")
    yield from map(_operation, (*before[-_MAX_BEFORE:], *concurrent))
    if after or concurrent:
        yield OperationAround("crash", crash=True)
    wrong = next((at for at, each in enumerate(after) if each.allowed is not None or not each.returned), 0)
    begin = max(0, min(wrong - _MAX_AFTER // 2, len(after) - _MAX_AFTER))
    if begin:
        yield OperationAround("probe", f"... {count_noun(begin, 'correct probe')}")
    yield from map(_operation, after[begin : begin + _MAX_AFTER])
    left = len(after) - begin - _MAX_AFTER
    if left > 0:
        yield OperationAround("probe", f"... {count_noun(left, 'more probe')}")


def _operation(each: CrashOperation) -> OperationAround:
    result = fit_value(each.result) if each.returned else "does not return" if each.when == "after" else ""
    wrong = each.allowed is not None or (each.when == "after" and not each.returned)
    shown = f"{result}: {allowed_text(each.allowed)}" if each.allowed is not None else result
    return OperationAround(_WHEN[each.when], each.call, shown, wrong)


def _cache_lines(stores: Sequence[CrashStore]) -> Iterator[ShownCacheLine]:
    for line, members in by_line(stores):
        words = tuple(_word(line + at, members) for at in range(0, _LINE_BYTES, _WORD_BYTES))
        yield ShownCacheLine(f"{line:#x}", words, tuple(map(_store, members)))


def _word(address: int, stores: Sequence[CrashStore]) -> ShownWord | None:
    mine = [store for store in stores if store.address < address + _WORD_BYTES and address < store.address + store.size]
    if not mine:
        return None
    last = mine[-1]
    kind = "persisted" if last.persisted else "kept" if last.kept else "lost"
    title = f"{last.name or hex(last.address)} = {stored_value(last)} ({mark_of(last)})"
    return ShownWord(kind, title, stored_value(last))


def _store(store: CrashStore) -> ShownStore:
    place = store.place
    return ShownStore(
        " ".join(each for each in ("" if store.kept or store.persisted else "lost", store.role) if each),
        mark_of(store),
        place_text(place),
        store_text(store),
        (place.text or "").strip() if place is not None else "",
        _ROLES.get(store.role, ""),
    )


def _numbers(result: Result) -> Iterator[tuple[str, str]]:
    coverage = result.coverage
    if result.spec:
        yield "Spec", result.spec
    yield "Condition", result.condition
    yield "Operations", f"{coverage.operations:,}"
    yield "Crash tests", f"{coverage.crash_tests:,}"
    for kind, count in coverage.crash_tests_by_kind.items():
        yield f"... {kind}", f"{count:,}"
    if coverage.crash_tests_a_second:
        yield "Tests per second", f"{coverage.crash_tests_a_second:,.0f}"
    yield "Schedules", f"{coverage.schedules:,}"
    yield "Probes", f"{coverage.probes:,}"
    yield "Stores", f"{coverage.stores:,}"
    yield "Flushes and fences", f"{coverage.flushes:,} and {coverage.fences:,}"
    yield "Time", f"{coverage.seconds:.1f} s"
    yield "Peak memory", f"{coverage.peak_memory_bytes / 2**20:,.0f} MiB"


def _ended(result: Result) -> Iterator[tuple[str, str]]:
    yield "Bounds", bounds_text(result)
    if result.coverage.points:
        yield "Likely linearization points", points_text(result.coverage.points)
    yield "Exhaustive", "yes" if result.exhaustive else "no"
