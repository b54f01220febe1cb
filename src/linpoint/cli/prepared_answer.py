# SPDX-License-Identifier: Apache-2.0
"""The answer that the guard of the process gives when ``linpoint check`` itself cannot answer in time.

The answer has one part per file. A part is rebuilt whenever more is known about its file, so that no verdict is lost.
Placeholders stand for facts that are known only at the end: the limit, the progress of reading and the peak memory. The
prepared answer contains less than the answer of the command: no witness, and no explanation of a violation. Cost: one
document per part, independent of the size of the history.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from typing import Final

from linpoint.cli.check_request import CheckRequest, unknown_report
from linpoint.cli.output import standard_streams
from linpoint.cli.output.file_reports import FileReport, document, summary
from linpoint.cli.output.terminal import encode_json
from linpoint.explain.history.explain_verdict import explanation_without_reasons
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.history_text import sentence
from linpoint.limits._native_limits import ProcessGuard
from linpoint.limits.process_guard import LIMIT_MARK, PEAK_MARK, PROGRESS_MARK
from linpoint.text.printable import printable
from linpoint.text.shell_commands import check_argv, shell_command
from linpoint.verdicts import KeyVerdict, Status, Verdict

_CLEAR_LINE: Final = b"\r\x1b[2K\x1b[?25h"
"""Clears the progress line of a terminal and restores the cursor."""


class PreparedAnswer:
    """The parts of all files. At first every file is undecided."""

    def __init__(self, guard: ProcessGuard, files: Sequence[str], request: CheckRequest) -> None:
        self._guard = guard
        self._files = files
        self.request = request
        self._statuses: list[Status | None] = [Status.UNKNOWN] * len(files)
        self._frame()
        for index in range(len(files)):
            self.undecided(index, "before reading it" if index else "while loading the spec")

    def undecided(self, index: int, phase: str) -> None:
        """Prepare for the case that a limit is reached while the file at ``index`` is in this phase."""
        report = unknown_report(self._files[index], self.request, f"{LIMIT_MARK} {phase}{PROGRESS_MARK}")
        self.report(index, report)

    def decided(self, index: int, verdict: Verdict) -> None:
        """Prepare the answer for a verdict on the file at ``index`` that is not explained yet."""
        light = dataclasses.replace(verdict, keys=tuple(map(_without_evidence, verdict.keys)))
        file = self._files[index]
        if verdict.status is not Status.VIOLATION:
            found = dataclasses.replace(explanation_without_reasons(verdict), verdict=light)
            self.report(index, FileReport(file, found))
            return
        bad = next(key for key in light.keys if key.status is Status.VIOLATION)
        found = Explanation(light, bad.key)
        found = dataclasses.replace(found, text=f"{sentence(found)}\nNo time was left to explain it.")
        self.report(index, FileReport(file, found, check_argv(file, self.request.options.argv())))

    def report(self, index: int, report: FileReport) -> None:
        """Replace the part of the file at ``index``."""
        status = None if report.explanation is None else report.explanation.verdict.status
        if status is not self._statuses[index]:
            self._statuses[index] = status
            self._frame()
        self._guard.part(index, self._text(report).encode(errors="backslashreplace"), report.code)

    def progress(self, words: str) -> None:
        """Update the progress of reading or searching."""
        self._guard.progress(f" ({words})".encode() if words else b"")

    def _text(self, report: FileReport) -> str:
        if report.explanation is not None:
            verdict = report.explanation.verdict
            statistics = dataclasses.replace(verdict.statistics, peak_memory_bytes=PEAK_MARK)
            verdict = dataclasses.replace(verdict, statistics=statistics)
            report = dataclasses.replace(report, explanation=dataclasses.replace(report.explanation, verdict=verdict))
        if self.request.options.json:
            name = {} if len(self._files) == 1 else {"file": report.file}
            return encode_json(name | document(report)).decode()
        if report.error is not None:
            return f"ERROR {printable(report.file, lines=False)}: {printable(str(report.error), lines=False)}"
        if report.explanation is None or self.request.options.summary or len(self._files) > 1:
            return summary(report)
        if report.explanation.verdict.history.operations:
            again = f"\nReplay: linpoint {shell_command(report.replay)}" if report.replay else ""
            return printable(report.explanation.text) + again
        return printable(sentence(report.explanation))

    def _frame(self) -> None:
        before, between, after = "", "\n", "\n"
        if self.request.options.json and len(self._files) > 1:
            worst = Status.worst([status or Status.UNKNOWN for status in self._statuses])
            before, between, after = f'{{"verdict":"{worst.value}","files":[', ",", "]}\n"
        errors = _CLEAR_LINE if sys.stderr.isatty() else b""
        self._guard.frame(before.encode(), between.encode(), after.encode(), errors, *standard_streams.descriptors())


def _without_evidence(key: KeyVerdict) -> KeyVerdict:
    return dataclasses.replace(key, witness=None, refutation=None, reached=None)
