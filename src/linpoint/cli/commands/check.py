# SPDX-License-Identifier: Apache-2.0
"""``linpoint check``: checks the histories in files.

Guarantee: the budget, the memory limit and Ctrl-C take effect in every phase: loading the spec, reading, checking,
explaining and exiting. The command then reports everything it knows. A file without a verdict is reported as unknown,
never omitted.
"""

from __future__ import annotations

import dataclasses
import functools
import gc
from collections.abc import Callable
from typing import Any, Final

from linpoint.checkers._native_search import StopToken
from linpoint.checkers.check import check_with_progress
from linpoint.cli.check_request import CheckRequest, explain_within_budget, load_spec, replay_argv, unknown_report
from linpoint.cli.commands.check_follow import follow_files
from linpoint.cli.output import graph_file, standard_streams
from linpoint.cli.output.check_report import CheckReport, prepare_pages
from linpoint.cli.output.file_reports import FileReport
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.search_estimate import SearchEstimate
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.cli.prepared_answer import PreparedAnswer
from linpoint.errors import LinpointError
from linpoint.executors.thread_executor import resident_memory
from linpoint.explain.history.explain_verdict import explanation_without_reasons
from linpoint.explain.history.explanation import Explanation
from linpoint.histories.formats import load
from linpoint.histories.formats.reading_progress import ReadingProgress, reporting
from linpoint.histories.history import History
from linpoint.limits._native_limits import ProcessGuard
from linpoint.limits.command_clock import command_budget
from linpoint.limits.deadlines import MemoryIsUpError, deadline, require_room, uninterrupted
from linpoint.limits.process_guard import LimitReachedError, guarding, keep_until_exit
from linpoint.options.commands.check import CheckOptions
from linpoint.specs.spec import Spec
from linpoint.verdicts import Budget, Verdict

_CHECK_GRACE_S: Final = 1.0
"""Seconds beyond the budget after which a deadline stops a check.

The guard of the process waits less where it exists.
"""
_MEGABYTE: Final = 1 << 20


def run(options: CheckOptions) -> int:
    """Check the files, or follow one; return the exit code."""
    files = list(options.files)
    limits = command_budget(options.budget, options.max_memory)
    graph_file.validate(options.graph, files, follow=_follows(options))
    forms = OutputFormats.of(options, graph=options.graph)
    forms.validate(files)
    if options.report is not None:
        prepare_pages()
    standard_streams.keep_stdout()
    before = CheckRequest(options, Spec(options.spec, None, {}), limits, options.initial_value)
    with guarding(limits, resident_memory()) as guard:
        prepared = PreparedAnswer(guard, files, before)
        standard_streams.before_writing(guard.release)
        return _Check(options, files, limits, forms, guard, prepared).run()


def _follows(options: CheckOptions) -> bool:
    return options.follow or options.until_idle is not None


class _Check:
    """One run of the command: its files and limits."""

    def __init__(
        self,
        options: CheckOptions,
        files: list[str],
        limits: Budget,
        forms: OutputFormats,
        guard: ProcessGuard,
        prepared: PreparedAnswer,
    ) -> None:
        self._options = options
        self._files = files
        self._limits = limits
        self._forms = forms
        self._guard = guard
        self._prepared = prepared

    def run(self) -> int:
        """Check the files and report; return the exit code."""
        options, files = self._options, self._files
        found, why = _load_spec(options.spec, options.initial_value, self._limits)
        if why is None:
            graph_file.validate_spec(options.graph, found)
        request = CheckRequest(options, found, self._limits, options.initial_value)
        self._prepared.request = request
        interrupted, more = False, None
        if why is not None:
            reports = [unknown_report(file, request, why) for file in files]
        elif _follows(options):
            for index in range(len(files)):
                self._prepared.undecided(index, "while following it")
            followed, more = follow_files(files, request, options.until_idle if options.follow else "")
            reports = [followed]
        else:
            with progress() as line:
                reports, interrupted = self._check_files(request, line)
        keep_until_exit(reports)
        return write_report(
            CheckReport(reports, request.spec, request.options),
            self._forms,
            self._limits,
            interrupted=interrupted,
            more=more,
        )

    def _check_files(self, request: CheckRequest, line: ProgressLine) -> tuple[list[FileReport], bool]:
        """Check every file. After Ctrl-C the remaining files are unknown, and the second result is true."""
        reports: list[FileReport] = []
        interrupted = False
        for index, file in enumerate(self._files):
            report, interrupted = self._check_file(index, file, request, line)
            self._prepared.report(index, report)
            reports.append(report)
            if interrupted:
                break
            self._guard.resume()
        reports += (unknown_report(file, request, "the run was interrupted") for file in self._files[len(reports) :])
        return reports, interrupted

    def _check_file(self, index: int, file: str, request: CheckRequest, line: ProgressLine) -> tuple[FileReport, bool]:
        """Read and check one file. The report contains every problem; the second result is true after Ctrl-C."""
        reading = ReadingProgress(self._prepared.progress)
        phase = "while reading"
        self._prepared.undecided(index, phase)
        try:
            try:
                require_room(request.budget, resident_memory())
                with deadline(request.budget), reporting(reading):
                    history = load(file, **request.options.reading).with_clock_skew(request.options.skew)
            except LimitReachedError as reached:
                if not isinstance(reached, MemoryIsUpError):
                    keep_until_exit(reached)
                return unknown_report(file, request, f"{reached.why} {phase}{_in_brackets(reading)}"), False
            gc.freeze()  # a history has no cycles, and searching millions of operations for them takes seconds
            phase = "while checking"
            reading.begin(0)
            self._prepared.progress("")
            self._prepared.undecided(index, phase)
            return check_one_history(
                file,
                history,
                request,
                line,
                placed=self._prepared.progress,
                decided=functools.partial(self._prepared.decided, index),
            )
        except KeyboardInterrupt as pressed:
            keep_until_exit(pressed)
            return unknown_report(file, request, f"the run was interrupted {phase}{_in_brackets(reading)}"), True
        except LinpointError as error:
            return FileReport(file, error=error), False


