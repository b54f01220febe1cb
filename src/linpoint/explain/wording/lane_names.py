# SPDX-License-Identifier: Apache-2.0
"""Names for the lanes of processes, which are unique. Cost: O(processes)."""

from __future__ import annotations

from linpoint.histories.history import History
from linpoint.histories.operation import Process
from linpoint.histories.values import format_value
from linpoint.text.phrases import one_line


def lane_names(history: History) -> dict[Process, str]:
    """The names of all processes, also those that only crashed. ``"1"`` is in quotes if there is also a process 1."""
    crashed = (crash.process for crash in history.crashes if crash.process is not None)
    processes = list(dict.fromkeys((*history.processes, *crashed)))
    numbers = {str(process) for process in processes if not isinstance(process, str)}
    return {
        process: one_line(format_value(process) if isinstance(process, str) and process in numbers else str(process))
        for process in processes
    }
