# SPDX-License-Identifier: Apache-2.0
"""linpoint finds, explains and rules out linearizability bugs.

verdict = linpoint.check(history, "queue")
verdict.raise_for_violation()
"""

from linpoint import specs
from linpoint.checkers.check import check
from linpoint.errors import (
    CertificateError,
    HistoryError,
    LinpointError,
    SpecError,
    UndecidedError,
    UsageError,
    ViolationError,
)
from linpoint.explain import Explanation, PrecedenceGraph
from linpoint.histories import Annotation, Crash, History, Operation, Outcome, history
from linpoint.histories.formats import load, save
from linpoint.specs.conformance import conformance
from linpoint.specs.functional import spec
from linpoint.specs.protocol import Spec
from linpoint.specs.sequential import sequential
from linpoint.verdicts import KeyVerdict, Statistics, Status, Verdict, Witness

__all__ = [
    "Annotation",
    "CertificateError",
    "Crash",
    "Explanation",
    "History",
    "HistoryError",
    "KeyVerdict",
    "LinpointError",
    "Operation",
    "Outcome",
    "PrecedenceGraph",
    "Spec",
    "SpecError",
    "Statistics",
    "Status",
    "UndecidedError",
    "UsageError",
    "Verdict",
    "ViolationError",
    "Witness",
    "check",
    "conformance",
    "history",
    "load",
    "save",
    "sequential",
    "spec",
    "specs",
]
