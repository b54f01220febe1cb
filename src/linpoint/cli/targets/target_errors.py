# SPDX-License-Identifier: Apache-2.0
"""Report entries of targets that could not be loaded or built."""

from __future__ import annotations

from typing import Any

from linpoint.campaign.several_targets import PlannedEntry
from linpoint.campaign.worker_protocol import RenderedResult
from linpoint.cli.output.build_output import show_build_error
from linpoint.cli.output.target_report import ReportEntry
from linpoint.errors import LinpointError
from linpoint.targets.build_error import BuildError


def error_entry(file: str, name: str, error: LinpointError, **facts: Any) -> ReportEntry:
    """The entry of a target without a verdict. Prints the output of a failed compiler immediately."""
    output = ""
    if isinstance(error, BuildError):
        show_build_error(error)
        output = error.tool_messages
    return ReportEntry(file, name, RenderedResult(error=error.as_dict(), compiler_output=output), **facts)


def planned_error(file: str, name: str, error: LinpointError, **facts: Any) -> PlannedEntry[ReportEntry]:
    """The same entry, for the plan of a command."""
    return PlannedEntry(error_entry(file, name, error, **facts))
