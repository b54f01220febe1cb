# SPDX-License-Identifier: Apache-2.0
"""The command ``linpoint``: one module per subcommand, and one place where errors become exit codes."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import traceback
from typing import Annotated, Final

import typer

from linpoint.cli.commands.check import check
from linpoint.cli.commands.convert import convert
from linpoint.cli.commands.crash import run as test_crashes
from linpoint.cli.commands.demo import demo
from linpoint.cli.commands.explore import explore
from linpoint.cli.commands.refine import run as refine_models
from linpoint.cli.commands.replay import replay
from linpoint.cli.commands.report import report
from linpoint.cli.commands.specs import specs
from linpoint.cli.commands.test import run as run_tests
from linpoint.cli.output import standard_streams
from linpoint.cli.output.terminal import print_error, print_json, print_text
from linpoint.cli.passthrough_args import PassthroughCommand
from linpoint.cli.reports import BAD_INPUT, EXIT
from linpoint.errors import LinpointError, UsageError
from linpoint.executors.thread_executor import peak_memory
from linpoint.limits import deadlines
from linpoint.verdicts import Statistics, Status

_INTERRUPTED_IN_CLICK: Final = 130  # what it makes of Ctrl-C
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
app.command("test", cls=PassthroughCommand)(run_tests)
app.command()(explore)
app.command("refine")(refine_models)
app.command("crash", cls=PassthroughCommand)(test_crashes)
app.command()(specs)
app.command()(demo)
app.command()(replay)
app.command()(report)


def _version(show: bool) -> None:
    if show:
        from importlib.metadata import version  # noqa: PLC0415 - it takes as long as the rest of the command line

        print_text(f"linpoint {version('linpoint')}")
        raise typer.Exit


def _cmake_dir(show: bool) -> None:
    if show:
        from linpoint.targets.host_builder import cmake_dir  # noqa: PLC0415 - only who asks waits for it

        print_text(str(cmake_dir()))
        raise typer.Exit


@app.callback()
def common(
    _version_option: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    _cmake_dir_option: Annotated[
        bool,
        typer.Option(
            "--cmake-dir",
            callback=_cmake_dir,
            is_eager=True,
            help="Show the folder for CMake's linpoint_DIR and exit.",
        ),
    ] = False,
) -> None:
    """Find, explain and rule out linearizability bugs."""


def main(*, interrupted: bool = False) -> None:
    """Run the command line: exit codes as promised, coded errors, never a traceback for bad input.

    If it was ``interrupted`` before it could begin, that is all there is to tell.
    """
    standard_streams.open_streams()
    deadlines.install_sigint_handler()
    as_json = "--json" in itertools.takewhile(lambda word: word != "--", sys.argv)  # what follows is not for us
    code = _interrupted(as_json=as_json) if interrupted else _run(as_json=as_json)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said but for the exit code
    unwritten = standard_streams.close_streams()
    if unwritten is not None:
        error = UsageError(
            "LP-U005",
            f"the output cannot be written: {unwritten.strerror}.",
            place="standard output",
            remedy="Make room, or send it elsewhere.",
        )
        code = _fail(error, as_json=False)
        standard_streams.close_streams()
    if threading.active_count() > 1:
        # A user's spec that never ends was left behind on a thread; Python would wait for it, or trip over it.
        os._exit(code)
    sys.exit(code)


def _run(*, as_json: bool) -> int:
    """The exit code of the command; everything has been said."""
    try:
        # By itself it shows wrong usage beautifully, but not as JSON.
        code = typer.main.get_command(app).main(standalone_mode=not as_json)
    except SystemExit as stop:
        code = stop.code
    except LinpointError as error:
        return _fail(error, as_json=as_json)
    except _WrongUsageError as error:
        usage = UsageError("LP-U001", str(error).rstrip(".") + ".", remedy="See `linpoint --help`.")
        return _fail(usage, as_json=as_json)
    except (typer.Abort, KeyboardInterrupt, deadlines.TimeIsUpError):
        return _interrupted(as_json=as_json)
    except Exception:  # noqa: BLE001 - a bug of ours; Python's own exit code for it would say "violation"
        traceback.print_exc()
        return EXIT[Status.UNKNOWN]
    if code == _INTERRUPTED_IN_CLICK:
        return _interrupted(as_json=as_json)
    return code if isinstance(code, int) else 0


def _interrupted(*, as_json: bool) -> int:
    """Ctrl-C before there was anything to tell, or in a command that gives no verdict."""
    print_error("interrupted")
    if as_json:
        statistics = Statistics(peak_memory_bytes=peak_memory()).as_dict()
        verdict = {"verdict": Status.UNKNOWN.value, "exhaustive": False, "why": "it was interrupted"}
        print_json(verdict | {"statistics": statistics, "findings": []})
    return EXIT[Status.UNKNOWN]


def _fail(error: LinpointError, *, as_json: bool) -> int:
    if as_json:
        print_json({"error": error.as_dict()})
    else:
        print_error(str(error))
    return BAD_INPUT


if __name__ == "__main__":
    main()
