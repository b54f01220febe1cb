# SPDX-License-Identifier: Apache-2.0
"""A cause with how likely it looks, while causes are being compared."""

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
    r"\b(kill\w*|crash\w*|restart\w*|reboot\w*|power\w*|start(ed)?|stop(ped)?|shut ?down|fail ?over|oom)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A cause and its weight: larger is likelier. Weights compare causes of one violation and mean nothing else."""

    weight: float
    cause: str
    text: str
    evidence: Sequence[CauseEvidence]

    def as_cause(self) -> LikelyCause:
        """What is shown of it."""
        return LikelyCause(self.cause, self.text, tuple(self.evidence))


def crash_between(history: History, start: float, end: float, *, marked: bool = False) -> str | None:
    """A crash, or an annotation that speaks of one, after ``start`` and not after ``end``; in words.

    ``marked``: only what the history itself calls a crash.
    """
    for crash in history.crashes:
        if start <= crash.time <= end:
            whose = "" if crash.of_everything else f" of {one_line(crash.whose())}"
            return f"a crash{whose} at {moment(history, crash.time)}"
    for each in () if marked else history.annotations:
        until = each.time if each.until is None else each.until
        if start <= until and each.time <= end and _CRASHED.search(each.text):
            return f"{one_line(each.text)} at {moment(history, each.time)}"
    return None
