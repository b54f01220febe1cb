# SPDX-License-Identifier: Apache-2.0
"""The output of a compiler that refuses a target."""

from __future__ import annotations

import sys

from linpoint.targets.build_error import BuildError


def show_build_error(error: BuildError) -> None:
    """The messages of a compiler, untouched."""
    sys.stderr.flush()
    sys.stderr.buffer.write(error.output)
    sys.stderr.buffer.flush()
