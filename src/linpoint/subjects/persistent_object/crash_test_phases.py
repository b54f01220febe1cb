# SPDX-License-Identifier: Apache-2.0
"""The kinds of crash tests that run together, and their shares of the time."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from linpoint.subjects.interface import Phase, Search

_WEIGHTS: Final = ((("dl1", "dl2", "c2"), 4), (("dl3",), 3), (("recovery",), 1), (("exhaustive",), 4))
_MIN_PHASE_S: Final = 0.2


def crash_phases(selected: Collection[str]) -> tuple[Phase, ...]:
    """The phases of the selected kinds. Each gets a share of the remaining time, so unused time passes to the next."""
    phases, left = [], 0
    for kinds, weight in reversed(_WEIGHTS):
        chosen = [kind for kind in kinds if kind in selected]
        if chosen:
            left += weight
            phases.append(Phase((Search(",".join(chosen), weight / left, least_s=_MIN_PHASE_S),)))
    return tuple(reversed(phases))
