# SPDX-License-Identifier: Apache-2.0
"""The command ``linpoint``: one module per subcommand, and one place where errors become exit codes."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from typing import Annotated, Any

import typer

from linpoint.cli import options, tokens
from linpoint.cli.check import BAD_INPUT, check, replay_check
from linpoint.cli.convert import convert
from linpoint.cli.demo import demo
from linpoint.cli.output import print_error, print_json, print_text
from linpoint.cli.specs import specs
from linpoint.errors import LinpointError, UsageError

_INTERRUPTED = 3
_WrongUsageError: type[Exception] = typer.BadParameter.__bases__[0]  # click's, which typer may carry inside itself

app = typer.Typer(
    name="linpoint",
    help="Find, explain and rule out linearizability bugs.\n\nNew here? Run `linpoint demo`.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(check)
app.command()(convert)
app.command()(specs)
app.command()(demo)


@app.command()
def replay(
    token: Annotated[str, typer.Argument(help="The word that a finding gave after `linpoint replay`.")],
    *,
    json: options.JsonOption = False,
) -> None:
    """Show a finding again from its token.

    A token holds the operations of the finding; nothing else is needed, except for your own spec if you used one.
    """
    content = tokens.decode(token)
    if content["kind"] != "check":
        raise UsageError(
            "LP-U004", f"this version cannot replay a {content['kind']!r}.", remedy="Use a newer linpoint."
        )
    try:
        code = replay_check(content, json=json)
    except (KeyError, TypeError) as error:
        raise UsageError(
            "LP-U004", f"the token lacks {error}.", remedy="Copy the whole word after `linpoint replay`."
        ) from None
    raise typer.Exit(code)


def _version(show: bool) -> None:
    if show:
        print_text(f"linpoint {version('linpoint')}")
        raise typer.Exit


@app.callback()
def common(
    _version_option: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Find, explain and rule out linearizability bugs."""


def main() -> None:
    """Run the command line: exit codes as promised, coded errors, never a traceback for bad input."""
    try:
        if "--json" not in sys.argv:
            app()  # shows its own usage errors, with exit code 2
        sys.exit(typer.main.get_command(app).main(standalone_mode=False) or 0)
    except LinpointError as error:
        _fail(error)
    except _WrongUsageError as error:
        _fail(UsageError("LP-U001", str(error).rstrip(".") + ".", remedy="See `linpoint --help`."))
    except typer.Abort:
        sys.exit(_INTERRUPTED)
    except KeyboardInterrupt:
        print_error("interrupted")
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        # The reader has left (`linpoint ... | head`); there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _fail(error: LinpointError) -> None:
    document: dict[str, Any] = {"error": error.as_dict()}
    if "--json" in sys.argv:
        print_json(document)
    else:
        print_error(str(error))
    sys.exit(BAD_INPUT)


if __name__ == "__main__":
    main()
