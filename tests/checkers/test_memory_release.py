# SPDX-License-Identifier: Apache-2.0
"""A check leaves no objects behind once its verdict is gone: a stress test makes thousands of checks."""
# ruff: noqa: N805 - the first argument of a step is the state

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import linpoint


class Token:
    """Hashable, so it is a value of its own."""


@linpoint.spec
class Register:
    initial = None

    def write(state: Any, value: Any) -> Any:
        return None, value

    def read(state: Any) -> Any:
        return state, state


@pytest.mark.parametrize("spec", [Register, "register"])
@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("checker", ["auto", "dfs", "linear", "competition", "brute-force"])
def test_a_history_is_released_with_its_verdict(spec: Any, right: bool, checker: str) -> None:
    token = Token()
    write = linpoint.Operation(0, "write", (token,), None, 0, 1)
    read = linpoint.Operation(1, "read", (), token if right else Token(), 2, 3)
    verdict = linpoint.check([write, read], spec, checker=checker)
    assert verdict.status is (linpoint.Status.LINEARIZABLE if right else linpoint.Status.VIOLATION)
    assert verdict.explain().text
    reference = weakref.ref(token)
    del token, write, read, verdict
    gc.collect()
    assert reference() is None
