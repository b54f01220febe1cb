# SPDX-License-Identifier: Apache-2.0
"""The answer of ``linpoint check`` over all its files, for every form in which it is told.

A key is a case. Cost of the suites: O(keys + operations of the keys in violation).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from linpoint.cli.output.ci_cases import CiCase, CiNote, CiSuite
from linpoint.cli.output.file_reports import FileReport, all_documents, document, exit_code, print_reports, summary
from linpoint.cli.output.html_reports import ReportPage, write_pages
from linpoint.cli.output.output_files import WrittenFile
from linpoint.errors import LinpointError
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.key_summaries import accusation, in_violation, key_name, key_text, line_of, reason
from linpoint.explain.history.reasons import CAUSES
from linpoint.options.commands.check import CheckOptions
from linpoint.specs.spec import Spec
from linpoint.text.shell_commands import check_argv, shell_command
from linpoint.verdicts import Budget, KeyVerdict, Status


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The reports on all files, and what they were checked with."""

    command: ClassVar[str] = "linpoint check"

    reports: Sequence[FileReport]
    spec: Spec
    options: CheckOptions

    @property
    def code(self) -> int:
        """The exit code that the files ask for."""
        return exit_code(self.reports)

    def suites(self) -> list[CiSuite]:
        """For CI systems."""
        return suites_of(self.reports, self.spec.name)

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return all_documents(self.reports)

    def show(self, written: Mapping[str, WrittenFile]) -> None:
        """Print it all for people."""
        print_reports(self.reports, self.options.argv(), written)

    def summaries(self) -> list[str]:
        """A line for each file."""
        return [summary(report) for report in self.reports]

    def errors(self) -> Iterator[LinpointError]:
        """What kept files from a verdict or from being written."""
        for report in self.reports:
            if report.error is not None:
                yield report.error
            yield from (each.error for each in report.written.values() if each.error is not None)

    def with_pages(self, path: str, budget: Budget) -> tuple[CheckReport, WrittenFile]:
        """Write the report; the same with what became of the pages of files, and what became of the one at ``path``."""
        arguments = self.options.argv()
        pages = [_own_page(report, arguments) for report in self.reports]
        own, whole = write_pages(pages, path, budget)
        reports = [dataclasses.replace(report, page=page) for report, page in zip(self.reports, own, strict=True)]
        return dataclasses.replace(self, reports=reports), whole


def prepare_pages() -> None:
    """Load what pages are made with: after Ctrl-C or at the end of a budget there is only a moment for that."""
    from linpoint.explain.history.history_page import TEMPLATES  # noqa: PLC0415 - only who asks for a page is to wait for it
    from linpoint.explain.pages.page_renderer import load_templates  # noqa: PLC0415 - as above

    load_templates([*TEMPLATES, "overview.html"])


def _own_page(report: FileReport, arguments: Sequence[str]) -> ReportPage:
    explanation = report.explanation
    if explanation is None:
        return ReportPage(report.file, lambda: document(report))
    return ReportPage(
        report.file, lambda: document(report), lambda: _page(report, explanation, arguments), beside=bool(report.code)
    )


def _page(report: FileReport, explanation: Explanation, arguments: Sequence[str]) -> str:
    from linpoint.explain.history.history_page import history_page  # noqa: PLC0415 - only who asks for a page is to wait for it

    command = "" if report.file == "-" else f"linpoint {shell_command(check_argv(report.file, arguments))}"
    replay = f"linpoint {shell_command(report.replay)}" if report.replay else ""
    return history_page(explanation, file=report.file, arguments=arguments, command=command, replay=replay)


def suites_of(reports: Sequence[FileReport], spec: str) -> list[CiSuite]:
    """A suite for each file; ``spec`` is what those were checked against that could not be read."""
    return [_suite(report, spec) for report in reports]


def _suite(report: FileReport, spec: str) -> CiSuite:
    if report.explanation is None:
        cases = [] if report.error is None else [_bad_input(report.file, report.error)]
        return CiSuite(report.file, f"{spec}: {report.file}", cases, "key")
    verdict = report.explanation.verdict
    properties = {"condition": verdict.condition, "checker": verdict.checker, "why": verdict.why}
    cases = list(_cases(report, report.explanation))
    return CiSuite(report.file, f"{verdict.spec.name}: {report.file}", cases, "key", properties, verdict.warnings)


def _cases(report: FileReport, explanation: Explanation) -> Iterator[CiCase]:
    verdict = explanation.verdict
    explained = next(iter(in_violation(explanation)), None)
    undecided = next((key for key in verdict.keys if key.status is Status.UNKNOWN), None)
    # Keys are checked together, so each gets the part of the time that its operations are of all.
    whole = sum(len(key.positions) for key in verdict.keys) or 1
    for key in verdict.keys:
        name, part = key_name(key.key), len(key.positions) / whole if len(verdict.keys) > 1 else 1
        seconds = verdict.statistics.seconds * part
        match key.status:
            case Status.LINEARIZABLE:
                yield CiCase(name, seconds)
            case Status.UNKNOWN:
                # An undecided file gets one warning, and one in violation only the violation.
                noted = verdict.status is Status.UNKNOWN and key is undecided
                yield _undecided(explanation, key, seconds, noted=noted)
            case Status.VIOLATION:
                yield _violation(explanation, key, report.replay, seconds, explained=key is explained)


def _undecided(explanation: Explanation, key: KeyVerdict, seconds: float, *, noted: bool) -> CiCase:
    verdict, why = explanation.verdict, reason(explanation.verdict, key)
    text = explanation.text if verdict.status is Status.UNKNOWN and len(verdict.keys) == 1 else why
    note = CiNote("warning", "not decided", (accusation(explanation),)) if noted else None
    return CiCase(
        key_name(key.key), seconds, wrong="error", kind="unknown", message=why, text=text, note=note, foremost=noted
    )


def _violation(
    explanation: Explanation, key: KeyVerdict, replay: Sequence[str], seconds: float, *, explained: bool
) -> CiCase:
    verdict, why = explanation.verdict, reason(explanation.verdict, key)
    title = f"violation of {verdict.spec.name}" + ("" if key.key is None else f", {key_name(key.key)}")
    if explained:
        line, message, text, lines = (
            line_of(explanation),
            accusation(explanation),
            explanation.text,
            _lines(explanation),
        )
    else:
        line, message, text, lines = line_of(explanation, key=key), why, key_text(verdict, key), (why,)
    return CiCase(
        key_name(key.key),
        seconds,
        line=line,
        wrong="failure",
        kind="linearizability",
        message=message,
        text=text,
        replay=replay if explained else (),
        note=CiNote("error", title, lines),
        foremost=explained,
    )


def _lines(explanation: Explanation) -> tuple[str, ...]:
    lines = [accusation(explanation)]
    if explanation.pattern is not None:
        lines.append(f"Reason: {explanation.pattern.sentence}.")
    if explanation.causes:
        lines.append(f"Likely cause (a guess): {CAUSES[explanation.causes[0].cause]}.")
    return tuple(lines)


def _bad_input(file: str, error: LinpointError) -> CiCase:
    line = (error.place or "").removeprefix(f"{file}:")
    return CiCase(
        key_name(None),
        line=int(line) if line.isdecimal() else None,
        wrong="error",
        kind=error.code,
        message=error.message,
        text=str(error),
        note=CiNote("error", error.code, (f"{error.message} {error.remedy}",)),
    )
