# SPDX-License-Identifier: Apache-2.0
"""The result of an exact decision about one object: a witness, a refutation, or why the decider does not apply."""

from __future__ import annotations

from dataclasses import dataclass

from linpoint.verdicts.refutation import Refutation
from linpoint.verdicts.witness import Witness


@dataclass(frozen=True, slots=True)
class ExactDecision:
    """The certified answer of an exact decider, with the reason as text."""

    checker: str
    why: str
    """The reason why the decider was chosen, or the reason that excludes it."""
    witness: Witness | None = None
    refutation: Refutation | None = None
    configurations: int = 0
    """The number of explored configurations, if the decider searches."""

    @property
    def decided(self) -> bool:
        """Whether the decider gave an answer."""
        return self.witness is not None or self.refutation is not None
