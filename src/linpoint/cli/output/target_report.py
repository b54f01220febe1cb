# SPDX-License-Identifier: Apache-2.0
"""The answer of ``linpoint test`` over all its tests, for every form in which it is told. A test is a case.

That of ``linpoint refine`` is the same over models, that of ``linpoint crash`` over tests of persistent objects. That of ``linpoint explore`` is one of a single case: the program.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from linpoint.campaign.worker_client import WorkerOutcome
from linpoint.campaign.worker_protocol import RenderedResult, TestRequest, WorkerProgress, rendered_result
from linpoint.cli.output.ci_cases import CiCase, CiNote, CiSuite
from linpoint.cli.output.file_reports import BAD_INPUT, EXIT, print_written, unwritten, worst
from linpoint.cli.output.html_reports import ReportPage, write_pages
from linpoint.cli.output.output_files import WrittenFile
from linpoint.cli.output.terminal import print_error, print_table, print_text
from linpoint.errors import LinpointError
from linpoint.executors.thread_executor import peak_memory
from linpoint.options.commands.test import TestOptions
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.text.phrases import count_noun
from linpoint.text.printable import printable
from linpoint.text.shell_commands import shell_command
from linpoint.verdicts import Budget, Status
from linpoint.verdicts.coverage import coverage_of
from linpoint.verdicts.evidence import ScenarioEvidence, ShownOperation
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result

_EXIT: Final = {status.value: code for status, code in EXIT.items()} | {"holds": EXIT[Status.LINEARIZABLE]}
"""Of a program is said that it holds, since there is no spec."""
_MEASURED: Final = {
    "schedule": ("bounded_schedules", "schedules"),
    "state": ("states",),
    "crash test": ("crash_tests",),
}
"""What is counted, by its names in JSON."""


def split_target(target: str) -> tuple[str, str]:
    """The file and the name of a test or a model in it, which may be missing."""
    file, colon, name = target.rpartition(":")
    return (file, name) if colon and (file.endswith(".py") or "/" not in name) else (target, "")


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """What is to be said of one test, or of a file whose tests could not be listed."""

    file: str
    test: str
    answer: RenderedResult
    command: Sequence[str] = ()
    """The arguments that run it."""
    page: WrittenFile | None = None
    """Its own page, where the report is over several tests."""
    unit: str = "test"
    """What it is."""
    measure: str = "schedule"
    """What is counted of it."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return f"{self.file}:{self.test}" if self.test else self.file

    @property
    def error(self) -> LinpointError | None:
        """What kept it from a verdict, without what a compiler said."""
        told = self.answer.error
        if told is None:
            return None
        message = (told["message"] or "").removesuffix(
            f"\n{self.answer.compiler_output}" if self.answer.compiler_output else ""
        )
        return LinpointError(told["code"] or "LP-T015", message, place=told["place"], remedy=told["remedy"] or "")

    @property
    def code(self) -> int:
        """The exit code that it asks for."""
        bad = self.answer.error is not None or unwritten(self.written)
        return BAD_INPUT if bad else _EXIT[self.answer.status]

    @property
    def written(self) -> dict[str, WrittenFile]:
        """The files that were to be written for this one, by their names in JSON."""
        return {} if self.page is None else {"report": self.page}

    @property
    def covered(self) -> int:
        """How many states of a model were reached, crashes tested, or schedules run, of either kind."""
        statistics = self.answer.document.get("statistics", {})
        names = _MEASURED[self.measure]
        return int(sum(statistics.get(name, 0) for name in names))

    @property
    def seconds(self) -> float:
        """How long it took."""
        return float(self.answer.document.get("statistics", {}).get("seconds", 0.0))

    @property
    def sentence(self) -> str:
        """What was found, or why nothing is known."""
        findings = self.answer.document.get("findings", ())
        return str(findings[0]["message"] if findings else self.answer.document.get("why", ""))

    def document(self) -> dict[str, Any]:
        """Its JSON document."""
        if self.answer.error is not None:
            where = {"file": self.file} | ({self.unit: self.test} if self.test else {})
            return where | {"error": self.answer.error}
        return self.answer.document | {name: each.as_dict() for name, each in self.written.items()}


