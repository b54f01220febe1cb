# SPDX-License-Identifier: Apache-2.0
"""Partitions a history by object.

Linearizability is local: a history is linearizable if and only if the history of each object is. Cost: O(n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, canonical


def partition_by_key(
    history: History, positions: Iterable[int], key: Callable[[Operation], Value]
) -> list[tuple[Value, tuple[int, ...]]]:
    """The positions of the operations of each object, in order of appearance."""
    parts: dict[Any, tuple[Value, list[int]]] = {}
    for position in positions:
        value = key(history.operations[position])
        parts.setdefault(canonical(value), (value, []))[1].append(position)
    return [(value, tuple(members)) for value, members in parts.values()]
