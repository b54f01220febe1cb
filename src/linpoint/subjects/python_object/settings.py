# SPDX-License-Identifier: Apache-2.0
"""How a test is run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.scenarios.scenario import Scenario

MOST_SCENARIOS: Final = 100
DEFAULT_BUDGET: Final = 30.0


@dataclass(frozen=True, slots=True)
class Settings:
    """How a test is run: for how long, and which scenarios under which schedules."""

    budget: float = DEFAULT_BUDGET
    """Seconds."""
    seed: int = 0
    scenarios: tuple[Scenario, ...] = ()
    """If there are any, just these are run."""
    threads: int | None = None
    operations: int | None = None
    before: int | None = None
    after: int | None = None
    most_scenarios: int = MOST_SCENARIOS
    granularity: str = "access"
    backend: str = "auto"
    gil: bool = True
    """Give the verdict for the gil model too."""
    replay: dict[str, Any] = field(default_factory=dict)
    """What a replay token holds beside the scenario and its schedule."""
