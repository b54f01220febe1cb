# SPDX-License-Identifier: Apache-2.0
"""The command ``linpoint``: its table of subcommands, and the place where errors become exit codes."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import time
import traceback
from typing import Final

import click

from linpoint.cli.command_builder import CommandEntry, CommandGroup, CommandLineError
from linpoint.cli.output import standard_streams
from linpoint.cli.output.terminal import print_error, print_json, print_lines, print_text
from linpoint.cli.program_options import PROGRAM_OPTIONS
from linpoint.errors import LinpointError, UsageError
from linpoint.executors.thread_executor import peak_memory, resident_memory
from linpoint.limits import command_clock
from linpoint.limits.process_guard import LimitReachedError
from linpoint.verdicts import Statistics, Status

_EXIT_UNKNOWN: Final = 3
_EXIT_BAD_INPUT: Final = 2
_QUICK_TO_FREE_BYTES: Final = 256 << 20
_LIMIT_REACHED: Final = "LP-U011"
_COMPLETION_VARIABLE: Final = "_LINPOINT_COMPLETE"


def _entry(name: str, options_class: str, summary: str, *, options_module: str = "") -> CommandEntry:
    options = f"linpoint.options.commands.{options_module or name}:{options_class}"
    return CommandEntry(options, f"linpoint.cli.commands.{name}:run", summary)


COMMANDS: Final = {
    "check": _entry("check", "CheckOptions", "Check recorded histories against a spec."),
    "test": _entry("test", "TestOptions", "Test an object in every interleaving of small scenarios."),
    "explore": _entry("explore", "ExploreOptions", "Run a threaded program under every schedule."),
    "refine": _entry("refine", "RefineOptions", "Check a model of an algorithm in every reachable state."),
    "crash": _entry("crash", "CrashOptions", "Crash a persistent object at every store and check its recovery."),
    "replay": _entry("replay", "ReplayOptions", "Reproduce a finding from its replay token."),
    "report": _entry("report", "ReportOptions", "Combine the results of many runs on one HTML page."),
    "convert": _entry("convert", "ConvertOptions", "Convert a recorded history to another format."),
    "specs": _entry("specs", "SpecsOptions", "List the built-in specs, or describe one."),
    "demo": _entry("demo", "DemoOptions", "Check bundled histories and test a bundled class.", options_module="specs"),
}
_DESCRIPTION: Final = """\
Find, explain and rule out linearizability bugs.

Start here:
  linpoint demo                              # see what verdicts look like
  linpoint check orders.jsonl --spec queue   # check a recorded history
  linpoint test cache_test.py                # test an object in Python or C++
"""
_ENDING: Final = """\
Exit codes:
  0  No violation.
  1  Violation.
  2  Bad input or usage.
  3  Unknown: a limit was reached or Ctrl-C pressed.

Run `linpoint COMMAND --help` for the options and examples of a command.
"""


app: Final = CommandGroup(
    "linpoint",
    COMMANDS,
    _DESCRIPTION,
    _ENDING,
    params=PROGRAM_OPTIONS,
)


def main(*, began: float | None = None) -> None:
    """Run the command line. Bad input ends with a coded error and a documented exit code, never with a traceback.

    ``began`` is the start of the process on the monotonic clock; budgets count from there.
    """
    command_clock.command_began(time.monotonic() if began is None else began)
    standard_streams.open_streams()
    as_json = "--json" in itertools.takewhile(lambda word: word != "--", sys.argv)  # the words after -- are not options
    try:
        code = _run(as_json=as_json)
    except KeyboardInterrupt:  # pressed between two blocks that handle it
        code = _EXIT_UNKNOWN
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the exit code is left
    unwritten = standard_streams.close_streams()
    if unwritten is not None:
        error = UsageError(
            "LP-U005",
            f"the output cannot be written: {unwritten.strerror}.",
            place="standard output",
            remedy="Free some space, or redirect the output.",
        )
        code = _fail(error, as_json=False)
        standard_streams.close_streams()
    if threading.active_count() > 1 or resident_memory() > _QUICK_TO_FREE_BYTES:
        # Either a user's spec still runs on a thread, and Python would wait for it or fail in it, or freeing all memory
        # would take seconds.
        os._exit(code)
    sys.exit(code)


def _run(*, as_json: bool) -> int:
    """Run the command that the arguments name, print its answer and return its exit code."""
    if _COMPLETION_VARIABLE in os.environ:  # pragma: no cover - a shell requests completions
        app.main(prog_name="linpoint")
    try:
        if len(sys.argv) == 1:
            with click.Context(app, info_name="linpoint", **app.context_settings) as context:
                print_text(app.get_help(context))
            return _EXIT_BAD_INPUT
        with app.make_context("linpoint", sys.argv[1:]) as context:
            code = app.invoke(context)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except SystemExit as stop:
        code = stop.code
    except LinpointError as error:
        return _fail(error, as_json=as_json)
    except click.UsageError as error:
        path = "linpoint" if error.ctx is None else error.ctx.command_path
        fact = error.format_message().rstrip(".") + "."
        return _fail(UsageError("LP-U001", fact, remedy=f"See `{path} --help`."), as_json=as_json)
    except (KeyboardInterrupt, LimitReachedError):
        return _interrupted(as_json=as_json)
    except Exception:  # noqa: BLE001 - a bug of linpoint; Python's own exit code for it would mean "violation"
        traceback.print_exc()
        return _EXIT_UNKNOWN
    return code if isinstance(code, int) else 0


def _interrupted(*, as_json: bool) -> int:
    """Report Ctrl-C where there is no result yet, or in a command that gives no verdict."""
    print_error("interrupted")
    if as_json:
        statistics = Statistics(peak_memory_bytes=peak_memory()).as_dict()
        verdict = {"verdict": Status.UNKNOWN.value, "exhaustive": False, "why": "the run was interrupted"}
        print_json(verdict | {"statistics": statistics, "findings": []})
    return _EXIT_UNKNOWN


def _fail(error: LinpointError, *, as_json: bool) -> int:
    if as_json:
        print_json({"error": error.as_dict()})
    else:
        print_error(str(error))
        if isinstance(error, CommandLineError):
            print_lines([error.usage], stderr=True)
    return _EXIT_UNKNOWN if error.code == _LIMIT_REACHED else _EXIT_BAD_INPUT


if __name__ == "__main__":
    main()
