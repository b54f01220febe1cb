# SPDX-License-Identifier: Apache-2.0
"""The status of a verdict or a result."""

from __future__ import annotations

import enum
from collections.abc import Collection
from typing import Final


class Status(enum.Enum):
    """The answer for a history, an object, a program, a model or a persistent structure.

    A pass is LINEARIZABLE for a history that is checked against a spec, and HOLDS for a program, a model or persistent
    data.
    """

    LINEARIZABLE = "linearizable"
    """A pass against a spec: the history, or every run that was checked, satisfies it."""
    HOLDS = "holds"
    """A pass of a program, a model or persistent data."""
    VIOLATION = "violation"
    """A violation was found."""
    UNKNOWN = "unknown"
    """There is no answer. UNKNOWN is never a pass."""

    @property
    def passed(self) -> bool:
        """Whether this is a pass, under either name."""
        return self in (Status.LINEARIZABLE, Status.HOLDS)

    @staticmethod
    def worst(statuses: Collection[Status]) -> Status:
        """The status of a whole: VIOLATION if any part is a violation, else UNKNOWN if any part is unknown."""
        for status in _WORST_FIRST:
            if status in statuses:
                return status
        return Status.LINEARIZABLE


_WORST_FIRST: Final = (Status.VIOLATION, Status.UNKNOWN, Status.HOLDS)

Answer = Status
"""The public name of the status of a model or a program."""
