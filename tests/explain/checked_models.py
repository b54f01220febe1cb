# SPDX-License-Identifier: Apache-2.0
"""Results of ``linpoint refine``, for models with every kind of finding and models without any."""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path
from typing import Any

import linpoint
from linpoint.refine.model_loading import load_model
from linpoint.verdicts.coverage import coverage_of

ROOT = Path(__file__).parents[2]
KINDS = ROOT / "tests" / "refine" / "models" / "kinds.py"
ZOO = ROOT / "examples" / "models"

VIOLATIONS: dict[str, tuple[Path, str, dict[str, Any], dict[str, Any]]] = {
    "array-queue": (ZOO / "array_queue.py", "ArrayQueue", {}, {}),
    "late-link": (ZOO / "treiber.py", "Treiber", {"links_late": True}, {}),
    "aba": (ZOO / "treiber.py", "Treiber", {}, {"heap": "free", "operations": 3}),
    "store-buffers": (ZOO / "peterson.py", "Peterson", {}, {"memory_model": "tso", "operations": 1}),
    "not-lock-free": (ZOO / "peterson.py", "Peterson", {}, {"progress": "lock-free", "operations": 1}),
    "lost": (KINDS, "Lost", {}, {"operations": 1, "processes": 3}),
    "deadlock": (KINDS, "Deadlock", {}, {}),
    "assertion": (KINDS, "Asserting", {}, {}),
    "exception": (KINDS, "Raising", {}, {}),
    "livelock": (KINDS, "Endless", {}, {}),
    "hostile": (KINDS, "Hostile", {}, {}),
}
"""For each result the file, the model, its constants, and the options of the check."""
PASSES = {
    "holds": (ZOO / "treiber.py", "Treiber", {}, {}),
    "holds-by-points": (ZOO / "treiber.py", "Treiber", {}, {"points": True}),
    "holds-for-ever": (ZOO / "register.py", "Register", {}, {"operations": 0}),
    "lock-free": (ZOO / "treiber.py", "Treiber", {}, {"progress": "lock-free"}),
}
UNKNOWN = {
    "no-time": ("the budget ended", "Use fewer processes or operations, or smaller domains, or increase --budget."),
    "no-memory": ("there was no memory left", "Use fewer processes or operations."),
    "interrupted": ("the run was interrupted", "Run it again, with --budget to limit the time."),
}
RESULTS = (*VIOLATIONS, *PASSES, *UNKNOWN)


@cache
def result(name: str) -> linpoint.ModelResult:
    """A result by its name, with a fixed amount of exploration."""
    if name in UNKNOWN:
        why, remedy = UNKNOWN[name]
        return dataclasses.replace(
            result("holds"), status=linpoint.Answer.UNKNOWN, exhaustive=False, why=why, remedy=remedy
        )
    file, model, constants, options = (VIOLATIONS | PASSES)[name]
    found = load_model(str(file), model)
    answer = linpoint.check_model(found.with_(**constants) if constants else found, jobs=1, **options)
    coverage = coverage_of(
        "model",
        seconds=0.25,
        peak_memory_bytes=2**26,
        bounds=answer.bounds,
        states=123_456,
        transitions=234_567,
        depth=answer.explored.depth,
        bytes_per_state=61.5,
        spec_sets=99,
    )
    return dataclasses.replace(answer, coverage=coverage, file=str(file.relative_to(ROOT)))
