# SPDX-License-Identifier: Apache-2.0
"""Reruns a failure by its schedule and builds its finding.

Guarantee: a finding with steps was reproduced as often as its session requires. A run that cannot be repeated becomes a
finding of the kind ``nondeterminism``.
"""

from __future__ import annotations

from dataclasses import replace

from linpoint.subjects.interface import NONDETERMINISM, Failure, Reproduction, Session
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.schedule import another_run


def confirm_failure(session: Session, failure: Failure, *, minimal: bool, first: Reproduction | None = None) -> Finding:
    """Confirm a failure and build its finding; ``first`` is the first repetition, if it was already made."""
    if failure.kind == NONDETERMINISM or failure.lost:
        return session.build_finding(failure, None, minimal=minimal and failure.lost)
    shown = first
    try:
        for record in session.repetitions[first is not None :]:
            shown = session.reproduce(failure, record=record)
            if shown is None:
                break
            if not session.is_same(failure, shown):
                message = another_run(shown.diverged_at, what=session.code_name)
                another = replace(failure, kind=NONDETERMINISM, message=message)
                return session.build_finding(another, None, minimal=False)
    except KeyboardInterrupt:  # build the finding without steps
        session.interrupted = True
        shown = None
    return session.build_finding(failure, shown, minimal=minimal)
