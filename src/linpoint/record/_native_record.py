# SPDX-License-Identifier: Apache-2.0
"""The native part of recording: logs of threads, and the gate at which they start together."""

from linpoint._native import Ending, Gate, ThreadLog, wait_precisely

__all__ = ["Ending", "Gate", "ThreadLog", "wait_precisely"]
