# SPDX-License-Identifier: Apache-2.0
"""The differences of two records, line by line, without the values that vary from run to run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

_MAX_VALUE_LENGTH: Final = 300


def compare(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """One line for each difference."""
    for name in sorted(before["cases"].keys() | after["cases"].keys()):
        if name not in after["cases"]:
            yield f"{name}: missing after"
        elif name not in before["cases"]:
            yield f"{name}: missing before"
        else:
            yield from _differences(name, before["cases"][name], after["cases"][name])


def _differences(path: str, one: Any, other: Any) -> Iterator[str]:
    if type(one) is not type(other):
        yield f"{path}: {_shown(one)} -> {_shown(other)}"
    elif isinstance(one, dict):
        if list(one) != list(other) and one.keys() == other.keys():
            yield f"{path}: order of keys: {list(one)} -> {list(other)}"
        for key in [*one, *(key for key in other if key not in one)]:
            if key not in other:
                yield f"{path}.{key}: {_shown(one[key])} -> missing"
            elif key not in one:
                yield f"{path}.{key}: missing -> {_shown(other[key])}"
            else:
                yield from _differences(f"{path}.{key}", one[key], other[key])
    elif isinstance(one, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from _differences(f"{path}[{number}]", *pair)
    elif one != other:
        yield f"{path}: {_shown(one)} -> {_shown(other)}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}... ({len(text)} characters)"
