# SPDX-License-Identifier: Apache-2.0
"""``linpoint refine``: checks models of algorithms in every reachable state.

Guarantee: a search that the budget, the memory limit or Ctrl-C has stopped is unknown and reports its progress.
"""

from __future__ import annotations

from linpoint.campaign.several_targets import run_targets
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportList, split_target
from linpoint.cli.output.terminal import progress
from linpoint.cli.targets.model_targets import model_targets
from linpoint.errors import UsageError
from linpoint.options.commands.refine import RefineOptions
from linpoint.verdicts import Budget


def run(options: RefineOptions) -> int:
    """Check the models, or step through one of them; return the exit code."""
    targets = list(options.targets)
    forms = OutputFormats.of(options)
    forms.validate([split_target(target)[0] for target in targets], called="the model itself")
    limits = Budget.starting_now(options.budget, options.max_memory)
    if options.simulate:
        if forms != OutputFormats() or len(targets) != 1:
            raise UsageError(
                "LP-U001",
                "--simulate needs exactly one model and an interactive terminal.",
                remedy="Omit --json and output files.",
            )
        from linpoint.cli.commands.refine_simulate import simulate_model  # noqa: PLC0415 - only needed here

        return simulate_model(*split_target(targets[0]), options, limits)
    with progress() as line:
        plan = [each for target in targets for each in model_targets(target, options, limits, line)]
        entries, interrupted = run_targets(plan, limits)
    return write_report(ReportList(entries, "linpoint refine"), forms, limits, interrupted=interrupted)
