# SPDX-License-Identifier: Apache-2.0
"""Histories: operations with their real-time order, read from files or constructed in code."""

from linpoint.histories.history import History
from linpoint.histories.history_builder import history
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome

__all__ = ["Annotation", "Crash", "History", "Operation", "Outcome", "history"]
