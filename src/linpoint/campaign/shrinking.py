# SPDX-License-Identifier: Apache-2.0
"""Shrinks a failure: tries the candidates that a session proposes.

Guarantee: the result was observed to fail, with the kind of the original failure unless its session accepts other
kinds.
"""

from __future__ import annotations

from linpoint.limits.search_limits import SearchLimits
from linpoint.subjects.interface import Failure, Session


def shrink_failure(session: Session, failure: Failure, limits: SearchLimits) -> tuple[Failure, bool]:
    """The smallest failure found within the limits, and whether it is minimal."""
    best = failure
    if session.interrupted:
        return best, False
    candidates = session.smaller(failure, limits)
    try:
        candidate = next(candidates)
        while True:
            found = session.retry(candidate, limits)
            if found is not None and session.keeps_kind and found.kind != failure.kind:
                found = None
            best = found or best
            candidate = candidates.send(found)
    except StopIteration as end:
        return best, bool(end.value)
    except KeyboardInterrupt:
        session.interrupted = True
        return best, False
