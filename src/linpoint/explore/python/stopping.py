# SPDX-License-Identifier: Apache-2.0
"""How threads under control are told to stop."""

from __future__ import annotations

from linpoint.explore import _native_control as native


class StopRun(BaseException):
    """The run is over, and the thread must come to its end. Not an Exception, so that few handlers swallow it."""


class BlockedForever(BaseException):
    """The only thread there is waits for something that nobody will ever do."""


native.control_exceptions(StopRun, BlockedForever)
