# SPDX-License-Identifier: Apache-2.0
"""Assertions on results, shared by the tests of packages."""

from __future__ import annotations

from typing import Any

import linpoint

BUDGET = 60
"""Seconds. A finding takes one or two and a pass ends by itself, so only busy machines need more."""


def finding(test: Any, *, gil: bool = True, **options: Any) -> linpoint.Finding:
    """The violation that a test reports, and whether Python with a global lock allows it too."""
    result = linpoint.test(test, budget=BUDGET, **options)
    assert result.status is linpoint.Status.VIOLATION, result.why
    assert (result.models["gil"] is linpoint.Status.VIOLATION) == gil, result.models
    return result.findings[0]


def passes_all(test: Any, **options: Any) -> None:
    """A test passes in every schedule of every scenario within its bounds."""
    result = linpoint.test(test, budget=BUDGET, **options)
    assert result.status is linpoint.Status.LINEARIZABLE, result.explain().text
    assert result.exhaustive, result.bounds


def threads_of(found: linpoint.Finding) -> list[str]:
    """The operations of each thread, in any order of threads."""
    threads: dict[int, list[str]] = {}
    for each in found.operations:
        if each.thread is not None:
            threads.setdefault(each.thread, []).append(str(each.call))
    return sorted("; ".join(calls) for calls in threads.values())
