# SPDX-License-Identifier: Apache-2.0
"""Cutting a history into parts: by object, and in time where nothing is open.

Linearizability is local: a history is linearizable iff the history of each object is. Cost: O(n log n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, canonical


def by_key(
    history: History, positions: Iterable[int], key: Callable[[Operation], Value]
) -> list[tuple[Value, tuple[int, ...]]]:
    """The positions of each object's operations, in order of appearance."""
    parts: dict[Any, tuple[Value, list[int]]] = {}
    for position in positions:
        value = key(history.operations[position])
        parts.setdefault(canonical(value), (value, []))[1].append(position)
    return [(value, tuple(members)) for value, members in parts.values()]


def quiescent_cuts(history: History, positions: Iterable[int]) -> list[tuple[int, ...]]:
    """Groups of positions such that each group has returned before the next group calls.

    An operation that never returns keeps its group open to the end.
    """
    ordered = sorted(positions, key=lambda position: history.operations[position].call)
    groups: list[list[int]] = []
    open_until: float = float("-inf")
    for position in ordered:
        op = history.operations[position]
        if not groups or op.call > open_until:
            groups.append([])
        groups[-1].append(position)
        open_until = max(open_until, op.end)
    return [tuple(group) for group in groups]
