# SPDX-License-Identifier: Apache-2.0
"""``linpoint refine``: algorithms written as models, in every state that they can reach.

Guarantee: what was stopped, by the budget, for memory or by Ctrl-C, is unknown and says how far it came.
"""

from __future__ import annotations

from typing import Annotated

import typer

from linpoint.cli import options
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportList, split_target
from linpoint.cli.output.terminal import progress
from linpoint.errors import UsageError
from linpoint.verdicts import Budget


def run(
    targets: Annotated[
        list[str], typer.Argument(metavar="FILE.py[:MODEL]...", help="Python files of models; one model with :NAME.")
    ],
    *,
    spec: Annotated[
        str | None,
        typer.Option("--spec", "-s", metavar="SPEC", help="Check against this spec instead of the model's own."),
    ] = None,
    processes: Annotated[
        str, typer.Option("--processes", metavar="N|ROLE=N,...", help="So many processes; or so many of each role.")
    ] = "2",
    operations: Annotated[
        int,
        typer.Option("--operations", metavar="N", help="Of each process; 0 for any number, over bounded state."),
    ] = 2,
    memory_model: Annotated[
        str, typer.Option("--memory-model", metavar="NAME", help="sc (each store is seen at once) or tso (as x86).")
    ] = "sc",
    heap: Annotated[
        str,
        typer.Option(
            "--heap", metavar="NAME", help="gc (no node is used again), free (nodes are), counted (pointers count too)."
        ),
    ] = "gc",
    points: Annotated[
        bool, typer.Option("--points", help="Use the linearization points that the model marks: far fewer states.")
    ] = False,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="NAMES", help="Switch reductions off: local,fusion,por,symmetry,heap."),
    ] = None,
    compact: Annotated[
        bool,
        typer.Option("--compact", help="Keep only hashes of states: less memory, and tiny odds that one is missed."),
    ] = False,
    progress_property: Annotated[
        str | None,
        typer.Option(
            "--progress",
            metavar="NAME",
            help="Instead of the spec: deadlock-free, lock-free, obstruction-free, or returns (every call does).",
        ),
    ] = None,
    fairness: Annotated[
        str, typer.Option("--fairness", metavar="NAME", help="With --progress returns: none, weak or strong.")
    ] = "none",
    constants: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=JSON", help="Give a constant of the model another value; may be repeated."),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="TIME", help="Time for the whole command, such as 30s. Default: no limit."),
    ] = None,
    max_memory: Annotated[
        str | None, typer.Option("--max-memory", metavar="SIZE", help="Memory of the command, such as 500M or 2G.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", min=1, help="Threads. Default: all processors.")
    ] = None,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Step through the model by hand: choose what happens next, undo, jump.")
    ] = False,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="Write the result as a page for a browser; over several models an overview, and pages beside it.",
        ),
    ] = None,
    junit: Annotated[
        str | None,
        typer.Option(
            "--junit", metavar="FILE.xml", help="Write JUnit XML: a suite for each file, a case for each model."
        ),
    ] = None,
    github: options.GithubOption = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="Print one line for each model, and nothing else.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """Check models of algorithms against their specs, in every state that they can reach.

    Exit code: 0 holds, 1 violation, 2 bad input, 3 unknown; over several models the worst.

    Examples:
      linpoint refine treiber.py

      linpoint refine treiber.py:Treiber --spec stack --processes 3 --operations 2

      linpoint refine register.py --processes reader=2,writer=1 --operations 0

      linpoint refine treiber.py --heap free --operations 3 --report aba.html

      linpoint refine peterson.py --memory-model tso --set fenced=true

      linpoint refine lock.py --progress returns --fairness weak

      linpoint refine array_queue.py --simulate
    """
    from linpoint.cli.refine_asked import choices_of  # noqa: PLC0415 - only who checks a model waits for it
    from linpoint.cli.refine_work import Work  # noqa: PLC0415 - as above

    if simulate and progress_property is not None:
        raise UsageError("LP-U001", "--simulate does not go with --progress.", remedy="Leave one of them out.")
    choices = choices_of(
        spec=spec,
        processes=processes,
        operations=operations,
        memory_model=memory_model,
        heap=heap,
        points=points,
        without=tuple(name.strip() for each in without or () for name in each.split(",")),
        compact=compact,
        progress=progress_property,
        fairness=fairness,
        constants=constants or (),
    )
    forms = OutputFormats(None, report, junit, github, summary, json)
    forms.validate([split_target(target)[0] for target in targets], called="the model itself")
    limits = Budget.starting_now(budget, max_memory)
    if simulate:
        if forms != OutputFormats() or len(targets) != 1:
            raise UsageError(
                "LP-U001", "--simulate is for one model, and for people.", remedy="Leave out --json and files to write."
            )
        from linpoint.cli.commands.refine_simulate import simulate_model  # noqa: PLC0415 - as above

        raise typer.Exit(simulate_model(*split_target(targets[0]), choices, limits, jobs))
    words = [*choices.words(), *(["--budget", budget] if budget else [])]
    with progress() as line:
        told, interrupted = Work(choices, limits, jobs, line, words, page=report is not None).told(targets)
    raise typer.Exit(write_report(ReportList(told, "linpoint refine"), forms, limits, interrupted=interrupted))
