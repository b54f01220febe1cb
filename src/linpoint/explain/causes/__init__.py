# SPDX-License-Identifier: Apache-2.0
"""Likely causes of a violation, each with the evidence that suggests it. Guesses: never claimed as certain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from linpoint.explain.causes import effects, replicas
from linpoint.explain.explanation import Explanation
from linpoint.explain.reasons import Cause
from linpoint.verdicts import KeyVerdict

_MOST: Final = 3


def likely_causes(explanation: Explanation, keys: Sequence[KeyVerdict]) -> tuple[Cause, ...]:
    """The likeliest causes first. ``keys`` are those in violation, the explained one first."""
    found = [*effects.suspects(explanation, keys[0]), *replicas.suspects(explanation.verdict, keys, explanation.core)]
    found.sort(key=lambda suspicion: -suspicion.weight)
    first = {suspicion.cause: suspicion for suspicion in reversed(found)}
    ranked = sorted(first.values(), key=lambda suspicion: -suspicion.weight)
    return tuple(suspicion.as_cause() for suspicion in ranked[:_MOST])
