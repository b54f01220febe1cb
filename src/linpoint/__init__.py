# SPDX-License-Identifier: Apache-2.0
"""linpoint finds, explains and rules out linearizability bugs.

    verdict = linpoint.check(history, "queue")
    verdict.raise_for_violation()

PYTEST_DONT_REWRITE: tells pytest not to warn when linpoint is imported before its plugin.
"""

import itertools
import sys

if sys.argv[:1] == ["-m"] and ("-m", "linpoint") in itertools.pairwise(sys.orig_argv):
    from _linpoint_command import listen

    listen()  # `python -m linpoint` imports this first, and Ctrl-C takes effect from here on

from linpoint import specs, strategies
from linpoint.api.check_model import check_model
from linpoint.api.stress_object import stress
from linpoint.api.test_object import test
from linpoint.checkers.check import check
from linpoint.errors import (
    CertificateError,
    HistoryError,
    LinpointError,
    ModelError,
    SpecError,
    TestError,
    UndecidedError,
    UsageError,
    ViolationError,
)
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.graph import PrecedenceGraph
from linpoint.histories import Annotation, Crash, History, Operation, Outcome, history
from linpoint.histories.formats import load, save
from linpoint.record.recorder import Recorder
from linpoint.refine.dsl import Atomic, Model, array, assume, atomic, choose, dcas, fence, lock, point, record
from linpoint.scenarios import ConcurrentTest, Scenario, operation
from linpoint.specs.class_as_spec import sequential
from linpoint.specs.functional_spec import spec
from linpoint.specs.spec import Spec
from linpoint.specs.spec_conformance import conformance
from linpoint.verdicts import KeyVerdict, Statistics, Status, Verdict, Witness
from linpoint.verdicts.finding import Finding, ModelFinding
from linpoint.verdicts.result import ModelResult, StressResult, TestResult
from linpoint.verdicts.status import Answer

__all__ = [
    "Annotation",
    "Answer",
    "Atomic",
    "CertificateError",
    "ConcurrentTest",
    "Crash",
    "Explanation",
    "Finding",
    "History",
    "HistoryError",
    "KeyVerdict",
    "LinpointError",
    "Model",
    "ModelError",
    "ModelFinding",
    "ModelResult",
    "Operation",
    "Outcome",
    "PrecedenceGraph",
    "Recorder",
    "Scenario",
    "Spec",
    "SpecError",
    "Statistics",
    "Status",
    "StressResult",
    "TestError",
    "TestResult",
    "UndecidedError",
    "UsageError",
    "Verdict",
    "ViolationError",
    "Witness",
    "array",
    "assume",
    "atomic",
    "check",
    "check_model",
    "choose",
    "conformance",
    "dcas",
    "fence",
    "history",
    "load",
    "lock",
    "operation",
    "point",
    "record",
    "save",
    "sequential",
    "spec",
    "specs",
    "strategies",
    "stress",
    "test",
]
