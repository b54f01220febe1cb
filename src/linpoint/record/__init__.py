# SPDX-License-Identifier: Apache-2.0
"""Recording what objects do on real threads, and stress testing them (Lowe's way)."""

from linpoint.record.recorder import Recorder
from linpoint.record.result import StressResult
from linpoint.record.stress import stress

__all__ = ["Recorder", "StressResult", "stress"]
