# SPDX-License-Identifier: Apache-2.0
"""What quick decisions use of the native core."""

from linpoint._native import Exclusion, StopToken
from linpoint._native.decisions import Decider, ObjectAnswer, decide_objects

__all__ = ["Decider", "Exclusion", "ObjectAnswer", "StopToken", "decide_objects"]
