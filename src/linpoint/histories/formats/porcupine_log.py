# SPDX-License-Identifier: Apache-2.0
"""The key-value logs of Porcupine's test data: EDN-like lines with a ``:key``.

    {:process 0, :type :ok, :f :get, :key "5", :value ""}

A ``get`` that returns ``""`` found nothing; absent is null. Guarantee and cost: those of ``edn_parser`` and
``event_pairing``. Source: github.com/anishathalye/porcupine, ``test_data/kv``.
"""

from __future__ import annotations

import msgspec

from linpoint.histories._native_columns import EdnReader
from linpoint.histories.formats import jepsen_edn
from linpoint.histories.formats.event_pairing import Event, pair
from linpoint.histories.formats.file_format import MakeReader, ReadItems, ReadOptions


def read(text: str, options: ReadOptions) -> ReadItems:
    """Read the items of a Porcupine log."""
    return pair(events(text), keyed=options.keyed)


def events(text: str, first: int = 1) -> list[Event]:
    """The events in the order of the text, whose first line has the number ``first`` in its file."""
    return [_absent(event) for event in jepsen_edn.events(text, first)]


def native(head: bytes, options: ReadOptions) -> MakeReader:
    """The constructor of native readers of Porcupine's logs, for any beginning."""
    del head
    return lambda expected_bytes, _: EdnReader(expected_bytes, options.keyed, True)


def _absent(event: Event) -> Event:
    found_nothing = event.f == "get" and event.type == "ok" and event.value == ""
    return msgspec.structs.replace(event, value=None) if found_nothing else event