def told_of(request: TestRequest, outcome: WorkerOutcome) -> ReportEntry:
    """What is to be said of a test whose worker ended like this."""
    answer = outcome.answer if outcome.answer is not None else _died(request, outcome)
    # Of stress there is no page to see more on.
    return ReportEntry(request.file, request.test, answer, () if request.action == "stress" else request.command)


def _died(request: TestRequest, outcome: WorkerOutcome) -> RenderedResult:
    """The answer for a target that took its process with it, or that could not be stopped otherwise."""
    reached = outcome.reached
    scenario = None if reached is None or not reached.scenario else Scenario.from_dict(reached.scenario)
    if outcome.stopped:
        return _rendered(request, _result(request, outcome, Status.UNKNOWN, outcome.died))
    where = " while loading" if scenario is None else f" while running {scenario.describe()}"
    message = f"the test process died{where}: {outcome.died}"
    finding = Finding(
        kind="crash",
        message=message,
        evidence=ScenarioEvidence("" if scenario is None else str(scenario), tuple(_operations(scenario))),
        minimal=False,
    )
    result = _result(request, outcome, Status.VIOLATION, message, (finding,))
    return _rendered(request, result, ["test", *_target(request, scenario)])


def _rendered(request: TestRequest, result: Result, replay: Sequence[str] = ()) -> RenderedResult:
    return rendered_result(result, request.command, page=request.page, replay=replay)


def _result(
    request: TestRequest, outcome: WorkerOutcome, status: Status, why: str, findings: tuple[Finding, ...] = ()
) -> Result:
    """What is known without the worker; the schedules of which it told may be of either kind, and are few."""
    reached = outcome.reached or WorkerProgress()
    return Result(
        subject_kind="test",
        name=request.test or request.file,
        file=request.file,
        status=status,
        why=why,
        findings=findings,
        coverage=coverage_of(
            "test",
            seconds=reached.seconds,
            peak_memory_bytes=peak_memory(),
            bounded_schedules=reached.schedules,
            scenarios=reached.scenarios,
        ),
        models={"free-threaded": status},
    )


def _operations(scenario: Scenario | None) -> Iterator[ShownOperation]:
    if scenario is None:
        return
    yield from (ShownOperation(None, str(call), returned=False) for call in scenario.before)
    for thread, calls in enumerate(scenario.threads):
        yield from (ShownOperation(thread, str(call), returned=False) for call in calls)
    yield from (ShownOperation(None, str(call), returned=False, after=True) for call in scenario.after)


def _target(request: TestRequest, scenario: Scenario | None) -> list[str]:
    """The arguments that run a scenario of a test, or all of it."""
    words = [f"{request.file}:{request.test}" if request.test else request.file]
    options = request.test_options()
    words += TestOptions(spec=options.spec, granularity=options.granularity, backend=options.backend).argv()
    if scenario is None:
        return words
    words += ["--scenario", str(scenario)]
    for option, calls in (("--before", scenario.before), ("--after", scenario.after)):
        words += [option, _text(calls)] if calls else []
    return words


def _text(calls: Sequence[Call]) -> str:
    return "; ".join(map(str, calls))


