# SPDX-License-Identifier: Apache-2.0
"""Builds the finding of a C++ program's failure, with or without the steps of its run."""

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
from linpoint.verdicts.evidence import ProgramEvidence
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.replay_token import ReplayToken
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
) -> Finding:
    """Build the finding of a run whose trace was recorded."""
    assert result.trace is not None
    symbols = AddressSymbols(library, result.modules)
    schedule = tuple(found.schedule)
    builder = HostTraceBuilder(symbols, result.trace, found, model)
    try:
        trace = builder.trace(host_schedule_text(schedule, model))
    except ValueError:  # the trace is inconsistent, so it cannot be shown
        trace = None
    return Finding(
        kind=found.kind,
        message=failure_message(found, symbols, trace, builder.by_code()),
        evidence=ProgramEvidence(printed_lines(found)),
        schedule=schedule,
        preemptions=found.preemptions if preemptions is None else preemptions,
        trace=trace,
        minimal=minimal,
        replay_token=_token(replay, schedule, found.kind),
    )


def finding_without_steps(found: HostFinding, replay: Mapping[str, Any], *, minimal: bool) -> Finding:
    """Build the finding of a run without its steps."""
    schedule = tuple(found.schedule)
    return Finding(
        kind=found.kind,
        message=message_without_places(found),
        evidence=ProgramEvidence(printed_lines(found)),
        schedule=schedule,
        preemptions=found.preemptions,
        minimal=minimal,
        replay_token=_token(replay, schedule, found.kind),
    )


def _token(replay: Mapping[str, Any], schedule: Schedule, kind: str) -> ReplayToken:
    return ReplayToken.from_dict(
        {"kind": "explore-cpp", **replay, "schedule": [list(each) for each in schedule], "finding": kind}
    )
