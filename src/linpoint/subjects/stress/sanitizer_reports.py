# SPDX-License-Identifier: Apache-2.0
"""Reads a sanitizer's report: the kind of finding, its summary, and the part that concerns the user."""

from __future__ import annotations

import re
from typing import Final

_MAX_LINES: Final = 40
"""The maximum number of lines of a report to print."""
_KINDS_BY_PATTERN: Final = (
    (re.compile(r"ThreadSanitizer: (data race|.*race)"), "race"),
    (re.compile(r"ThreadSanitizer: lock-order-inversion"), "deadlock"),
    (
        re.compile(
            r"(Address|Thread|Leak|Memory)Sanitizer: (heap|stack|global|use|double|attempting|alloc|dynamic|bad)"
        ),
        "memory",
    ),
    (re.compile(r"(Address|Thread)Sanitizer: SEGV"), "crash"),
    (re.compile(r"runtime error: "), "crash"),
)
REPORT_KINDS: Final = frozenset(kind for _, kind in _KINDS_BY_PATTERN)
"""The kinds of findings that sanitizers report."""
_SUMMARY: Final = re.compile(r"^SUMMARY: (.*)$", re.MULTILINE)
_HEADLINE: Final = re.compile(r"^.*?((?:\w+Sanitizer|runtime error): .*)$", re.MULTILINE)
_INTERNAL_FRAME: Final = re.compile(
    r"^ +#\d+ .*(\blinpoint::detail::|\bstart_thread\b|\bclone3?\b|libsanitizer/|linpoint/test\.hpp)"
)
"""Frames of linpoint and of libraries, which are omitted."""


def kind_of_report(text: str) -> str:
    """The kind of finding in the standard error of a process; ``crash`` without a report."""
    return next((kind for pattern, kind in _KINDS_BY_PATTERN if pattern.search(text)), "crash")


def summary_of_report(text: str) -> str | None:
    """The summary of a report in one line; None without a report."""
    found = _SUMMARY.search(text) or _HEADLINE.search(text)
    return None if found is None else found[1].strip()


def shortened_report(text: str) -> list[str]:
    """The lines of a report without internal frames, up to a limit."""
    lines = [line for line in text.splitlines() if not _INTERNAL_FRAME.search(line)]
    return lines if len(lines) <= _MAX_LINES else [*lines[:_MAX_LINES], f"... and {len(lines) - _MAX_LINES} more lines"]
