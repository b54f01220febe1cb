# SPDX-License-Identifier: Apache-2.0
"""Limits of time and memory in the notation of users: ``60s``, ``5m``, ``2G``."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Final

from linpoint.errors import UsageError

DEFAULT_BUDGET_S: Final = 30.0
"""Seconds for one target, unless another budget is given."""

_TIME: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}
_SIZE: Final = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def seconds(text: str | float | None) -> float | None:
    """Convert a time span to seconds; a bare number means seconds."""
    if text is None or isinstance(text, (int, float)):
        amount = text
    else:
        match = _QUANTITY.fullmatch(text)
        if match is None or match.group(2) not in _TIME:
            raise UsageError("LP-U001", f"{text!r} is not a time span.", remedy="Write it as 500ms, 60s, 5m or 1h.")
        amount = float(match.group(1)) * _TIME[match.group(2)]
    if amount is not None and not 0 < amount < float("inf"):
        raise UsageError("LP-U001", f"{text!r} is not a positive time span.", remedy="Write it as 500ms, 60s or 5m.")
    return amount


def size(text: str | int | None) -> int | None:
    """Convert a size to bytes; units are powers of 1024."""
    if text is None or isinstance(text, int):
        amount = text
    else:
        match = _QUANTITY.fullmatch(text)
        unit = match.group(2).upper().removesuffix("IB") if match else ""
        unit = unit[:-1] if len(unit) == 2 and unit.endswith("B") else unit
        if match is None or unit not in _SIZE:
            raise UsageError("LP-U001", f"{text!r} is not a size.", remedy="Write it as 500M or 2G.")
        amount = int(float(match.group(1)) * _SIZE[unit])
    if amount is not None and amount <= 0:
        raise UsageError("LP-U001", f"{text!r} is not a positive size.", remedy="Write it as 500M or 2G.")
    return amount


_GRACE_S: Final = 0.2
_GRACE_SHARE: Final = 0.02


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a run: a deadline on the monotonic clock and a maximum for the memory of the process."""

    deadline: float | None = None
    max_memory: int | None = None
    total: float | None = None
    """Seconds from the start to the deadline."""

    @classmethod
    def starting_now(cls, time_limit: str | float | None, max_memory: str | int | None) -> Budget:
        """A budget whose time starts now."""
        return cls.starting_at(time.monotonic(), time_limit, max_memory)

    @classmethod
    def starting_at(cls, moment: float, time_limit: str | float | None, max_memory: str | int | None) -> Budget:
        """A budget whose time starts at a moment on the monotonic clock."""
        limit = seconds(time_limit)
        return cls(None if limit is None else moment + limit, size(max_memory), limit)

    @property
    def grace(self) -> float:
        """Seconds beyond the deadline for assembling the known results."""
        return _GRACE_S + _GRACE_SHARE * (self.total or 0.0)

    def remaining(self) -> float | None:
        """Seconds left, never negative; None without a limit."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
