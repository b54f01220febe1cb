# SPDX-License-Identifier: Apache-2.0
"""The options of ``linpoint`` itself, which print something and exit."""

from __future__ import annotations

from typing import Any, Final

import click

from linpoint.cli.output.terminal import print_text

_INSTALL_FLAG: Final = "--install-completion"
_OPTIONAL_SHELL: Final[dict[str, Any]] = {"is_flag": False, "flag_value": "this", "metavar": "[SHELL]"}


def _show_version(ctx: click.Context, _param: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        from importlib.metadata import version  # noqa: PLC0415 - takes as long as the rest of the command line

        print_text(f"linpoint {version('linpoint')}")
        ctx.exit()


def _show_cmake_dir(ctx: click.Context, _param: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        from linpoint.targets.host_builder import cmake_dir  # noqa: PLC0415 - needed for this alone

        print_text(str(cmake_dir()))
        ctx.exit()


def _complete(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
    if shell is None or ctx.resilient_parsing:
        return
    from linpoint.cli import shell_completion  # noqa: PLC0415 - needed for this alone

    (flag,) = param.opts
    if flag == _INSTALL_FLAG:
        shell_completion.install_completion(ctx.command, shell, flag)
    else:
        print_text(shell_completion.completion_script(ctx.command, shell, flag))
    ctx.exit()


def _eager(flag: str, callback: Any, help: str, **more: Any) -> click.Option:  # noqa: A002 - the usual name
    return click.Option([flag], is_eager=True, expose_value=False, callback=callback, help=help, **more)


PROGRAM_OPTIONS: Final = [
    _eager("--version", _show_version, "Print the version and exit.", is_flag=True),
    _eager("--cmake-dir", _show_cmake_dir, "Print the directory for CMake's linpoint_DIR and exit.", is_flag=True),
    _eager(
        "--show-completion",
        _complete,
        "Print the completion script for bash, zsh or fish and exit (default: $SHELL).",
        **_OPTIONAL_SHELL,
    ),
    _eager(
        _INSTALL_FLAG,
        _complete,
        "Install the completion script for bash, zsh or fish and exit (default: $SHELL).",
        **_OPTIONAL_SHELL,
    ),
]
