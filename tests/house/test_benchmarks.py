# SPDX-License-Identifier: Apache-2.0
"""No test runs the benchmarks, which import parts of tests; a renamed name must not break them unnoticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_benchmarks_can_be_listed() -> None:
    command = [sys.executable, "-m", "benchmarks", "--list"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert listed.returncode == 0, listed.stderr
    assert "etcd" in listed.stdout
