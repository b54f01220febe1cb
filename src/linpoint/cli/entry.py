# SPDX-License-Identifier: Apache-2.0
"""The command, for scripts that import it from the package. The entry point is ``_linpoint_command``."""

from __future__ import annotations

from _linpoint_command import main

__all__ = ["main"]
