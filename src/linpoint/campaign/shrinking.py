# SPDX-License-Identifier: Apache-2.0
"""Make a failure smaller: the one loop over the candidates that a session proposes.

Guarantee: the result was seen to fail, and is of the kind of the failure that it began with unless its session accepts any.
"""

from __future__ import annotations

from linpoint.limits.search_limits import SearchLimits
from linpoint.subjects.interface import Failure, Session


def shrink_failure(session: Session, failure: Failure, limits: SearchLimits) -> tuple[Failure, bool]:
    """The smallest failure that was found within the limits, and whether nothing of it can be left out."""
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
