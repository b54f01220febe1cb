# SPDX-License-Identifier: Apache-2.0
"""Threads of the operating system that wait to be processes of a run; there are as many as were ever needed at once."""

from __future__ import annotations

import _thread
import time
from typing import Final

from linpoint.explore import _native_control as native
from linpoint.explore.python.membership import members

# The real ones: a process under control asks for threads too.
_start: Final = _thread.start_new_thread
_sleep: Final = time.sleep
_MOMENT: Final = 0.0001


def have_idle(count: int) -> None:
    """Let at least ``count`` threads wait in the pool."""
    while native.control_idle() < count:
        ready = native.control_idle() + 1
        _start(_serve, ())
        while native.control_idle() < ready:
            _sleep(_MOMENT)


def _serve() -> None:
    members.add(_thread.get_ident())
    native.control_serve()