@dataclass(frozen=True, slots=True)
class ReportList:
    """What is to be said of all tests."""

    told: Sequence[ReportEntry]
    command: str = "linpoint test"

    @property
    def unit(self) -> str:
        """What one of them is: ``test`` or ``model``."""
        return self.told[0].unit if self.told else "test"

    @property
    def measure(self) -> str:
        """What is counted of each."""
        return self.told[0].measure if self.told else "schedule"

    @property
    def code(self) -> int:
        """The exit code that the tests ask for."""
        return worst([each.code for each in self.told] or [EXIT[Status.UNKNOWN]])

    def suites(self) -> list[CiSuite]:
        """For CI systems: a suite for each file."""
        by_file: dict[str, list[ReportEntry]] = {}
        for each in self.told:
            by_file.setdefault(each.file, []).append(each)
        return [_suite(file, tests, self.unit) for file, tests in by_file.items()]

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        parts = [each.document() for each in self.told]
        if len(parts) == 1:
            return {"error": parts[0]["error"]} if "error" in parts[0] else parts[0]
        # A test without a verdict leaves the whole unknown, unless another one is in violation.
        verdicts = [part.get("verdict", Status.UNKNOWN.value) for part in parts] or [Status.UNKNOWN.value]
        code = worst(_EXIT[verdict] for verdict in verdicts)
        return {"verdict": next(each for each in verdicts if _EXIT[each] == code), f"{self.unit}s": parts}

    def show(self, written: Mapping[str, WrittenFile]) -> None:
        """Print it all for people: a table, and what there is to say of those that did not pass."""
        several = len(self.told) > 1
        if several:
            print_table([self.unit, "verdict", f"{self.measure}s", "seconds"], [_row(each) for each in self.told])
        for each in self.told:
            if each.error is not None:
                print_error(str(each.error))
            elif not several or each.code:
                print_text(("\n" if several else "") + each.answer.text)
                if each.answer.replay:
                    if each.command and "report" not in written:
                        print_text(f"HTML report: linpoint {shell_command(_with_report(each.command))}")
                    print_text(f"Replay: linpoint {shell_command(each.answer.replay)}")
                print_written(each.written)
        print_written(written)

    def summaries(self) -> list[str]:
        """A line for each test."""
        return [_summary(each, self.measure) for each in self.told]

    def errors(self) -> Iterator[LinpointError]:
        """What kept tests from a verdict or from having their page."""
        for each in self.told:
            if each.error is not None:
                yield each.error
            yield from (one.error for one in each.written.values() if one.error is not None)

    def with_pages(self, path: str, budget: Budget) -> tuple[ReportList, WrittenFile]:
        """Write the report; the same with what became of the pages of tests, and what became of the one at ``path``."""
        own, whole = write_pages([_own_page(each) for each in self.told], path, budget)
        told = [dataclasses.replace(each, page=page) for each, page in zip(self.told, own, strict=True)]
        return dataclasses.replace(self, told=told), whole


def _with_report(command: Sequence[str]) -> list[str]:
    """The command with a page; what comes after ``--`` is for the compiler."""
    at = command.index("--") if "--" in command else len(command)
    return [*command[:at], "--report", "report.html", *command[at:]]


def _own_page(each: ReportEntry) -> ReportPage:
    make = (lambda: each.answer.page) if each.answer.page else None
    return ReportPage(each.name, each.document, make, beside=bool(each.code))


def _row(each: ReportEntry) -> list[str]:
    if each.error is not None:
        return [each.name, "error", "", ""]
    return [each.name, each.answer.status, f"{each.covered:,}", f"{each.seconds:.1f}"]


def _summary(each: ReportEntry, measure: str) -> str:
    if each.error is not None:
        return printable(f"ERROR {each.name}: {each.error.code}", lines=False)
    why = f": {each.sentence}" if _EXIT[each.answer.status] else ""
    covered = count_noun(each.covered, measure)
    return printable(f"{each.answer.status.upper()} {each.name}: {covered}, {each.seconds:.1f} s{why}", lines=False)


def _suite(file: str, tests: Sequence[ReportEntry], unit: str) -> CiSuite:
    warnings = [warning for each in tests for warning in each.answer.document.get("warnings", ())]
    return CiSuite(file, file, [_case(each) for each in tests], unit, warnings=warnings)


def _case(each: ReportEntry) -> CiCase:
    name = each.test or each.file
    if each.error is not None:
        error = each.error
        note = CiNote("error", error.code, (f"{error.message} {error.remedy}",))
        line = (error.place or "").removeprefix(f"{each.file}:")
        at = int(line) if line.isdecimal() else None
        text = f"{error}\n{each.answer.compiler_output}" if each.answer.compiler_output else str(error)
        return CiCase(name, 0.0, "", at, "error", error.code, error.message, text, note=note)
    answer, message = each.answer, each.sentence
    if not _EXIT[answer.status]:
        return CiCase(name, each.seconds)
    if answer.status == Status.UNKNOWN.value:
        note = CiNote("warning", f"{name} is not decided", (message,))
        return CiCase(name, each.seconds, "", None, "error", "unknown", message, answer.text, answer.replay, note)
    found = answer.document["findings"][0]
    file, _, line = found.get("place", "").rpartition(":")
    note = CiNote("error", f"{found['kind']} in {name}", (message,))
    at = int(line) if line else None
    return CiCase(name, each.seconds, file, at, "failure", found["kind"], message, answer.text, answer.replay, note)
