# SPDX-License-Identifier: Apache-2.0
"""The words that a project itself gives to a command. A replay token may use them, since the project uses them anyway.

``linpoint test FILE.cpp`` passes the flags in the comments of the file to the compiler, regardless of tokens. Nothing
is run here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from linpoint.errors import LinpointError
from linpoint.options.commands.check import CheckOptions
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.commands.explore import ExploreOptions
from linpoint.options.commands.refine import RefineOptions
from linpoint.options.commands.test import TestOptions
from linpoint.options.environment import environment_layers
from linpoint.options.options_base import Options, merge_layers
from linpoint.options.project_file import project_layers
from linpoint.text.code_names import split_user_spec

COMMANDS_OF_TOKENS: Final[Mapping[str, tuple[str, type[Options]]]] = {
    "check": ("check", CheckOptions),
    "test": ("test", TestOptions),
    "test-cpp": ("test", TestOptions),
    "stress": ("test", TestOptions),
    "stress-cpp": ("test", TestOptions),
    "explore": ("explore", ExploreOptions),
    "explore-cpp": ("explore", ExploreOptions),
    "refine": ("refine", RefineOptions),
    "crash": ("crash", CrashOptions),
}
"""The command that produces tokens of a kind, and the class of its options."""
_WITH_COMMENTS: Final = ("test-cpp", "crash")


def project_words(kind: str, file: Any = None) -> frozenset[str]:
    """The flags, compiler and spec that ``pyproject.toml``, the environment and the comments of ``file`` give."""
    if kind not in COMMANDS_OF_TOKENS:
        return frozenset()
    command, options_class = COMMANDS_OF_TOKENS[kind]
    try:
        layers = [*project_layers(options_class, command), *environment_layers(options_class)]
        options: Any = merge_layers(options_class, layers)
        if kind in _WITH_COMMENTS and isinstance(file, str):
            options = options.for_file(file)
    except LinpointError:  # the command that uses the options reports it
        return frozenset()
    spec = split_user_spec(getattr(options, "spec", None) or "")
    given = (*getattr(options, "flags", ()), getattr(options, "compiler", None), None if spec is None else spec[0])
    return frozenset(each for each in given if each is not None)
