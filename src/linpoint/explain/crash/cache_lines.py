# SPDX-License-Identifier: Apache-2.0
"""Stores around a crash, by cache line: their variables and values, and whether they survived.

Guarantee: the stores with a role in the failure are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from linpoint.explain.wording.value_text import MAX_VALUE_COLUMNS
from linpoint.text.phrases import count_noun
from linpoint.text.terminal_text import display_width, fit, pad
from linpoint.traces.trace import SourcePlace
from linpoint.verdicts.evidence import CrashStore

_MAX_STORE_COLUMNS: Final = 44
_STORE_COLUMNS: Final = 28
"""The width of most stores."""
_MAX_SHOWN_STORES: Final = 24
_POINTER_BYTES: Final = 8
_MAX_SMALL_NUMBER: Final = 0xFFFF
"""Larger values with the size of a pointer are shown in hexadecimal, as addresses are."""


def by_line(stores: Sequence[CrashStore]) -> list[tuple[int, list[CrashStore]]]:
    """Stores by cache line; the lines are in the order of their first stores."""
    lines = dict.fromkeys(store.line for store in stores)
    return [(line, [store for store in stores if store.line == line]) for line in lines]


def mark_of(store: CrashStore) -> str:
    """The mark that shows whether a store is in the crash state."""
    return "persisted" if store.persisted else "kept" if store.kept else "LOST"


def store_text(store: CrashStore) -> str:
    """The variable and the value of a store."""
    name = store.name or f"{store.address:#x}"
    value = stored_value(store)
    how = {"update": " (atomic)", "non-temporal": " (non-temporal)"}.get(store.kind, "")
    return f"{name} = {value}{how}"


def stored_value(store: CrashStore) -> str:
    """The bytes of a store as a little-endian number."""
    try:
        number = int.from_bytes(bytes.fromhex(store.value), "little")
    except ValueError:
        return store.value
    return f"{number:#x}" if store.size >= _POINTER_BYTES and number > _MAX_SMALL_NUMBER else str(number)


def place_text(place: SourcePlace | None) -> str:
    """A place as FILE:LINE."""
    return "?" if place is None else f"{place.file}:{place.line}"


_ROLES: Final = {
    "cause": "<-- make this durable",
    "unrecovered": "<-- not undone by recovery",
    "also": "<-- and this",
    "before": "<-- before this",
    "sync": "<-- crash at this store",
    "": "",
}


def store_lines(stores: Sequence[CrashStore]) -> Iterator[str]:
    """The stores by cache line as lines of text, with marks."""
    yield "Stores around the crash by cache line (persisted: guaranteed; kept: survived this crash; LOST: did not):"
    shown = _chosen(stores)
    width = max((display_width(place_text(store.place)) for store in shown), default=0)
    for line, members in by_line(shown):
        yield f"  line {line:#x}"
        for of, group in groupby(members, key=lambda store: store.operation):
            if of:
                yield f"    {fit(of, MAX_VALUE_COLUMNS)}"
            for store in group:
                text = fit(store_text(store), _MAX_STORE_COLUMNS)
                mark = f"{mark_of(store):<9}  {pad(place_text(store.place), width)}  {pad(text, _STORE_COLUMNS)}"
                yield f"      {mark} {_ROLES[store.role]}".rstrip()
    if len(shown) < len(stores):
        yield f"  ... and {count_noun(len(stores) - len(shown), 'more store')}"


def _chosen(stores: Sequence[CrashStore]) -> list[CrashStore]:
    """The stores with a role and those nearest to them, in order."""
    if len(stores) <= _MAX_SHOWN_STORES:
        return list(stores)
    at = [number for number, store in enumerate(stores) if store.role] or [len(stores) - 1]
    nearest = sorted(range(len(stores)), key=lambda number: min(abs(number - each) for each in at))
    return [stores[number] for number in sorted(nearest[:_MAX_SHOWN_STORES])]
