# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint replay``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linpoint.options.commands.shared_options import JsonOutputOptions
from linpoint.options.option_types import OptionType, Words
from linpoint.options.schema import Panel, argument, option


@dataclass(frozen=True, kw_only=True)
class ReplayOptions(JsonOutputOptions):
    """Options of ``linpoint replay``."""

    description: ClassVar[str] = """\
Reproduce a finding from its replay token.

A token of `check` holds the operations of the finding, and needs no other file unless you use a spec of your own. The
other tokens need your code: run them from the same directory, with the file in the same place. A token of `test` holds
the scenario and its schedule, one of `explore` the schedule, one of `refine` the run of the model, and one of `crash`
the workload and the crash state.

Replaying a token builds and runs code of the current directory. A token may name files below it, compilers by their
plain names and harmless flags. linpoint rejects anything else unless you allow it.

Exit code: 0 no violation, 1 violation, 2 bad input, 3 unknown.

Examples:
  # Replay the token that a report prints
  linpoint replay lp1-...
  # Let the token use a file outside the current directory
  linpoint replay lp1-... --allow=../cell.py
"""

    token: str = argument("TOKEN", OptionType(), "The replay token of the finding.")
    allow: tuple[str, ...] = option(
        (),
        Words(),
        "Let the token use this file, compiler flag or compiler; may be repeated.",
        Panel.INPUT,
        shown=False,
        default_text="none",
    )
