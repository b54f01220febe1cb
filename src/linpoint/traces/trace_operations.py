# SPDX-License-Identifier: Apache-2.0
"""The operations of a trace: its outermost calls with their returns, for drawing and checking.

Times are the positions of the steps. A call that never returns has an unknown outcome. Cost: O(steps).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET

from linpoint.histories.operation import Operation, Outcome, Process
from linpoint.traces.trace import StepKind, Trace


def operations_of(trace: Trace, processes: Mapping[Process, Process] | None = None) -> list[Operation]:
    """The operations in the order of their calls; ``processes`` names the threads, if not by their ids."""
    found: list[Operation] = []
    opened: dict[Process, list[int]] = {thread.id: [] for thread in trace.threads}
    for position, step in enumerate(trace.steps):
        if step.thread is None:
            continue
        calls = opened[step.thread]
        if step.kind is StepKind.CALL:
            if not calls:
                who = step.thread if processes is None else processes[step.thread]
                name = step.operation or ""
                found.append(Operation(who, name, step.args, None, call=position, outcome=Outcome.UNKNOWN))
            calls.append(len(found) - 1)
        elif step.kind is StepKind.RETURN and calls:
            number = calls.pop()
            if not calls:
                called = found[number]
                result = None if step.value is UNSET else step.value
                found[number] = Operation(
                    called.process, called.name, called.args, result, call=called.call, return_=position
                )
    return found
