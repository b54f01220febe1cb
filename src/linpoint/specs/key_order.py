# SPDX-License-Identifier: Apache-2.0
"""Detects steps whose outcomes depend on the order of the keys of a dict. Dicts with equal entries are one state.

Such a step has two answers for one state: ``state.popitem()`` after two insertions in an unknown order. A step is run a
second time, on a copy with all dicts reversed, and must give the same outcomes.

Guarantee: only some steps are tried, so such a step may go undetected; but no step is rejected whose outcomes are the
same for every order. Cost: one step and one copy for each try, of which there are few.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, Final

from linpoint.histories.values import canonical
from linpoint.specs.spec import Outcomes

_ALWAYS_TRIED: Final = 32
_UNORDERED: Final = (dict, defaultdict, Counter)


def is_tried(count: int) -> bool:
    """Whether step number ``count`` of an operation is tried: each of the first steps, then fewer and fewer."""
    return count <= _ALWAYS_TRIED or count & (count - 1) == 0


def with_reversed_keys(copy: Any) -> tuple[Any, bool]:
    """A copy of a state with the keys of all dicts in reverse order, and whether any dict has several keys.

    The containers of ``copy`` may be changed.
    """
    if isinstance(copy, tuple) and type(copy) is not tuple:
        return copy, False
    if type(copy) in (list, tuple):
        items = [with_reversed_keys(item) for item in copy]
        return type(copy)(item for item, _ in items), any(several for _, several in items)
    if type(copy) not in _UNORDERED:
        return copy, False
    found = len(copy) > 1
    for key in list(reversed(copy)):
        item, several = with_reversed_keys(copy.pop(key))
        copy[key] = item
        found = found or several
    return copy, found


def same_outcomes(some: Outcomes, others: Outcomes) -> bool:
    """Whether two lists of outcomes are equal regardless of their order."""
    return _forms(some) == _forms(others)


def _forms(outcomes: Outcomes) -> set[Any]:
    return {(canonical(result), canonical(after)) for result, after in outcomes}
