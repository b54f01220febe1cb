# SPDX-License-Identifier: Apache-2.0
"""Completion of commands, options and values in bash, zsh and fish."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from linpoint.cli.output.terminal import print_text
from linpoint.errors import UsageError
from linpoint.options.option_types import choice

COMPLETION_VARIABLE: Final = "_LINPOINT_COMPLETE"
"""The environment variable by which a shell requests completions instead of a run."""
THIS_SHELL: Final = "this"
"""Stands for the shell that ``$SHELL`` names."""
_SHELLS: Final = ("bash", "zsh", "fish")
_FILES: Final = {
    "bash": ".local/share/bash-completion/completions/linpoint",
    "zsh": ".zfunc/_linpoint",
    "fish": ".config/fish/completions/linpoint.fish",
}
_AFTERWARDS: Final = {"zsh": "Add to ~/.zshrc, before compinit: fpath+=~/.zfunc"}


def completion_script(command: click.Command, shell: str, flag: str) -> str:
    """The script for a shell to evaluate; LP-U001 for an unknown shell."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - only completion needs it

    found = get_completion_class(_shell_of(shell, flag))
    assert found is not None
    return found(command, {}, "linpoint", COMPLETION_VARIABLE).source()


def install_completion(command: click.Command, shell: str, flag: str) -> None:
    """Write the script to the file in which the shell looks for it."""
    name = _shell_of(shell, flag)
    path = Path.home() / _FILES[name]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(completion_script(command, name, flag), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            "LP-U005",
            f"the file cannot be written: {error.strerror}.",
            place=str(path),
            remedy="Make the path writable.",
        ) from None
    print_text(f"wrote {path}; new shells use it")
    if name in _AFTERWARDS:
        print_text(_AFTERWARDS[name])


def _shell_of(shell: str, flag: str) -> str:
    given = Path(os.environ.get("SHELL", "")).name if shell == THIS_SHELL else shell
    return choice(_SHELLS).check(given, flag)
