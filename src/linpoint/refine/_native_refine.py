# SPDX-License-Identifier: Apache-2.0
"""The part of the native core that refinement uses."""

from linpoint._native import StopReason, StopToken
from linpoint._native.refine import (
    AbstractModel,
    ModelEvent,
    ModelProgram,
    ModelReached,
    ModelSearch,
    ModelSpec,
    ModelSpecification,
    ModelStep,
    ModelViolation,
)

__all__ = [
    "AbstractModel",
    "ModelEvent",
    "ModelProgram",
    "ModelReached",
    "ModelSearch",
    "ModelSpec",
    "ModelSpecification",
    "ModelStep",
    "ModelViolation",
    "StopReason",
    "StopToken",
]
