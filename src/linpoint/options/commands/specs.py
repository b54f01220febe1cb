# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint specs``, and of ``linpoint demo``, which has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linpoint.options.commands.shared_options import JsonOutputOptions
from linpoint.options.option_types import SpecName
from linpoint.options.options_base import Options
from linpoint.options.schema import argument


@dataclass(frozen=True, kw_only=True)
class SpecsOptions(JsonOutputOptions):
    """Options of ``linpoint specs``."""

    description: ClassVar[str] = """\
List the built-in specs with their operations, or describe one.

Exit code: 0 done, 2 bad input.

Examples:
  # List all built-in specs
  linpoint specs
  # Describe one spec
  linpoint specs queue
  # Describe a spec of your own
  linpoint specs myspec.py:Queue
"""

    name: str | None = argument(
        "SPEC", SpecName(), "The spec to describe. Without it, linpoint lists all built-in specs.", required=False
    )


@dataclass(frozen=True, kw_only=True)
class DemoOptions(Options):
    """Options of ``linpoint demo``, which has none."""

    description: ClassVar[str] = """\
Check three bundled histories and test a bundled class, to show what verdicts look like.

The demo reads none of your files and writes no files.

Exit code: 0.

Example:
  linpoint demo
"""
