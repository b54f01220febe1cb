# SPDX-License-Identifier: Apache-2.0
"""A candidate cause with its weight."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.explain.history.reasons import CauseEvidence, LikelyCause
from linpoint.explain.wording.operation_names import moment
from linpoint.histories.history import History
from linpoint.text.phrases import one_line

_CRASHED: Final = re.compile(
    r"\b(kill(ed|s|ing)?|crash(ed|es|ing)?|reboot(ed|s|ing)?|oom|power[ -]?(loss|failure|cut|off|outage))\b",
    re.IGNORECASE,
)
"""Annotations that mention a crash. A component that starts, stops or restarts need not have crashed."""
_DENIED: Final = re.compile(r"\b(no|not|without|never)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A cause and its weight: larger is likelier. Weights only compare the causes of one violation."""

    weight: float
    cause: str
    text: str
    evidence: Sequence[CauseEvidence]

    def as_cause(self) -> LikelyCause:
        """The part that an explanation shows."""
        return LikelyCause(self.cause, self.text, tuple(self.evidence))


def crash_between(history: History, start: float, end: float) -> str | None:
    """A crash of the system or object, or an annotation that mentions one, from ``start`` to ``end``, as text."""
    for crash in history.crashes:
        if crash.ends_era and start <= crash.time <= end:
            whose = "" if crash.of_everything else f" of {one_line(crash.whose())}"
            return f"a crash{whose} at {moment(history, crash.time)}"
    for each in history.annotations:
        until = each.time if each.until is None else each.until
        if start <= each.time and until <= end and _CRASHED.search(each.text) and not _DENIED.search(each.text):
            return f"{one_line(each.text)} at {moment(history, each.time)}"
    return None


def crash_evidence(history: History, start: float, end: float) -> CauseEvidence | None:
    """The evidence that a crash lies between two times, if one does."""
    crash = crash_between(history, start, end)
    if crash is None:
        return None
    return CauseEvidence("crash-between", f"Between them: {crash}.", values=(start, end))
