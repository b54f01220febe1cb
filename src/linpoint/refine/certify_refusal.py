# SPDX-License-Identifier: Apache-2.0
"""Certifies every run that the search found to be rejected by the spec: as a history, its calls and returns must be a
violation.

The checkers of histories share nothing with the search of models except the spec. Guarantee: a run that they can
explain is never reported as a violation. Cost: that of checking about ten operations.
"""

from __future__ import annotations

from typing import Final

from linpoint.checkers.certify import broken_certificate
from linpoint.checkers.check import check
from linpoint.histories.history import History
from linpoint.specs.spec import Spec
from linpoint.traces.trace import Trace
from linpoint.traces.trace_operations import operations_of
from linpoint.verdicts import Status

_CERTIFICATION_S: Final = 10.0


def certify_refusal(trace: Trace, spec: Spec) -> None:
    """Raise LP-V001 if the operations of a run have an order that the spec allows."""
    history = History(operations_of(trace), source="the run")
    if check(history, spec, budget=_CERTIFICATION_S, jobs=1).status is Status.LINEARIZABLE:
        raise broken_certificate("a run that the spec refuses has a valid order")
