# SPDX-License-Identifier: Apache-2.0
"""The engine of C++ targets does not import that of Python code, and judging imports neither."""

from __future__ import annotations

import subprocess
import sys

import pytest

PYTHON_ENGINE = (
    "linpoint.explore.python_control",
    "linpoint.explore._native_control",
    "linpoint.explore.schedule_search",
)
RECORDING = ("linpoint.record.thread_pool", "linpoint.record.recorder")


@pytest.mark.parametrize(
    "modules",
    [
        "linpoint.subjects.cpp_object.subject, linpoint.subjects.cpp_object.build_tests",
        "linpoint.subjects.cpp_program.subject",
        "linpoint.judging.spec_judge, linpoint.judging.failure_text, linpoint.judging.deadlock_policy",
        "linpoint.judging.scenario_coverage",
    ],
)
def test_the_python_engine_is_not_loaded(modules: str) -> None:
    code = f"import {modules}, sys; print(*(name for name in sys.modules if name.startswith({PYTHON_ENGINE!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_judging_stress_loads_nothing_new_of_the_recorder() -> None:
    code = (
        "import linpoint, sys; before = set(sys.modules); import linpoint.judging.stress_judge;"
        f"print(*(name for name in set(sys.modules) - before if name.startswith({RECORDING!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
