# SPDX-License-Identifier: Apache-2.0
"""Models as targets of ``linpoint refine``.

A model is compiled and never executed, so it needs no process of its own. Its file is loaded like a user's spec.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import msgspec

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.several_targets import CampaignTarget, PlannedEntry
from linpoint.campaign.worker_protocol import rendered_result
from linpoint.cli.output import standard_streams
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList, split_target
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.cli.targets.target_errors import error_entry, planned_error
from linpoint.errors import LinpointError
from linpoint.executors.thread_executor import peak_memory, resident_memory
from linpoint.limits.deadlines import TimeIsUpError, deadline
from linpoint.options.commands.refine import RefineOptions
from linpoint.refine.dsl import Model
from linpoint.refine.model_loading import load_model, load_models
from linpoint.refine.model_token import ModelToken
from linpoint.refine.refinement_task import RefinementTask
from linpoint.subjects.interface import CampaignProgress
from linpoint.subjects.model.finding_builder import failure_of_token
from linpoint.subjects.model.subject import ModelSubject
from linpoint.verdicts import Budget
from linpoint.verdicts.coverage import coverage_of
from linpoint.verdicts.result import Result, undecided_result

_UNIT: Final = "model"
_MEASURE: Final = "state"


def model_targets(
    target: str, options: RefineOptions, limits: Budget, line: ProgressLine
) -> Iterator[ModelTarget | PlannedEntry[ReportEntry]]:
    """Load the models of a target. If that fails, yield the entry of the error."""
    file, name = split_target(target)
    standard_streams.keep_stdout()
    line(f"loading {file}")
    try:
        with deadline(limits):
            found = {name: load_model(file, name)} if name else load_models(file)
    except LinpointError as error:
        yield planned_error(file, name, error, unit=_UNIT, measure=_MEASURE)
    except TimeIsUpError:
        result = _undecided(name or file, file, options, "the budget ended while the file was loaded")
        yield PlannedEntry(_entry(file, name, options, result))
    else:
        yield from (ModelTarget(file, each, model, options, limits, line) for each, model in found.items())


@dataclass(frozen=True, slots=True)
class ModelTarget(CampaignTarget[ReportEntry]):
    """One model to check."""

    file: str
    name: str
    model: type[Model]
    options: RefineOptions
    limits: Budget
    line: ProgressLine

    def run(self, seconds: float) -> tuple[ReportEntry, bool]:
        """Compile and check the model."""
        try:
            with deadline(self.limits):
                task = RefinementTask.of(self.options, self.file, self.name, self.model)
            subject = ModelSubject(task, self.options.jobs, self.limits.max_memory)
            started = time.monotonic()
            result = run_campaign(subject, seconds, partial(self._show, started))
        except LinpointError as error:
            return error_entry(self.file, self.name, error, unit=_UNIT, measure=_MEASURE), False
        except TimeIsUpError:
            result = self._undecided("the budget ended during compilation")
        except KeyboardInterrupt:
            result = dataclasses.replace(self._undecided("the run was interrupted"), interrupted=True)
        return _entry(self.file, self.name, self.options, result), result.interrupted

    def skipped(self) -> ReportEntry:
        """The entry of a model that was not checked."""
        result = self._undecided("the run was interrupted before this model started")
        return _entry(self.file, self.name, self.options, result)

    def _undecided(self, why: str) -> Result:
        return _undecided(self.name, self.file, self.options, why)

    def _show(self, started: float, reached: CampaignProgress) -> None:
        memory, elapsed_s = resident_memory() / 2**20, time.monotonic() - started
        states, speed = reached.executions, f"{reached.executions / max(elapsed_s, 1e-3):,.0f} per second"
        self.line(f"{self.name}: {states:,} states, {speed}, depth {reached.depth:,}, {memory:,.0f} MiB")


def _undecided(name: str, file: str, options: RefineOptions, why: str) -> Result:
    coverage = coverage_of("model", peak_memory_bytes=peak_memory(), bounds=options.bounds())
    remedy = "Run it again, with a larger --budget if one was given."
    return undecided_result("model", name, why, file=file, coverage=coverage, remedy=remedy)


def _entry(file: str, name: str, options: RefineOptions, result: Result) -> ReportEntry:
    path = f"./{file}" if file.startswith("-") else file
    command = ["refine", f"{path}:{name}" if name else path, *options.argv()]
    answer = rendered_result(result, command, page=options.report is not None)
    return ReportEntry(file, name, answer, command, unit=_UNIT, measure=_MEASURE)


def replay_model(content: dict[str, Any], *, as_json: bool) -> int:
    """Replay the run of a finding, with the file of the model in the same place as before.

    If the model no longer has this run, search it again.
    """
    token = ModelToken.read(content)
    found = token.run
    standard_streams.keep_stdout()
    task = RefinementTask.of(token.options, found.file, found.model, load_model(found.file, found.model))
    failure = failure_of_token(msgspec.to_builtins(found))
    with progress() as line:
        result = replay_finding(
            ModelSubject(task), failure, math.inf, changed=False, progress=lambda _: line(f"searching {found.model}")
        )
    entry = ReportEntry(found.file, found.model, rendered_result(result), unit=_UNIT, measure=_MEASURE)
    return write_report(
        ReportList([entry], "linpoint refine"), OutputFormats(json=as_json), Budget(), interrupted=result.interrupted
    )
