# SPDX-License-Identifier: Apache-2.0
"""The native part of limits: the guard of a process."""

from linpoint._native.limits import Limit, ProcessGuard, answer_marks

__all__ = ["Limit", "ProcessGuard", "answer_marks"]
