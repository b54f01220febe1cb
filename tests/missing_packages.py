# SPDX-License-Identifier: Apache-2.0
"""Tests that need something which a machine may not have: they are skipped there, but not where CI has installed it."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

_ALL = "LINPOINT_ALL_TESTS"
"""Set by .ci/run, which installs what ci/packages.txt names."""


def missing(what: str) -> NoReturn:
    """Skip a test for want of ``what``; where everything must be there, fail."""
    if os.environ.get(_ALL):
        pytest.fail(f"{what} (ci/packages.txt names all that tests need)", pytrace=False)
    pytest.skip(what)
