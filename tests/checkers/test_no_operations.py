# SPDX-License-Identifier: Apache-2.0
"""Histories with crashes but no operations satisfy every condition."""

from __future__ import annotations

import pytest

import linpoint
from linpoint.histories.operation import Crash
from linpoint.options.choices import CHECKERS, CONDITIONS


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "checker", [checker for checker in CHECKERS if checker not in ("monitor", "frontier", "graph", "eras")]
)
@pytest.mark.parametrize("spec", ["register", "queue", "mwcas", "deque"])
def test_crashes_without_operations_satisfy_every_condition(spec: str, checker: str, condition: str) -> None:
    for crashes in ([Crash(4)], [Crash(4), Crash(4, 1), Crash(9)]):
        history = linpoint.History([], crashes=crashes)
        verdict = linpoint.check(history, spec, checker=checker, condition=condition)
        assert verdict.status is linpoint.Status.LINEARIZABLE
        assert verdict.explain().text
