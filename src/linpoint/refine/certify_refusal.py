# SPDX-License-Identifier: Apache-2.0
"""A second opinion on every run that the search found to be refused by the spec: its calls and returns, as a history, must be a violation.

The checkers of histories share nothing with the search of models but the spec. Guarantee: a run that they can explain is
never shown as a violation. Cost: that of checking some ten operations.
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
        raise broken_certificate("a run that the spec refuses has an order that it allows")
