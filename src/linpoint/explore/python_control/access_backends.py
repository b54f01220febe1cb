# SPDX-License-Identifier: Apache-2.0
"""Selects how accesses are observed: by inspecting the interpreter's frames, or by rewriting code to announce them."""

from __future__ import annotations

import platform

from linpoint.errors import TestError
from linpoint.explore import _native_control as native


def rewrites_source(backend: str) -> bool:
    """Whether code is rewritten to announce its accesses; LP-T023 if frames are requested but cannot be inspected."""
    can_look = native.can_look_at_frames()
    if backend == "native" and not can_look:
        raise TestError(
            "LP-T023",
            f"the backend does not support {platform.python_implementation()} {platform.python_version()}.",
            remedy="Omit the backend, or use CPython 3.11, 3.12 or 3.13 with a global lock.",
        )
    return backend == "ast" or not can_look
