# SPDX-License-Identifier: Apache-2.0
"""The command, for scripts that look for it in the package. Where it begins is ``_linpoint_command``."""

from __future__ import annotations

from _linpoint_command import main

__all__ = ["main"]
