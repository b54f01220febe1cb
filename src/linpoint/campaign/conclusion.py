# SPDX-License-Identifier: Apache-2.0
"""The status of a subject after its campaign.

Guarantee: a violation has a finding that was shown again by its schedule; a pass is the claim of a session that has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from linpoint.subjects.interface import NONDETERMINISM, AnyFinding, Claim, Session
from linpoint.verdicts import Status

FindingT = TypeVar("FindingT", bound=AnyFinding)
ResultT = TypeVar("ResultT")


def conclude(session: Session[FindingT, ResultT], findings: Sequence[FindingT], *, replayed: bool = False) -> Claim:
    """What can be said with these findings, or without any."""
    if not findings:
        return session.claim()
    repeated = any(finding.kind != NONDETERMINISM for finding in findings)
    status = Status.VIOLATION if repeated else Status.UNKNOWN
    return Claim(status, session.shown_by(findings, replayed=replayed))
