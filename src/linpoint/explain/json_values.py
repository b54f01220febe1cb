# SPDX-License-Identifier: Apache-2.0
"""Operations and values as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import format_value


def operation_dict(history: History, position: int) -> dict[str, Any]:
    """An operation as in operation lines, with its position."""
    return {"position": position, **operation_fields(history.operations[position])}


def operation_fields(op: Operation) -> dict[str, Any]:
    """An operation as in operation lines."""
    data: dict[str, Any] = {"process": op.process, "op": op.name, "args": [as_json(value) for value in op.args]}
    data |= {"result": as_json(op.result), "outcome": op.outcome.value, "call": op.call, "return": op.return_}
    if op.key is not None:
        data["key"] = as_json(op.key)
    if op.order is not None:
        data["order"] = op.order
    if op.line is not None:
        data["line"] = op.line
    return data


def as_json(value: Any) -> Any:
    """A value as JSON; values of a spec or program without a JSON form become the text of explanations."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [as_json(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): as_json(each) for name, each in value.items()}
    return format_value(value)
