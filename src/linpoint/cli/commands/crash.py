# SPDX-License-Identifier: Apache-2.0
"""``linpoint crash``: structures in persistent memory, crashed at every store and asked what is left."""

from __future__ import annotations

from typing import Annotated

import typer

from linpoint.cli import options
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportList, split_target
from linpoint.cli.output.terminal import progress
from linpoint.cli.passthrough_args import passthrough_args
from linpoint.errors import UsageError
from linpoint.scenarios.scenario import Scenario
from linpoint.targets.compiler_flags import split_targets, split_test
from linpoint.verdicts import Budget


def run(
    context: typer.Context,
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE.cpp[:TEST]...",
            help="C++ files of tests; one test with :NAME. After --: compiler flags and more C or C++ sources.",
        ),
    ],
    *,
    spec: Annotated[
        str | None, typer.Option("--spec", "-s", metavar="SPEC", help="What the object is without crashes.")
    ] = None,
    operations: Annotated[
        int | None,
        typer.Option("--operations", metavar="N", help="Length of the generated workload. Default: 1000."),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario", metavar="TEXT", help='Just these operations: "insert(1, 2); get(1)"; what runs beside by |.'
        ),
    ] = None,
    before: Annotated[
        str, typer.Option("--before", metavar="TEXT", help="With --scenario: operations that come first.")
    ] = "",
    workload: Annotated[
        str | None,
        typer.Option("--workload", metavar="FILE", help="Operations from a file: operation lines, or text."),
    ] = None,
    probes: Annotated[
        str | None,
        typer.Option(
            "--probes", metavar="TEXT", help="Operations after recovery. Default: made from the spec and the workload."
        ),
    ] = None,
    exhaustive: Annotated[
        bool,
        typer.Option("--exhaustive", help="Also every crash state that recovery and probes can tell apart."),
    ] = False,
    points_only: Annotated[
        bool, typer.Option("--points-only", help="Crash only at likely linearization points, as the paper does.")
    ] = False,
    tests: Annotated[
        str | None,
        typer.Option("--tests", metavar="KINDS", help="Just these kinds: dl1,dl2,c2,dl3,recovery,exhaustive."),
    ] = None,
    persistency: Annotated[
        str | None,
        typer.Option(
            "--persistency", metavar="NAME", help="adr (caches are lost, the default) or eadr (they are not)."
        ),
    ] = None,
    persistent_heap: Annotated[
        bool, typer.Option("--persistent-heap", help="malloc and new give persistent memory.")
    ] = False,
    pool_size: Annotated[
        str | None, typer.Option("--pool-size", metavar="SIZE", help="Size of the persistent memory, such as 64M.")
    ] = None,
    condition: Annotated[
        str | None,
        typer.Option(
            "--condition",
            metavar="NAME",
            help="strict (default: cut off operations happened before the crash or never), durable, ...",
        ),
    ] = None,
    compiler: Annotated[
        str | None, typer.Option("--compiler", metavar="NAME", help="The compiler. Default: $CXX, g++, clang++.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="For the workload that is generated.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="N", min=1, help="So many processes share the work. Default: all processors."
        ),
    ] = None,
    budget: options.BudgetOption = options.DEFAULT_BUDGET,
    max_memory: Annotated[
        str | None, typer.Option("--max-memory", metavar="SIZE", help="Memory of the target, such as 500M or 2G.")
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="Write the result as a page for a browser; over several tests an overview, and pages beside it.",
        ),
    ] = None,
    junit: Annotated[
        str | None,
        typer.Option(
            "--junit", metavar="FILE.xml", help="Write JUnit XML: a suite for each file, a case for each test."
        ),
    ] = None,
    github: options.GithubOption = False,
    summary: Annotated[bool, typer.Option("--summary", help="Print one line for each test, and nothing else.")] = False,
    json: options.JsonOption = False,
) -> None:
    """Crash a persistent object at every store, recover it, and judge what is left against its spec.

    Exit code: 0 every crash that was tested is survived, 1 violation, 2 bad input, 3 unknown.

    Examples:
      linpoint crash list_test.cpp --spec map

      linpoint crash list_test.cpp --spec map --operations 1000 --budget 2m -- -O2 list.c

      linpoint crash queue_test.cpp --spec queue --scenario "enqueue(1); dequeue()" --exhaustive

      linpoint crash list_test.cpp --spec set --scenario "add(1) | contains(1)" --tests dl3

      linpoint crash tree_test.cpp --spec map --persistent-heap --report tree.html
    """
    from linpoint.cli.crash_work import Command  # noqa: PLC0415 - only who tests crashes waits for it
    from linpoint.options.commands.crash import CrashOptions, parse_kinds  # noqa: PLC0415 - as above

    if before and scenario is None:
        raise UsageError("LP-U001", "--before goes with --scenario.", remedy="Add it.")
    files, flags = split_targets(targets, passthrough_args(context))
    for target in files:
        if split_test(target) is None:
            fact = f"{target} is no C++ file."
            raise UsageError("LP-U001", fact, remedy="Give a file that ends with .cpp, and C sources after --.")
    asked = CrashOptions(
        spec,
        flags,
        compiler,
        operations,
        None if scenario is None else Scenario.parse(scenario, before),
        workload,
        probes,
        exhaustive,
        points_only,
        parse_kinds(tests),
        persistency,
        persistent_heap,
        pool_size,
        condition,
        seed or None,
        workers,
    )
    forms = OutputFormats(None, report, junit, github, summary, json)
    forms.validate([split_target(target)[0] for target in files], called="the test itself")
    given = {
        "--spec": spec,
        "--operations": operations,
        "--scenario": scenario,
        "--before": before or None,
        "--workload": workload,
        "--probes": probes,
        "--tests": tests,
        "--persistency": persistency,
        "--pool-size": pool_size,
        "--condition": condition,
        "--compiler": compiler,
        "--seed": seed or None,
        "--workers": workers,
        "--budget": budget if budget != options.DEFAULT_BUDGET else None,
    }
    bare = {"--exhaustive": exhaustive, "--points-only": points_only, "--persistent-heap": persistent_heap}
    words = [flag for flag, is_given in bare.items() if is_given]
    words += [str(word) for option, value in given.items() if value is not None for word in (option, value)]
    command = Command(asked, page=report is not None, words=(*words, *(("--", *flags) if flags else ())))
    Budget.starting_now(budget, max_memory)  # what cannot be is said before anything is built
    command.prepare(files)
    # The host is built once, which is no part of the work that the budget is for.
    limits = Budget.starting_now(budget, max_memory)
    with progress() as line:
        told, interrupted = command.run(files, limits, line)
    raise typer.Exit(write_report(ReportList(told, "linpoint crash"), forms, limits, interrupted=interrupted))
