# SPDX-License-Identifier: Apache-2.0
"""The work of ``linpoint refine``: models loaded, compiled and checked, one after the other; and runs taken again.

A model is compiled and never run, so it needs no process of its own; its file is loaded as a user's spec is.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.worker_protocol import RenderedResult, rendered_result
from linpoint.cli.output import standard_streams
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList, split_target
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.errors import LinpointError
from linpoint.executors.thread_executor import peak_memory, resident_memory
from linpoint.limits.deadlines import TimeIsUpError, deadline
from linpoint.options.commands.refine import RefineOptions
from linpoint.refine.dsl import Model
from linpoint.refine.model_loading import load_model, load_models
from linpoint.refine.model_token import ModelToken
from linpoint.refine.refinement_task import RefinementTask
from linpoint.subjects.interface import CampaignProgress, Progress
from linpoint.subjects.model.finding_builder import failure_of_token
from linpoint.subjects.model.subject import ModelSubject
from linpoint.verdicts import Budget
from linpoint.verdicts.coverage import coverage_of
from linpoint.verdicts.result import Result, undecided_result

_TO_TELL: Final = 0.3
"""Seconds of the budget that are kept for telling the answer."""


@dataclass(frozen=True, slots=True)
class _Planned:
    """A model to be checked."""

    file: str
    name: str
    model: type[Model]


@dataclass(frozen=True, slots=True)
class Work:
    """Checks models, one after the other."""

    options: RefineOptions
    limits: Budget
    line: ProgressLine

    def told(self, targets: Sequence[str]) -> tuple[list[ReportEntry], bool]:
        """What is to be said of every model, in order; those that were not begun are unknown. The bool says Ctrl-C."""
        standard_streams.keep_stdout()
        plan = [each for target in targets for each in self._planned(*split_target(target))]
        left = sum(isinstance(each, _Planned) for each in plan)
        told: list[ReportEntry] = []
        interrupted = False
        for each in plan:
            if isinstance(each, ReportEntry):
                told.append(each)
                continue
            if interrupted:
                why = "it was interrupted before this model was begun"
                told.append(self._as_told(each.file, each.name, self._undecided(each.name, each.file, why)))
                continue
            result = self._checked(each, left)
            left -= 1
            interrupted = isinstance(result, Result) and result.interrupted
            told.append(self._as_told(each.file, each.name, result))
        return told, interrupted

    def _planned(self, file: str, name: str) -> Iterator[ReportEntry | _Planned]:
        """The models of a target, or what kept them from being found."""
        self.line(f"loading {file}")
        try:
            with deadline(self.limits):
                found = {name: load_model(file, name)} if name else load_models(file)
        except LinpointError as error:
            yield self._as_told(file, name, error)
        except TimeIsUpError:
            why = "the budget ended while its file was loaded"
            yield self._as_told(file, name, self._undecided(name or file, file, why))
        else:
            yield from (_Planned(file, each, model) for each, model in found.items())

    def _checked(self, each: _Planned, left: int) -> Result | LinpointError:
        try:
            with deadline(self.limits):
                task = RefinementTask.of(self.options, each.file, each.name, each.model)
            subject = ModelSubject(task, self.options.jobs, self.limits.max_memory)
            return run_campaign(subject, self._share(left), self._watch(each.name))
        except LinpointError as error:
            return error
        except TimeIsUpError:
            return self._undecided(each.name, each.file, "the budget ended while it was compiled")
        except KeyboardInterrupt:
            found = self._undecided(each.name, each.file, "it was interrupted")
            return dataclasses.replace(found, interrupted=True)

    def _share(self, left: int) -> float:
        """The seconds of one of the models that are left."""
        seconds = self.limits.remaining()
        return math.inf if seconds is None else max(seconds / 2, seconds - _TO_TELL) / left

    def _watch(self, name: str) -> Progress:
        started = time.monotonic()

        def tell_progress(reached: CampaignProgress) -> None:
            seconds = max(time.monotonic() - started, 1e-3)
            memory = resident_memory() / 2**20
            states, speed = reached.executions, f"{reached.executions / seconds:,.0f} a second"
            self.line(f"{name}: {states:,} states, {speed}, depth {reached.depth:,}, {memory:,.0f} MiB")

        return tell_progress

    def _undecided(self, name: str, file: str, why: str) -> Result:
        coverage = coverage_of("model", peak_memory_bytes=peak_memory(), bounds=self.options.bounds())
        remedy = "Run it again, with a larger --budget if there was one."
        return undecided_result("model", name, why, file=file, coverage=coverage, remedy=remedy)

    def _as_told(self, file: str, name: str, result: Result | LinpointError) -> ReportEntry:
        if isinstance(result, LinpointError):
            return ReportEntry(file, name, RenderedResult(error=result.as_dict()), unit="model", measure="state")
        path = f"./{file}" if file.startswith("-") else file
        words = ["refine", f"{path}:{name}" if name else path, *self.options.argv()]
        page = self.options.report is not None
        return ReportEntry(file, name, rendered_result(result, words, page=page), words, unit="model", measure="state")


def replay_model(content: dict[str, Any], *, as_json: bool) -> int:
    """Take the run of a finding again; it needs the file of the model where it was. If the run is gone, search again."""
    token = ModelToken.read(content)
    found = token.run
    standard_streams.keep_stdout()
    limits = Budget()
    task = RefinementTask.of(token.options, found.file, found.model, load_model(found.file, found.model))
    failure = failure_of_token(msgspec.to_builtins(found))
    with progress() as line:
        result = replay_finding(
            ModelSubject(task), failure, math.inf, changed=False, progress=lambda _: line(f"searching {found.model}")
        )
    told = ReportEntry(found.file, found.model, rendered_result(result), unit="model", measure="state")
    return write_report(
        ReportList([told], "linpoint refine"), OutputFormats(json=as_json), limits, interrupted=result.interrupted
    )
