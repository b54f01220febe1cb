# SPDX-License-Identifier: Apache-2.0
"""Likely causes of a violation, each with the evidence that suggests it. They are guesses and never claimed as certain.

Cost: a fraction of a second; in a long history only the part around the violation is examined.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Sequence
from typing import Final

from linpoint.explain.history.causes import operation_effects, replica_causes, torn_snapshots
from linpoint.explain.history.causes.value_lifetimes import lives
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.reasons import LikelyCause
from linpoint.verdicts import KeyVerdict

_MAX_CAUSES: Final = 3
_MAX_KEYS: Final = 32
_MAX_OPERATIONS: Final = 20_000
"""The maximum number of examined operations of all keys together."""


def likely_causes(explanation: Explanation, keys: Sequence[KeyVerdict], *, deadline: float) -> tuple[LikelyCause, ...]:
    """The likely causes, most likely first. ``keys`` are the keys in violation, the explained one first.

    After the deadline only fast examinations run.
    """
    if not explanation.core:
        return ()
    keys = keys[:_MAX_KEYS]
    near = [_around(key, explanation.core[-1], _MAX_OPERATIONS // len(keys)) for key in keys]
    verdict = explanation.verdict
    values = [
        lives(verdict.history, part.positions, verdict.spec, verdict.condition, everything=key.positions)
        for part, key in zip(near, keys, strict=True)
    ]
    found = [
        *operation_effects.effect_causes(explanation, keys[0], values[0]),
        *torn_snapshots.torn_snapshot_causes(explanation, keys[0], deadline=deadline),
        *replica_causes.replica_causes(explanation, values),
    ]
    found.sort(key=lambda suspicion: -suspicion.weight)
    first = {suspicion.cause: suspicion for suspicion in reversed(found)}
    ranked = sorted(first.values(), key=lambda suspicion: -suspicion.weight)
    return tuple(suspicion.as_cause() for suspicion in ranked[:_MAX_CAUSES])


def _around(key: KeyVerdict, position: int, most: int) -> KeyVerdict:
    """The key with only the operations nearest to ``position`` in its file."""
    if len(key.positions) <= most:
        return key
    ordered = sorted(key.positions)
    start = max(0, min(bisect.bisect_left(ordered, position) - most // 2, len(ordered) - most))
    return dataclasses.replace(key, positions=ordered[start : start + most])
