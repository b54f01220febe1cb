# SPDX-License-Identifier: Apache-2.0
"""Builds click commands from options classes. A command is loaded when it is called, and runs with the merged options.

Guarantee: the help of the program imports no command, and the help of a command imports only its options class. The
types of the options check all values, so that a mistake is LP-U001 on every surface. A mistake on the command line
comes with the usage of the command.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from linpoint.cli.help_text import GROUP_USAGE, command_help, group_help, usage_line
from linpoint.errors import UsageError
from linpoint.limits.deadlines import install_sigint_handler
from linpoint.options.environment import environment_layers
from linpoint.options.layers import Layer
from linpoint.options.nearest_name import did_you_mean
from linpoint.options.options_base import Options, merge_layers
from linpoint.options.project_file import project_layers
from linpoint.options.schema import Option, Surface
from linpoint.text.printable import printable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_PASSTHROUGH_KEY: Final = "linpoint.passthrough"
_SETTINGS: Final = {"help_option_names": ["-h", "--help"]}


class CommandLineError(UsageError):
    """A mistake in the words of a command line. The program prints ``usage`` after it."""

    usage: str = ""


def _mistake(message: str, remedy: str, usage: str) -> CommandLineError:
    error = CommandLineError("LP-U001", message, remedy=remedy)
    error.usage = usage
    return error


def _refuse(error: click.UsageError, command: click.Command, ctx: click.Context, usage: str) -> NoReturn:
    """Raise a mistake that click has found as LP-U001."""
    see = f"See `{ctx.command_path} --help`."
    if isinstance(error, click.NoSuchOption):
        flags = [flag for param in command.get_params(ctx) for flag in param.opts if flag.startswith("--")]
        fact = f"unknown option {error.option_name}."
        raise _mistake(fact, f"{did_you_mean(error.option_name, flags)}{see}", usage) from None
    if isinstance(error, click.MissingParameter) and error.param is not None:
        name = error.param.metavar or error.param.human_readable_name
        raise _mistake(f"the argument {name} is missing.", see, usage) from None
    if isinstance(error, click.BadOptionUsage):
        needs = "takes no value" if "does not take" in error.message else "requires a value"
        raise _mistake(f"the option {error.option_name} {needs}.", see, usage) from None
    raise error


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command, given by names that are imported when it is called."""

    options: str
    """``module:Class``."""
    run: str
    """``module:function``. The function takes the options and returns the exit code."""
    summary: str
    """The line about the command in the help of the program."""

    def load_options(self) -> type[Options]:
        """Import the options class."""
        found: type[Options] = _load(self.options)
        return found

    def load_run(self) -> Callable[[Any], int]:
        """Import the implementation."""
        found: Callable[[Any], int] = _load(self.run)
        return found


