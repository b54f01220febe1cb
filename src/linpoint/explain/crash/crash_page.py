# SPDX-License-Identifier: Apache-2.0
"""The result of testing crashes as one HTML document: what is lost and the remedy, the operations around the crash, the
cache lines as it left them, what was covered, how to see it again.

Guarantee: that of ``page_renderer``; names, values and source lines are escaped text. There is no script but that of every
page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.explain.crash.cache_lines import by_line, mark_of, store_told, stored_value, where_told
from linpoint.explain.crash.crash_text import (
    CLASS_NAMES,
    advice_told,
    allowed_told,
    bounds_told,
    covered,
    document,
    meaning,
    points_told,
    remedy_of,
    sentence,
    value_told,
)
from linpoint.explain.pages.page_renderer import again_link, page_heading, render_page, result_download
from linpoint.explain.pages.script_data import plain
from linpoint.histories.values import counted
from linpoint.verdicts.durability import CrashFinding, CrashResult, Done, StoreShown

_STYLES: Final = ("tests.css", "crashes.css")
_MAX_PLACE_LETTERS: Final = 200
_MAX_BEFORE: Final = 40
_MAX_AFTER: Final = 60
_LINE_BYTES: Final = 64
_WORD_BYTES: Final = 8
_WHEN: Final = {"before": "before", "beside": "beside it", "open": "cut off", "after": "probe"}
_ROLES: Final = {
    "cause": "make this durable",
    "unrecovered": "this is not undone",
    "also": "and this",
    "before": "before this",
    "sync": "the crash is at this store",
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
    """The last store to a word of a cache line, and whether it survives."""

    kind: str
    title: str
    value: str


@dataclass(frozen=True, slots=True)
class ShownStore:
    """A store."""

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


def crash_page(result: CrashResult, *, command: str = "", replay: str = "") -> str:
    """The result as an HTML document; ``command`` runs the test, ``replay`` shows its finding again."""
    findings = [_shown_finding(finding, number) for number, finding in enumerate(result.findings)]
    downloads = result_download(document(result))
    # All of the first finding but its cache lines is on the first screen.
    links = {each.id: each.link for at, each in enumerate(findings) if at or each.cache_lines}
    links |= {"covered": "What was covered"}
    links |= {"advice": "Flushes and fences to spare"} if result.advice else {}
    links |= again_link(command=command, replay=replay)
    links |= {"save": "Save"} if downloads else {}
    context = {
        "status": result.answer,
        "sentence": sentence(result).removeprefix(f"{result.name}: "),
        "findings": findings,
        "meaning": "" if findings else meaning(result),
        "covered": "" if findings else covered(result),
        "warnings": result.warnings,
        "facts": list(_numbers(result)),
        "details": list(_ended(result)),
        "advice": [advice_told(each) for each in result.advice],
        "command": command,
        "replay": replay,
    }
    return render_page(
        "crash.html",
        context,
        title=f"{result.answer.name}: {result.name}",
        heading=page_heading(result.file, result.name),
        links=links,
        data={"downloads": downloads},
        styles=_STYLES,
    )


def _shown_finding(finding: CrashFinding, number: int) -> ShownFinding:
    where = plain(where_told(finding.place), _MAX_PLACE_LETTERS)
    return ShownFinding(
        f"finding-{number + 1}" if number else "lines",
        f"Finding {number + 1}: {where}" if number else "The cache lines at the crash",
        plain(finding.message),
        _classes(finding),
        remedy_of(finding) if finding.remedy else "",
        tuple(_around(finding.operations)),
        tuple(_cache_lines(finding.stores)),
    )


def _classes(finding: CrashFinding) -> str:
    names = ", ".join(f"{each} ({CLASS_NAMES.get(each, each)})" for each in finding.classes)
    if not names:
        return ""
    violates = f" Violates: {', '.join(finding.violates)}." if finding.violates else ""
    many = f" {counted(finding.count, 'crash state')} with this cause." if finding.count > 1 else ""
    return f"Class: {names}.{violates}{many}"


def _around(operations: Sequence[Done]) -> Iterator[OperationAround]:
    before = [each for each in operations if each.when == "before"]
    concurrent = [each for each in operations if each.when in ("beside", "open")]
    after = [each for each in operations if each.when == "after"]
    if len(before) > _MAX_BEFORE:
        yield OperationAround("before", f"... {counted(len(before) - _MAX_BEFORE, 'operation')}")
    yield from map(_operation, (*before[-_MAX_BEFORE:], *concurrent))
    if after or concurrent:
        yield OperationAround("crash", crash=True)
    wrong = next((at for at, each in enumerate(after) if each.allowed is not None or not each.returned), 0)
    begin = max(0, min(wrong - _MAX_AFTER // 2, len(after) - _MAX_AFTER))
    if begin:
        yield OperationAround("probe", f"... {counted(begin, 'probe')} as it should be")
    yield from map(_operation, after[begin : begin + _MAX_AFTER])
    left = len(after) - begin - _MAX_AFTER
    if left > 0:
        yield OperationAround("probe", f"... {counted(left, 'more probe')}")


def _operation(each: Done) -> OperationAround:
    result = value_told(each.result) if each.returned else "does not come back" if each.when == "after" else ""
    wrong = each.allowed is not None or (each.when == "after" and not each.returned)
    shown = f"{result}: {allowed_told(each.allowed)}" if each.allowed is not None else result
    return OperationAround(_WHEN[each.when], each.call, shown, wrong)


def _cache_lines(stores: Sequence[StoreShown]) -> Iterator[ShownCacheLine]:
    for line, members in by_line(stores):
        words = tuple(_word(line + at, members) for at in range(0, _LINE_BYTES, _WORD_BYTES))
        yield ShownCacheLine(f"{line:#x}", words, tuple(map(_store, members)))


def _word(address: int, stores: Sequence[StoreShown]) -> ShownWord | None:
    mine = [store for store in stores if store.address < address + _WORD_BYTES and address < store.address + store.size]
    if not mine:
        return None
    last = mine[-1]
    kind = "persisted" if last.persisted else "kept" if last.kept else "lost"
    title = f"{last.name or hex(last.address)} = {stored_value(last)} ({mark_of(last)})"
    return ShownWord(kind, title, stored_value(last))


def _store(store: StoreShown) -> ShownStore:
    place = store.place
    return ShownStore(
        " ".join(each for each in ("" if store.kept or store.persisted else "lost", store.role) if each),
        mark_of(store),
        where_told(place),
        store_told(store),
        (place.text or "").strip() if place is not None else "",
        _ROLES.get(store.role, ""),
    )


def _numbers(result: CrashResult) -> Iterator[tuple[str, str]]:
    tested = result.tested
    if result.spec:
        yield "Spec", result.spec
    yield "Condition", result.condition
    yield "Operations", f"{tested.operations:,}"
    yield "Crash tests", f"{tested.crash_tests:,}"
    for kind, count in tested.tests.items():
        yield f"... {kind}", f"{count:,}"
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