def check_one_history(
    file: str,
    history: History,
    request: CheckRequest,
    line: ProgressLine,
    *,
    placed: Callable[[str], object] = str,
    decided: Callable[[Verdict], object] = id,
) -> tuple[FileReport, bool]:
    """Check one history and explain the verdict within the rest of the budget. The second result is true after Ctrl-C.

    ``placed`` receives the progress of the searches, ``decided`` the verdict before it is explained. A known violation
    stays a violation, whatever happens while it is explained.
    """
    budget = request.budget
    try:
        # The searches stop by themselves at the memory limit and report their progress.
        with deadline(dataclasses.replace(budget, max_memory=None), grace=_CHECK_GRACE_S):
            verdict, interrupted = _decide(file, history, request, line, placed)
    except LimitReachedError as reached:  # in a long history, work before and after the search takes time as well
        keep_until_exit(reached)
        return unknown_report(file, request, f"{reached.why} while checking"), False
    decided(verdict)
    explanation: Explanation | None = None
    try:
        if not interrupted:
            line(f"explaining {file}", at_once=True)
            explanation = explain_within_budget(verdict, budget)
    except KeyboardInterrupt:
        interrupted = True
    drawn = None
    if request.options.graph is not None:
        line(f"drawing {request.options.graph}", at_once=True)
        drawn = graph_file.write_graph(request.options.graph, verdict, budget, interrupted=interrupted)
    with uninterrupted():
        explanation = explanation_without_reasons(verdict) if explanation is None else explanation
        return FileReport(file, explanation, replay_argv(file, explanation, request), graph=drawn), interrupted


def _decide(
    file: str, history: History, request: CheckRequest, line: ProgressLine, placed: Callable[[str], object]
) -> tuple[Verdict, bool]:
    estimate = SearchEstimate()

    def tell(stop: StopToken, total: int) -> None:
        placed(f"{stop.linearized:,} of {total:,} operations placed" if stop.linearized else "")
        words = estimate.progress_text(stop.linearized, total, stop.configurations, stop.memory)
        line(f"checking {file}: {words}")

    return check_with_progress(
        history,
        request.spec,
        checker=request.options.checker,
        condition=request.options.condition,
        budget=request.budget,
        jobs=request.options.jobs,
        paper_rules=request.options.paper_rules,
        progress=tell,
    )


def _load_spec(text: str, initial: Any, budget: Budget) -> tuple[Spec, str | None]:
    """Load the spec. If loading does not finish, return a placeholder with its name, and the reason."""
    stand_in = Spec(text, None, {})
    held = resident_memory()
    if budget.max_memory is not None and held > budget.max_memory:
        return stand_in, f"the memory budget ran out before reading: linpoint itself uses {held / _MEGABYTE:.0f} MB"
    try:
        with deadline(budget):
            return load_spec(text, initial), None
    except LimitReachedError as reached:
        why = f"{reached.why} while loading the spec"
    except KeyboardInterrupt:
        why = "the run was interrupted while loading the spec"
    return stand_in, why


def _in_brackets(reading: ReadingProgress) -> str:
    return f" ({reading})" if str(reading) else ""
