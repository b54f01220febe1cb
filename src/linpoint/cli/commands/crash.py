# SPDX-License-Identifier: Apache-2.0
"""``linpoint crash``: crashes persistent objects at every store, recovers them and checks the recovered state."""

from __future__ import annotations

from linpoint.campaign.several_targets import run_targets
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportList, split_target
from linpoint.cli.output.terminal import progress
from linpoint.cli.targets.crash_targets import crash_targets
from linpoint.cli.targets.host_builds import build_hosts
from linpoint.errors import UsageError
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.source_arguments import split_test
from linpoint.verdicts import Budget


def run(options: CrashOptions) -> int:
    """Test the files and report; return the exit code."""
    files = list(options.targets)
    for target in files:
        if split_test(target) is None:
            fact = f"{target} is not a C++ file."
            raise UsageError("LP-U001", fact, remedy="Pass a file that ends with .cpp, and C sources after --.")
    forms = OutputFormats.of(options)
    forms.validate([split_target(target)[0] for target in files], called="the test itself")
    Budget.starting_now(options.budget, options.max_memory)  # rejects a mistake before anything is built
    build_hosts(options, [named[0] for target in files if (named := split_test(target)) is not None])
    # The budget does not include building the host, which happens once.
    limits = Budget.starting_now(options.budget, options.max_memory)
    with progress() as line:
        plan = [each for target in files for each in crash_targets(target, options, limits, line)]
        entries, interrupted = run_targets(plan, limits)
    return write_report(ReportList(entries, "linpoint crash"), forms, limits, interrupted=interrupted)
