# SPDX-License-Identifier: Apache-2.0
"""Other names that logs use for fields. They serve only as evidence in errors, never to interpret a file."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

_OTHER_NAMES: Final = {
    "process": ("client", "thread", "worker", "session", "node", "pid", "client_id", "thread_id", "process_id"),
    "op": ("f", "operation", "method", "function", "command", "action", "name"),
    "args": ("arguments", "arg", "input", "value", "params"),
    "result": ("output", "response", "ret", "returned", "returns"),
    "call": ("start", "begin", "invoke", "invoked", "called", "call_time", "start_time", "from"),
    "return": ("end", "finish", "complete", "completed", "stop", "return_time", "end_time", "to"),
    "type": ("kind", "event", "phase"),
    "f": ("op", "operation", "method", "function", "command", "action", "name"),
}


def other_name(field: str, names: Container[str]) -> str | None:
    """The name among these that probably stands for a field, if there is one."""
    return next((name for name in _OTHER_NAMES.get(field, ()) if name in names), None)
