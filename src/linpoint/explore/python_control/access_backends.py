# SPDX-License-Identifier: Apache-2.0
"""How it is known what code is about to touch: by looking into the interpreter's frames, or because the code says so."""

from __future__ import annotations

import platform

from linpoint.errors import TestError
from linpoint.explore import _native_control as native


def rewrites_source(backend: str) -> bool:
    """Whether code is to announce itself; LP-T023 if frames are wanted that cannot be looked into."""
    can_look = native.can_look_at_frames()
    if backend == "native" and not can_look:
        raise TestError(
            "LP-T023",
            f"what instructions touch cannot be seen in {platform.python_implementation()} {platform.python_version()}.",
            remedy="Leave out the backend, or use CPython 3.11, 3.12 or 3.13 with a global lock.",
        )
    return backend == "ast" or not can_look
