# SPDX-License-Identifier: Apache-2.0
"""Crash tests of persistent structures: their rate, compared with fork, exec and file copy, and two figures of the
paper.

    python -m benchmarks.crashing [--quick]

Slowness is never a failure; the exit code is 1 only if an answer is wrong.
"""

from __future__ import annotations

import sys

from benchmarks.crashing import experiment

if __name__ == "__main__":
    sys.exit(experiment(quick="--quick" in sys.argv))
