# SPDX-License-Identifier: Apache-2.0
"""The key-value logs of Porcupine's test data: EDN-like lines with a ``:key``.

    {:process 0, :type :ok, :f :get, :key "5", :value ""}

A ``get`` that returns ``""`` found nothing: absent is null. Guarantee and cost: as ``edn`` and ``events``.
Source: github.com/anishathalye/porcupine, ``test_data/kv``.
"""

from __future__ import annotations

import msgspec

from linpoint.histories._native_columns import EdnReader
from linpoint.histories.formats import jepsen_edn
from linpoint.histories.formats.event_pairing import Event, pair
from linpoint.histories.formats.file_format import MakeReader, ReadItems, ReadOptions


def read(text: str, options: ReadOptions) -> ReadItems:
    """The items of a Porcupine log."""
    return pair(events(text), keyed=options.keyed)


def events(text: str, first: int = 1) -> list[Event]:
    """The events as they stand in the text, whose first line is number ``first`` of its file."""
    return [_absent(event) for event in jepsen_edn.events(text, first)]


def native(head: bytes, options: ReadOptions) -> MakeReader:
    """What makes native readers of Porcupine's logs, whatever the beginning."""
    del head
    return lambda expected_bytes, _: EdnReader(expected_bytes, options.keyed, True)


def _absent(event: Event) -> Event:
    found_nothing = event.f == "get" and event.type == "ok" and event.value == ""
    return msgspec.structs.replace(event, value=None) if found_nothing else event
