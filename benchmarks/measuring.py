# SPDX-License-Identifier: Apache-2.0
"""Measuring one history with one tool, and comparing two measurements."""

from __future__ import annotations

import dataclasses
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.cells import Cell
from benchmarks.peer import Peer
from benchmarks.running import Ended, Limits, run

_VERDICTS: Final = {"ok": "linearizable", "illegal": "violation"}
"""Porcupine's verdicts."""
_READING: Final = 120.0
"""Additional seconds for a process to start and to read its file."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A tool's answer and its cost; ``seconds`` is the median of ``runs``, without start-up and reading.

    ``verdict`` is one of linpoint's verdicts, or ``timeout``, ``memory`` or ``error``; if the tool has not decided,
    ``seconds`` is how long it tried.
    """

    verdict: str
    seconds: float = 0.0
    runs: int = 0
    reading: float = 0.0
    operations: int = 0
    peak: int = 0
    checker: str = ""
    configurations: int = 0
    note: str = ""

    @property
    def decided(self) -> bool:
        """Whether there is an answer."""
        return self.verdict in ("linearizable", "violation")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A cell with each tool's measurement; None if a tool does not take part."""

    cell: Cell
    ours: Measurement
    theirs: Measurement | None

    @property
    def ratio(self) -> float | None:
        """Porcupine's time divided by linpoint's; above 1 linpoint is faster. None if they cannot be compared."""
        if self.theirs is None or "error" in (self.ours.verdict, self.theirs.verdict):
            return None
        if not self.ours.decided and not self.theirs.decided:
            return None
        return self.theirs.seconds / max(self.ours.seconds, 1e-9)

    @property
    def bound(self) -> str:
        """``>`` if the ratio is at least that (Porcupine has not decided), ``<`` if it is at most that."""
        if self.theirs is None or self.ours.decided == self.theirs.decided:
            return ""
        return ">" if self.ours.decided else "<"

    @property
    def wrong(self) -> str:
        """What is wrong with the answers, if anything: an error, or an impossible answer."""
        broken = [each.note for each in (self.ours, self.theirs) if each is not None and each.verdict == "error"]
        if broken:
            return broken[0][:160]
        said = {each.verdict for each in (self.ours, self.theirs) if each is not None and each.decided}
        if self.cell.expected is not None and said - {self.cell.expected}:
            return f"WRONG: it is {self.cell.expected}"
        return "THE TOOLS DISAGREE" if len(said) > 1 else ""


def measure_ours(cell: Cell, file: Path, limits: Limits) -> Measurement:
    """Check the file with linpoint."""
    command = [
        *(sys.executable, "-m", "benchmarks.ours", str(file)),
        *("--spec", cell.spec or cell.model),
        *("--timeout", str(limits.seconds), "--max-memory", str(limits.memory), "--runs", str(cell.runs), "--wait"),
    ]
    # linpoint itself promises both limits. The outer ones are slightly wider: exceeding them is linpoint's fault.
    ended = run(command, patience=limits.seconds * 1.5 + cell.runs + _READING, memory=limits.memory * 11 // 10)
    return _measurement(ended)


def measure_theirs(cell: Cell, file: Path, limits: Limits, peer: Peer) -> Measurement:
    """Check the file with Porcupine."""
    command = [
        *(str(peer.program), "-model", cell.model, "-runs", str(cell.runs)),
        *("-timeout", f"{limits.seconds}s", "-wait", str(file)),
    ]
    # Go collects more often near its limit, which gives Porcupine its best chance to stay below the limit.
    environment = {"GOMEMLIMIT": str(limits.memory * 95 // 100)}
    patience = limits.seconds * 1.5 + cell.runs + _READING
    found = _measurement(run(command, patience=patience, memory=limits.memory, environment=environment))
    return dataclasses.replace(found, verdict="timeout") if found.verdict == "unknown" else found


def _measurement(ended: Ended) -> Measurement:
    if not ended.lines:
        verdict = ended.why if ended.why in ("timeout", "memory") else "error"
        return Measurement(verdict, ended.elapsed, peak=ended.peak, note=ended.why)
    found: dict[str, Any] = ended.lines[-1]
    if "error" in found or ended.why:
        return Measurement("error", note=found.get("message") or ended.why)
    return Measurement(
        _VERDICTS.get(found["verdict"], found["verdict"]),
        statistics.median(found["seconds"]),
        len(found["seconds"]),
        found["reading"],
        found["operations"],
        ended.peak,
        found.get("checker", ""),
        found.get("configurations", 0),
        found.get("why", "") if found["verdict"] == "unknown" else "",
    )
