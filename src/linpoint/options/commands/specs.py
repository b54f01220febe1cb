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
    """The spec to describe."""

    description: ClassVar[str] = """\
List the built-in specs with their operations, or describe one.

Examples:
  linpoint specs
  linpoint specs queue
  linpoint specs myspec.py:Queue
"""

    name: str | None = argument("SPEC", SpecName(), "A spec to describe; without it, all built-ins.", required=False)


@dataclass(frozen=True, kw_only=True)
class DemoOptions(Options):
    """None."""

    description: ClassVar[str] = """\
Check three bundled histories and test a bundled class, to show what the answers look like.
"""
