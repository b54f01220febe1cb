# SPDX-License-Identifier: Apache-2.0
"""``sys.monitoring`` (PEP 669) as the hook, from Python 3.12 on.

Code is discovered when it begins. The instructions of interleaved code are monitored, and those that touch nothing
shared are disabled one by one as they occur. Guarantee: other tools, such as a debugger or coverage, keep their events,
and after the block no code is monitored. Cost: one call of a C function for each instruction that may touch something
shared, and for each call of code that is not interleaved.
"""

from __future__ import annotations

import sys
import types
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from linpoint.errors import TestError
from linpoint.explore import _native_control as native

NEEDED: Final = sys.version_info >= (3, 12)
"""Before Python 3.12, a trace function takes its place."""

_NAME: Final = "linpoint"
_TOOLS: Final = (3, 4, 2, 5, 1, 0)
"""Identities for tools; those without a predefined purpose come first."""


@contextmanager
def watching() -> Iterator[None]:
    """Report instructions to the native hook within the block."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    tool = _take(monitoring)
    events = monitoring.events
    watched: dict[int, weakref.ref[types.CodeType]] = {}

    def watch(code: types.CodeType) -> None:
        identity = id(code)
        watched[identity] = weakref.ref(code, lambda _: watched.pop(identity, None))
        monitoring.set_local_events(tool, code, events.INSTRUCTION)

    native.hook_monitoring(watch, monitoring.DISABLE)
    callbacks = {
        events.INSTRUCTION: native.before_instruction,
        events.PY_START: native.before_code,
        events.PY_RESUME: native.before_code,
    }
    try:
        for event, callback in callbacks.items():
            monitoring.register_callback(tool, event, callback)
        monitoring.set_events(tool, events.PY_START | events.PY_RESUME)
        monitoring.restart_events()  # enable what an earlier session disabled
        yield
    finally:
        monitoring.set_events(tool, events.NO_EVENTS)
        for code in [reference() for reference in watched.values()]:
            if code is not None:
                monitoring.set_local_events(tool, code, events.NO_EVENTS)
        for event in callbacks:
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)
        native.hook_monitoring(None, None)


def _take(monitoring: Any) -> int:
    for tool in _TOOLS:
        if monitoring.get_tool(tool) is None:
            monitoring.use_tool_id(tool, _NAME)
            return tool
    others = ", ".join(str(monitoring.get_tool(tool)) for tool in sorted(_TOOLS))
    raise TestError(
        "LP-T020",
        f"all tool ids of sys.monitoring are in use: {others}.",
        remedy="Run the test without one of these tools.",
    )
