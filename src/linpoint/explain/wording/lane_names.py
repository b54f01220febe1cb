# SPDX-License-Identifier: Apache-2.0
"""What the lanes of processes are called, so that two processes never have the same name. Cost: O(processes)."""

from __future__ import annotations

from linpoint.histories.history import History
from linpoint.histories.operation import Process
from linpoint.histories.values import format_value
from linpoint.text.phrases import one_line


def lane_names(history: History) -> dict[Process, str]:
    """The names of all processes, also of those that only crashed: ``"1"`` is in quotes where there is a process 1 too."""
    crashed = (crash.process for crash in history.crashes if crash.process is not None)
    processes = list(dict.fromkeys((*history.processes, *crashed)))
    numbers = {str(process) for process in processes if not isinstance(process, str)}
    return {
        process: one_line(format_value(process) if isinstance(process, str) and process in numbers else str(process))
        for process in processes
    }
