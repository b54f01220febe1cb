# SPDX-License-Identifier: Apache-2.0
"""The eras of a history, which end at crashes of the object, and the eras in which an operation may take effect.

A crash of everything separates eras strictly: an operation called before it belongs to an earlier era, and one called
at its time or later belongs to a later era. A crash of the object alone leaves the clients alive. An operation that
spans it, or touches it within the clock skew, may take effect before or after it; one of unknown outcome may take
effect at any later time. Cost: O(log n) per operation in the number of crashes.
"""

from __future__ import annotations

import bisect

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome


class Eras:
    """The times of the crashes that end eras, and the eras in which an operation may lie."""

    def __init__(self, history: History) -> None:
        self._skew = history.clock_skew
        self._everything = sorted({crash.time for crash in history.crashes if crash.of_everything})
        alone = {crash.time for crash in history.crashes if crash.of_object}
        self._object = sorted(alone.difference(self._everything))
        self._latest = [time + self._skew for time in self._object]
        self.ends = sorted([*self._everything, *self._object])
        """The times at which the eras end; the last era has no end."""

    def span(self, op: Operation) -> tuple[int, int]:
        """The first and the last era in which an operation may take effect."""
        gone = bisect.bisect_right(self._everything, op.call)
        past = bisect.bisect_left(self._latest, op.call)
        first = max(
            bisect.bisect_right(self.ends, self._everything[gone - 1]) if gone else 0,
            bisect.bisect_right(self.ends, self._object[past - 1]) if past else 0,
        )
        last = len(self.ends)
        if gone < len(self._everything):
            last = bisect.bisect_left(self.ends, self._everything[gone])
        if op.outcome is Outcome.OK and op.return_ is not None:
            next_ = bisect.bisect_right(self._object, op.return_ + self._skew)
            if next_ < len(self._object):
                last = min(last, bisect.bisect_left(self.ends, self._object[next_]))
        return first, last
