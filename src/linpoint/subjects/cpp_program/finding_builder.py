# SPDX-License-Identifier: Apache-2.0
"""A failure of a C++ program as a finding, with the steps of its run or without them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linpoint.hosts.address_symbols import AddressSymbols
from linpoint.hosts.search_messages import HostFinding, SearchResult
from linpoint.hosts.trace_builder import (
    HostTraceBuilder,
    failure_message,
    host_schedule_text,
    message_without_places,
    printed_lines,
)
from linpoint.verdicts.program import ProgramFinding
from linpoint.verdicts.schedule import Schedule


def program_finding(
    found: HostFinding,
    result: SearchResult,
    replay: Mapping[str, Any],
    library: Path,
    model: str,
    *,
    minimal: bool,
    preemptions: int | None = None,
) -> ProgramFinding:
    """The finding of a run that was told with its trace."""
    assert result.trace is not None
    symbols = AddressSymbols(library, result.modules)
    schedule = tuple(found.schedule)
    telling = HostTraceBuilder(symbols, result.trace, found, model)
    try:
        trace = telling.trace(host_schedule_text(schedule, model))
    except ValueError:  # the numbers do not fit together, so nothing can be shown of them
        trace = None
    return ProgramFinding(
        found.kind,
        failure_message(found, symbols, trace, telling.by_code()),
        schedule,
        found.preemptions if preemptions is None else preemptions,
        trace,
        printed_lines(found),
        minimal,
        replay_content(replay, schedule, found.kind),
    )


def untold_finding(found: HostFinding, replay: Mapping[str, Any], *, minimal: bool) -> ProgramFinding:
    """The finding of a run without its steps."""
    schedule = tuple(found.schedule)
    return ProgramFinding(
        found.kind,
        message_without_places(found),
        schedule,
        found.preemptions,
        None,
        printed_lines(found),
        minimal,
        replay_content(replay, schedule, found.kind),
    )


def replay_content(replay: Mapping[str, Any], schedule: Schedule, kind: str) -> dict[str, Any]:
    """What a token holds by which a failure is shown again."""
    return {**replay, "schedule": [list(each) for each in schedule], "finding": kind}
