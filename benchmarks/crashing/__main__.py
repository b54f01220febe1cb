# SPDX-License-Identifier: Apache-2.0
"""Crash tests of persistent structures: their rate, beside fork, exec and file copy, and two figures of the paper.

    python -m benchmarks.crashing [--quick]

Nothing fails for being slow; the exit code is 1 only if an answer is wrong.
"""

from __future__ import annotations

import sys

from benchmarks.crashing import experiment

if __name__ == "__main__":
    sys.exit(experiment(quick="--quick" in sys.argv))
