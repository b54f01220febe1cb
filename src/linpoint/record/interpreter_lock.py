# SPDX-License-Identifier: Apache-2.0
"""Detects whether threads of this interpreter run in parallel."""

from __future__ import annotations

import sys


def has_interpreter_lock() -> bool:
    """Whether this interpreter runs one thread at a time."""
    enabled = getattr(sys, "_is_gil_enabled", None)
    return True if enabled is None else bool(enabled())
