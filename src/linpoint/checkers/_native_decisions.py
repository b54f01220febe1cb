# SPDX-License-Identifier: Apache-2.0
"""The part of the native core that quick decisions use."""

from linpoint._native import Exclusion, StopToken
from linpoint._native.decisions import Decider, ObjectAnswer, decide_objects

__all__ = ["Decider", "Exclusion", "ObjectAnswer", "StopToken", "decide_objects"]
