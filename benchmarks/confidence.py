# SPDX-License-Identifier: Apache-2.0
"""Means with 95 % confidence intervals, from Student's t distribution."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Final

_FEW: Final = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""The 97.5 % quantiles of t for 1 to 9 degrees of freedom, where the expansion below is too coarse."""


def quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: from a table, then by the Cornish-Fisher expansion (error below 0.001)."""
    if freedom <= len(_FEW):
        return _FEW[freedom - 1]
    z = statistics.NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / (4 * freedom)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    return z + first + second + third


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean and half the width of its 95 % confidence interval; the width for a single value is unknown: 0."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
