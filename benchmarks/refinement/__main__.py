# SPDX-License-Identifier: Apache-2.0
"""Models checked by refinement: the paper's Table 1, and SPIN on Treiber's stack.

    python -m benchmarks.refinement [--quick]

Slowness is never a failure; the exit code is 1 only if an answer is wrong.
"""

from __future__ import annotations

import sys

from benchmarks.refinement import experiment

if __name__ == "__main__":
    sys.exit(experiment(quick="--quick" in sys.argv))
