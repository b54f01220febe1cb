# SPDX-License-Identifier: Apache-2.0
"""Small concurrent objects in several styles each, correct unless a style is called broken.

A family takes a random generator and returns a draft: the model with all its points, and sizes that keep the number of
its states small.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.refine.oracle.families import containers, counters, flags, nodes, registers
from tests.refine.oracle.families.draft import Draft

FAMILIES: dict[str, Callable[[random.Random], Draft]] = {
    **counters.FAMILIES,
    **registers.FAMILIES,
    **containers.FAMILIES,
    **nodes.FAMILIES,
    **flags.FAMILIES,
}

__all__ = ["FAMILIES", "Draft"]
