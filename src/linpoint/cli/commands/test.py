# SPDX-License-Identifier: Apache-2.0
"""``linpoint test``: tests objects in Python and C++, under controlled schedules or on real threads."""

from __future__ import annotations

from collections.abc import Sequence

from linpoint.campaign.several_targets import CampaignTarget, PlannedEntry, run_targets
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList, split_target
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.cli.targets.python_test_targets import python_test_targets
from linpoint.options.commands.test import TestOptions
from linpoint.options.source_arguments import split_test
from linpoint.verdicts import Budget


def run(options: TestOptions) -> int:
    """Run the tests and report; return the exit code."""
    cpp_files = [named[0] for target in options.targets if (named := split_test(target)) is not None]
    options.check_language("cpp" if cpp_files else "python")
    forms = OutputFormats.of(options)
    forms.validate([split_target(target)[0] for target in options.targets], called="the test itself")
    if cpp_files and options.stress:
        from linpoint.subjects.stress.build_tests import validate_stress_options  # noqa: PLC0415 - needed for C++ only

        validate_stress_options(options)
    elif cpp_files:
        from linpoint.cli.targets.host_builds import build_hosts  # noqa: PLC0415 - as above

        build_hosts(options, cpp_files)
    # The budget does not include building the host, which happens once.
    limits = Budget.starting_now(options.budget, options.max_memory)
    with progress() as line:
        plan = [each for target in options.targets for each in _planned(target, options, limits, line)]
        entries, interrupted = run_targets(plan, limits)
    return write_report(ReportList(entries), forms, limits, interrupted=interrupted)


def _planned(
    target: str, options: TestOptions, limits: Budget, line: ProgressLine
) -> Sequence[CampaignTarget[ReportEntry] | PlannedEntry[ReportEntry]]:
    """The tests of a target, or the entry of an error if they cannot be loaded or built."""
    named = split_test(target)
    if named is None:
        return python_test_targets(target, options, limits, line)
    if options.stress:
        from linpoint.cli.targets.cpp_stress_targets import cpp_stress_targets  # noqa: PLC0415 - needed for C++ only

        return cpp_stress_targets(*named, options, limits, line)
    from linpoint.cli.targets.cpp_test_targets import cpp_test_targets  # noqa: PLC0415 - as above

    return cpp_test_targets(*named, options, limits, line)
