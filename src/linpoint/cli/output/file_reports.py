# SPDX-License-Identifier: Apache-2.0
"""What is said of checked files: the JSON document of the contract, the text for people, the exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from linpoint.cli.output.output_files import WrittenFile
from linpoint.cli.output.terminal import print_error, print_table, print_text
from linpoint.errors import LinpointError
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.history_text import sentence
from linpoint.explain.history.key_summaries import accusation
from linpoint.text.phrases import count_noun
from linpoint.text.printable import printable
from linpoint.text.shell_commands import check_argv, shell_command
from linpoint.verdicts import KeyVerdict, Status

EXIT: Final = {Status.LINEARIZABLE: 0, Status.VIOLATION: 1, Status.UNKNOWN: 3}
BAD_INPUT: Final = 2
_SEVERITY: Final = (BAD_INPUT, EXIT[Status.VIOLATION], EXIT[Status.UNKNOWN], EXIT[Status.LINEARIZABLE])


@dataclass(frozen=True, slots=True)
class FileReport:
    """What is to be said of one file: an explanation, or the error that kept it from a verdict."""

    file: str
    explanation: Explanation | None = None
    replay: tuple[str, ...] = ()
    error: LinpointError | None = None
    graph: WrittenFile | None = None
    """The graph that was asked for."""
    page: WrittenFile | None = None
    """Its own page, where the report is over several files."""

    @property
    def written(self) -> dict[str, WrittenFile]:
        """The files that were to be written for this one, by their names in JSON."""
        return {name: each for name, each in (("graph", self.graph), ("report", self.page)) if each is not None}

    @property
    def code(self) -> int:
        """The exit code that this file asks for."""
        if self.explanation is None or unwritten(self.written):
            return BAD_INPUT
        return EXIT[self.explanation.verdict.status]


def worst(codes: Iterable[int]) -> int:
    """The exit code of a whole whose parts ask for these."""
    return min(codes, key=_SEVERITY.index)


def exit_code(reports: Sequence[FileReport]) -> int:
    """The exit code that all files ask for."""
    return worst(report.code for report in reports)


def unwritten(written: Mapping[str, WrittenFile]) -> bool:
    """Whether a file could not be written."""
    return any(each.error is not None for each in written.values())


def all_documents(reports: Sequence[FileReport]) -> dict[str, Any]:
    """The document of the whole command."""
    if len(reports) == 1:
        return document(reports[0])
    # A file without a verdict leaves the whole unknown, unless another one is in violation.
    statuses = [report.explanation.verdict.status if report.explanation else Status.UNKNOWN for report in reports]
    return {
        "verdict": Status.worst(statuses).value,
        "files": [{"file": report.file, **document(report)} for report in reports],
    }


def document(report: FileReport) -> dict[str, Any]:
    """The JSON document of one file, as the contract has it."""
    if report.explanation is None:
        return {"error": report.error.as_dict() if report.error else {}}
    verdict = report.explanation.verdict
    findings = []
    if verdict.status is Status.VIOLATION:
        findings.append(
            {
                "kind": "linearizability",
                "message": accusation(report.explanation),
                "explanation": report.explanation.as_dict(),
                "replay": list(report.replay),
            }
        )
    return {
        "verdict": verdict.status.value,
        "exhaustive": verdict.status is not Status.UNKNOWN,
        "statistics": verdict.statistics.as_dict(),
        "findings": findings,
        "spec": verdict.spec.name,
        "condition": verdict.condition,
        **({"clock_skew": verdict.history.clock_skew} if verdict.history.clock_skew else {}),
        "checker": verdict.checker,
        "why": verdict.why,
        "keys": [_key_document(key) for key in verdict.keys],
        "warnings": list(verdict.warnings),
        **{name: each.as_dict() for name, each in report.written.items()},
    }


def _key_document(key: KeyVerdict) -> dict[str, Any]:
    data: dict[str, Any] = {"key": key.key, "verdict": key.status.value}
    if key.witness is not None:
        data["witness"] = list(key.witness.order)
        if key.witness.survivors is not None:
            data["survivors"] = list(key.witness.survivors)
            data["eras"] = list(key.witness.eras or ())
    if key.reached is not None:
        data["reached"] = key.reached.as_dict()
    return data


def print_reports(reports: Sequence[FileReport], arguments: Sequence[str], written: Mapping[str, WrittenFile]) -> None:
    """The reports for people; ``arguments`` are the options that a file must be checked with to see the same."""
    if len(reports) > 1:
        print_table(["file", "verdict", "operations", "keys", "seconds"], [_row(report) for report in reports])
    for report in reports:
        if report.error is not None:
            print_error(str(report.error))
        elif report.explanation is not None:
            if len(reports) == 1:
                print_text(report.explanation.text)
            elif report.code:
                print_text(f"\n{printable(report.file, lines=False)}: {sentence(report.explanation)}")
            if report.replay:
                if report.file != "-" and "report" not in written:
                    look = shell_command([*check_argv(report.file, arguments), "--report", "report.html"])
                    print_text(f"HTML report: linpoint {look}")
                print_text(f"Replay: linpoint {shell_command(report.replay)}")
            print_written(report.written)
    print_written(written)


def print_written(written: Mapping[str, WrittenFile]) -> None:
    """What became of files, for people."""
    print_unwritten(written)
    for each in written.values():
        if each.error is None:
            print_text(each.line)


def print_unwritten(written: Mapping[str, WrittenFile]) -> None:
    """The errors of files that could not be written."""
    for each in written.values():
        if each.error is not None:
            print_error(str(each.error))


def summary(report: FileReport) -> str:
    """All that matters of a file in one line."""
    file = printable(report.file, lines=False)
    if report.explanation is None:
        return f"ERROR {file}: {report.error.code if report.error else ''}"
    verdict = report.explanation.verdict
    bad, keys = sum(key.status is Status.VIOLATION for key in verdict.keys), count_noun(len(verdict.keys), "key")
    numbers = [f"{bad:,} of {keys}"] if bad and len(verdict.keys) > 1 else [keys] if len(verdict.keys) > 1 else []
    numbers += [count_noun(verdict.statistics.operations, "operation"), f"{verdict.statistics.seconds:.3f} s"]
    why = "" if verdict.status is Status.LINEARIZABLE else f": {accusation(report.explanation)}"
    return printable(f"{verdict.status.name} {file}: {', '.join(numbers)}{why}", lines=False)


def _row(report: FileReport) -> list[str]:
    if report.explanation is None:
        return [report.file, "error", "", "", ""]
    verdict = report.explanation.verdict
    bad = sum(key.status is Status.VIOLATION for key in verdict.keys)
    keys = f"{bad} of {len(verdict.keys)} in violation" if bad else str(len(verdict.keys))
    numbers = verdict.statistics
    return [report.file, verdict.status.value, f"{numbers.operations:,}", keys, f"{numbers.seconds:.3f}"]