def _load(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


class OptionText(click.ParamType):  # type: ignore[type-arg]  # not generic in all versions
    """The unchanged text of an option. Its type checks it when all layers are known."""

    name = "text"

    def __init__(self, option: Option) -> None:
        self.option = option

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The values that begin with the incomplete word, or files."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only completion needs it

        del ctx, param
        candidates = self.option.type.candidates
        names = [CompletionItem(each) for each in candidates if each.startswith(incomplete)]
        return names if candidates else [CompletionItem(incomplete, type="file")]


class OptionsCommand(click.Command):
    """A command whose parameters are declared by an options class."""

    allow_extra_args = True  # reported in parse_args

    def __init__(self, name: str, entry: CommandEntry) -> None:
        self.entry = entry
        self.options_class = entry.load_options()
        params = [_parameter(each) for each in self.options_class.declared().values() if not each.passthrough]
        super().__init__(name, params=params, context_settings=dict(_SETTINGS), short_help=entry.summary)

    def get_help(self, ctx: click.Context) -> str:
        """The help of the command."""
        return command_help(ctx.command_path, self.options_class)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words of the command line; set the words after ``--`` aside where the command passes them on."""
        if any(each.passthrough for each in self.options_class.declared().values()) and "--" in args:
            at = args.index("--")
            ctx.meta[_PASSTHROUGH_KEY] = tuple(args[at + 1 :])
            args = args[:at]
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            _refuse(error, self, ctx, self._usage(ctx))
        if rest and not ctx.resilient_parsing:
            fact = f"too many arguments: {' '.join(rest)}."
            raise _mistake(fact, f"See `{ctx.command_path} --help`.", self._usage(ctx))
        return rest

    def _usage(self, ctx: click.Context) -> str:
        return usage_line(ctx.command_path, self.options_class)

    def invoke(self, ctx: click.Context) -> int:
        """Run the command with the merged options; return the exit code."""
        options = self.merged_options(ctx)
        if any(layer.surface is Surface.TOML for layer in options.layers):
            from linpoint.cli.project_notes import project_notes  # noqa: PLC0415 - only a project file needs it

            for note in project_notes(options):
                sys.stderr.write(f"note: {printable(note, lines=False)}\n")
        run = self.entry.load_run()
        install_sigint_handler()  # from here on Ctrl-C ends with a result
        return run(options)

    def merged_options(self, ctx: click.Context) -> Options:
        """The options of all layers: project, environment, command line."""
        given = Layer(Surface.COMMAND_LINE, self._given(ctx))
        name = self.name or ""
        layers = [*project_layers(self.options_class, name), *environment_layers(self.options_class), given]
        options = merge_layers(self.options_class, layers)
        for field, each in self.options_class.declared().items():
            if each.required and not each.positional and getattr(options, field) is None:
                remedy = f"Add it, or set it in pyproject.toml. See `{ctx.command_path} --help`."
                raise _mistake(f"the option {each.flag} is missing.", remedy, self._usage(ctx))
        return options

    def _given(self, ctx: click.Context) -> Mapping[str, Any]:
        texts = ctx.params | {
            name: ctx.meta.get(_PASSTHROUGH_KEY)
            for name, each in self.options_class.declared().items()
            if each.passthrough
        }
        found = {}
        for name, each in self.options_class.declared().items():
            text = texts[name]
            if text is None or text == () or text is False:
                continue
            if not each.type.takes_value:
                found[name] = True
            else:
                found[name] = each.type.parse_all([text] if isinstance(text, str) else list(text), each.flag)
        return found


def _parameter(option: Option) -> click.Parameter:
    text = OptionText(option)
    if option.positional:
        count = -1 if option.type.many else 1
        return click.Argument([option.name], nargs=count, required=option.required, type=text, metavar=option.flag)
    names = [option.name, option.flag, *([option.short] if option.short else [])]
    if not option.type.takes_value:
        return click.Option(names, is_flag=True, help=option.help_text)
    return click.Option(
        names,
        type=text,
        multiple=option.type.many,
        metavar=option.type.metavar,
        help=option.help_text,
    )


class CommandGroup(click.Group):
    """The program: its commands by name, each loaded when it is called. ``ending`` follows the commands in the help."""

    def __init__(
        self, name: str, entries: Mapping[str, CommandEntry], description: str, ending: str, **more: Any
    ) -> None:
        super().__init__(name, context_settings=dict(_SETTINGS), help=description, **more)
        self.entries = entries
        self.ending = ending

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order of the table."""
        del ctx
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the command."""
        del ctx
        entry = self.entries.get(cmd_name)
        return None if entry is None else OptionsCommand(cmd_name, entry)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names; propose the nearest name if there is none."""
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            remedy = f"{did_you_mean(args[0], self.entries)}See `{ctx.command_path} --help`."
            raise _mistake(f'unknown command "{args[0]}".', remedy, self._usage(ctx))
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options of the program, up to the name of the command."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            _refuse(error, self, ctx, self._usage(ctx))

    def _usage(self, ctx: click.Context) -> str:
        return f"Usage: {ctx.command_path} {GROUP_USAGE}"

    def get_help(self, ctx: click.Context) -> str:
        """The help of the program, with one line for each command. It imports no command."""
        options = [record for param in self.get_params(ctx) if (record := param.get_help_record(ctx)) is not None]
        commands = [(name, entry.summary) for name, entry in self.entries.items()]
        return group_help(ctx.command_path, self.help or "", options, commands, self.ending)
