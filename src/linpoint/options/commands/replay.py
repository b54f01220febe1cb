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
    """The token and the format of the answer."""

    description: ClassVar[str] = """\
Show a finding again from its replay token.

A token of `check` holds the operations of the finding; nothing else is needed, except for your own spec if you used
one. A token of `test` holds the scenario and its schedule, one of `explore` the schedule, one of `refine` the run of
the model, one of `crash` the workload and the crash state; they need your code again: run from the same directory,
with the file where it was.

Replaying builds and runs code of the current directory. A token names files below it, plain compilers and harmless
flags; anything else is refused unless you allow it.
"""

    token: str = argument("TOKEN", OptionType(), "The word that a finding gave after `linpoint replay`.")
    allow: tuple[str, ...] = option(
        (),
        Words(),
        "Let the token use this file, compiler flag or compiler; may be repeated.",
        Panel.INPUT,
        shown=False,
    )
