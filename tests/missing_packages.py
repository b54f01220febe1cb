# SPDX-License-Identifier: Apache-2.0
"""Tests that need an optional package: skipped on a machine without it, but not where CI has installed it."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

_ALL = "LINPOINT_ALL_TESTS"
"""Set by .ci/run, which installs what ci/packages.txt names."""


def missing(what: str) -> NoReturn:
    """Skip a test that lacks ``what``; fail where everything must be installed."""
    if os.environ.get(_ALL):
        pytest.fail(f"{what} (ci/packages.txt names all that tests need)", pytrace=False)
    pytest.skip(what)
