# SPDX-License-Identifier: Apache-2.0
"""The seeds and the volume of random tests.

Each commit has its own seeds, so the day lane sees new cases at every commit but fails again when repeated.
The day lane runs a tenth of the volume, the long lane (``-m long``) all of it: tests that scale by ``volume`` have the
marker ``random``, which adds them to the long lane. Two environment variables override both:

    TEST_SEED=1f3a52c    the seeds of another commit; the header of a run shows its own
    TEST_VOLUME=1        the share of the volume
"""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

DAY_SHARE: Final = 0.1


def _seed() -> str:
    """The seed of the commit; a fixed one for sources without a history."""
    given = os.environ.get("TEST_SEED")
    if given:
        return given
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    try:
        found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "no-commit"
    return found.stdout.strip()


SEED: Final = _seed()


def share() -> float:
    """The share of the volume that this run covers."""
    return float(os.environ.get("TEST_VOLUME") or DAY_SHARE)


def volume(full: int, *, least: int = 1) -> int:
    """The number of cases to run out of ``full``, at least ``least``."""
    return max(least, round(full * share()))


def least_of(share: float, cases: int) -> float:
    """The least of random ``cases`` with a property of probability ``share``: 4 standard deviations below the mean."""
    return share * cases - 4 * math.sqrt(cases * share * (1 - share))


def seeds(count: int, purpose: str = "") -> list[Any]:
    """Seeds of this commit for ``random.Random``, for parametrized tests."""
    return [pytest.param(" ".join(filter(None, (SEED, purpose, str(n)))), id=str(n)) for n in range(count)]


def seed_numbers(count: int, purpose: str = "") -> range:
    """Consecutive numbers of this commit, for generators that take one; below 2^31."""
    first = int.from_bytes(hashlib.sha256(f"{SEED} {purpose}".encode()).digest()[:4]) >> 2
    return range(first, first + count)
