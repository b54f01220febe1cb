# SPDX-License-Identifier: Apache-2.0
"""A short, readable text of a spec's state.

Cost: O(1) for a state with a long list or many entries, of which only some are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from linpoint.histories.values import format_value
from linpoint.scenarios.scenario import Call

_SHOWN_END_ITEMS: Final = 16
"""The number of items to show at each end of a list."""
_OTHERS: Final = "default"
"""A memory's key for the value of words without an entry; the keys of the others are ``(True, word)``."""


def state_text(state: Any) -> str:
    """A state as text: lists by their ends, memories by their words."""
    if isinstance(state, Mapping):
        return f"{{{', '.join(_entries(state))}}}"
    if isinstance(state, (set, frozenset)):
        return f"{{{', '.join(sorted(map(format_value, islice(state, 2 * _SHOWN_END_ITEMS))) + _more(len(state)))}}}"
    if _is_calls(state):
        return f"after {'; '.join(str(call) for call, _ in state)}"  # an object that is its own spec
    if isinstance(state, (list, tuple)):
        if len(state) <= 2 * _SHOWN_END_ITEMS:
            return f"[{', '.join(map(format_value, state))}]"
        ends = [
            *map(format_value, state[:_SHOWN_END_ITEMS]),
            *_more(len(state)),
            *map(format_value, state[-_SHOWN_END_ITEMS:]),
        ]
        return f"[{', '.join(ends)}]"
    if isinstance(state, bytes):
        return f"an object of {len(state):,} bytes"  # a snapshot, which only the object's methods can interpret
    return format_value(state)


def _is_calls(state: Any) -> bool:
    """Whether it is the sequence of operations so far with their results."""
    pairs = (
        isinstance(state, tuple) and bool(state) and all(isinstance(each, tuple) and len(each) == 2 for each in state)
    )
    return pairs and all(isinstance(call, Call) for call, _ in state)


def _entries(state: Mapping[Any, Any]) -> list[str]:
    memory = _OTHERS in state and all(key == _OTHERS or _is_word(key) for key in islice(state, 2 * _SHOWN_END_ITEMS))
    shown = [
        f"{format_value(key[1] if _is_word(key) else key)}: {format_value(value)}"
        for key, value in islice(state.items(), 2 * _SHOWN_END_ITEMS)
        if not (memory and key == _OTHERS)
    ]
    if memory:
        shown.append(f"{'others' if shown else 'all'}: {format_value(state[_OTHERS])}")
    return shown + _more(len(state))


def _more(count: int) -> list[str]:
    return [f"… {count - 2 * _SHOWN_END_ITEMS:,} more …"] if count > 2 * _SHOWN_END_ITEMS else []


def _is_word(key: Any) -> bool:
    return isinstance(key, tuple) and len(key) == 2 and key[0] is True
