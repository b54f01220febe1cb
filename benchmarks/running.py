# SPDX-License-Identifier: Apache-2.0
"""Runs one measurement in a separate process, with limits enforced from outside.

Guarantee: the process has ended when ``run`` returns or raises. Its peak memory is read from outside, not reported by
it: it closes its output when it has finished and stays until its input is closed; in between we read the high-water
mark of its resident memory. If the system does not report that (or the process died), it is the value of ``wait4``,
which on Linux is never less than our own size.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
_INTERVAL: Final = 0.05


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds per run of a checker, and bytes of resident memory of its process."""

    seconds: float
    memory: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The output of a process, one JSON object per line, and how it ended: ``why`` is empty if it finished."""

    lines: tuple[dict[str, Any], ...]
    peak: int
    elapsed: float
    why: str = ""


def run(command: Sequence[str], *, patience: float, memory: int, environment: Mapping[str, str] | None = None) -> Ended:
    """Run ``command`` until it closes its output, ``patience`` seconds have passed or it uses too much memory."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                env={**os.environ, **(environment or {})},
                start_new_session=True,  # Ctrl-C is ours to handle
            )
        except OSError as error:
            return Ended((), 0, 0.0, f"error: {error}")
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            text, peak, why = _watch(process.pid, process.stdout, started + patience, memory)
            elapsed = time.monotonic() - started
            if why:
                process.kill()
            else:
                process.stdin.close()
            status, usage = os.wait4(process.pid, 0)[1:]
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            if process.returncode is None:
                process.kill()
                process.wait()
            process.stdout.close()
            process.stdin.close()
        if not why and process.returncode != 0:
            why = f"error: {_last_line(complaints) or _ending(process.returncode)}"
        lines = tuple(json.loads(line) for line in text.splitlines() if line.endswith(b"}"))
        scale = 1 if sys.platform == "darwin" else 1024
        return Ended(lines, peak or usage.ru_maxrss * scale, elapsed, why)


def _watch(pid: int, output: IO[bytes], deadline: float, memory: int) -> tuple[bytes, int, str]:
    """All output, the peak memory, and why it must be ended, if so."""
    text = b""
    peak = 0
    while True:
        ready, _, _ = select.select([output], [], [], _INTERVAL)
        now, highest = _resident(pid)
        peak = max(peak, highest)
        if ready:
            chunk = os.read(output.fileno(), 1 << 16)
            if not chunk:
                return text, peak, ""
            text += chunk
        if now > memory:
            return text, peak, "memory"
        if time.monotonic() > deadline:
            return text, peak, "timeout"


def _resident(pid: int) -> tuple[int, int]:
    """Resident memory now and at its highest, in bytes; zeros if the system does not report them."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0, 0
    fields = dict(line.split(":", 1) for line in status.splitlines() if line.startswith(("VmRSS", "VmHWM")))
    now, highest = (int(fields.get(name, "0").split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))
    return now, highest


def _last_line(complaints: IO[bytes]) -> str:
    complaints.seek(0)
    lines = complaints.read().decode(errors="replace").strip().splitlines()
    return lines[-1].strip() if lines else ""


def _ending(code: int) -> str:
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
