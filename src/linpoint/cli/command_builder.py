# SPDX-License-Identifier: Apache-2.0
"""Commands from their options classes, for click: loaded when they are called, and run with the merged options.

Guarantee: the help of the program imports no command, the help of a command imports its options class alone. Values are
checked by the types of the options, whatever the surface, so that a mistake is LP-U001 everywhere.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from linpoint.cli.help_text import command_help, group_help
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


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command by names that are imported when it is called."""

    options: str
    """``module:Class``."""
    run: str
    """``module:function``, called with the options; returns the exit code."""
    summary: str

    def load_options(self) -> type[Options]:
        """The options class."""
        found: type[Options] = _load(self.options)
        return found

    def load_run(self) -> Callable[[Any], int]:
        """The implementation."""
        found: Callable[[Any], int] = _load(self.run)
        return found


def _load(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


class OptionText(click.ParamType):  # type: ignore[type-arg]  # not generic in all versions
    """The text of an option as it is; it is checked when all layers are known."""

    name = "text"

    def __init__(self, option: Option) -> None:
        self.option = option

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The values that begin so, or files."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only a shell that completes needs it

        del ctx, param
        candidates = self.option.type.candidates
        names = [CompletionItem(each) for each in candidates if each.startswith(incomplete)]
        return names if candidates else [CompletionItem(incomplete, type="file")]


class OptionsCommand(click.Command):
    """A command whose parameters are declared by an options class."""

    def __init__(self, name: str, entry: CommandEntry) -> None:
        self.entry = entry
        self.options_class = entry.load_options()
        params = [_parameter(each) for each in self.options_class.declared().values() if not each.passthrough]
        super().__init__(name, params=params, context_settings=dict(_SETTINGS), short_help=entry.summary)

    def get_help(self, ctx: click.Context) -> str:
        """The help, by panels."""
        return command_help(ctx.command_path, self.options_class)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; those after ``--`` are kept apart where the command passes them on."""
        if any(each.passthrough for each in self.options_class.declared().values()) and "--" in args:
            at = args.index("--")
            ctx.meta[_PASSTHROUGH_KEY] = tuple(args[at + 1 :])
            args = args[:at]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            flags = [flag for param in self.get_params(ctx) for flag in param.opts if flag.startswith("--")]
            remedy = f"{did_you_mean(error.option_name, flags)}See `{ctx.command_path} --help`."
            raise UsageError("LP-U001", f"there is no option {error.option_name}.", remedy=remedy) from None

    def invoke(self, ctx: click.Context) -> int:
        """Run the command with the merged options; the exit code."""
        options = self.merged_options(ctx)
        if any(layer.surface is Surface.TOML for layer in options.layers):
            from linpoint.cli.project_notes import project_notes  # noqa: PLC0415 - only with a project file is there a note

            for note in project_notes(options):
                sys.stderr.write(f"note: {printable(note, lines=False)}\n")
        run = self.entry.load_run()
        install_sigint_handler()  # from here on there is something to tell
        return run(options)

    def merged_options(self, ctx: click.Context) -> Options:
        """The options of all layers: project, environment, command line."""
        given = Layer(Surface.COMMAND_LINE, self._given(ctx))
        name = self.name or ""
        layers = [*project_layers(self.options_class, name), *environment_layers(self.options_class), given]
        options = merge_layers(self.options_class, layers)
        for field, each in self.options_class.declared().items():
            if each.required and not each.positional and getattr(options, field) is None:
                remedy = f"Add it, or put it into pyproject.toml. See `{ctx.command_path} --help`."
                raise UsageError("LP-U001", f"the option {each.flag} is missing.", remedy=remedy)
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
    """The program: its commands by name, each loaded when it is called."""

    def __init__(self, name: str, entries: Mapping[str, CommandEntry], description: str, **more: Any) -> None:
        super().__init__(name, context_settings=dict(_SETTINGS), help=description, **more)
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        del ctx
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, loaded."""
        del ctx
        entry = self.entries.get(cmd_name)
        return None if entry is None else OptionsCommand(cmd_name, entry)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; a proposal if there is none."""
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            remedy = f"{did_you_mean(args[0], self.entries)}See `{ctx.command_path} --help`."
            raise UsageError("LP-U001", f'there is no command "{args[0]}".', remedy=remedy)
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """The help: a line for each command, none of which is imported."""
        options = [record for param in self.get_params(ctx) if (record := param.get_help_record(ctx)) is not None]
        commands = [(name, entry.summary) for name, entry in self.entries.items()]
        return group_help(ctx.command_path, self.help or "", options, commands)
