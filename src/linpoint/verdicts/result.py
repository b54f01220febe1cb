# SPDX-License-Identifier: Apache-2.0
"""The result of a campaign over any kind of subject: its status, the findings, and what was covered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from linpoint.errors import UndecidedError, ViolationError
from linpoint.histories.history import History
from linpoint.text.shell_commands import shell_command
from linpoint.verdicts.coverage import Coverage, coverage_of
from linpoint.verdicts.evidence import HistoryEvidence, HungThread, NeedlessInstruction
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.renderers import render
from linpoint.verdicts.status import Status
from linpoint.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Result:
    """The answer for an object, a program, a model or persistent data, with its findings and coverage.

    A result has no truth value: ``bool(result)`` raises ``TypeError``. Attributes that only other engines set are empty
    or missing.
    """

    __test__ = False  # for pytest, which would collect it under its public name TestResult

    subject_kind: str
    """``test``, ``program``, ``model``, ``crash`` or ``stress``."""
    name: str
    """The name of the test, program or model."""
    status: Status
    """The answer."""
    why: str
    """The reason for the status, in a sentence without a full stop."""
    exhaustive: bool = False
    """Whether every schedule, state or crash state within the bounds was covered."""
    findings: tuple[Finding, ...] = ()
    """The failures that were found."""
    coverage: Coverage = field(default_factory=Coverage)
    """The cost and the counts of the campaign, and their bounds."""
    file: str | None = None
    """The file of the subject; None if it has none."""
    models: Mapping[str, Status] = field(default_factory=dict)
    """The status by model, if there are several; the first one is the status of the result. Tests of Python objects
    have ``"free-threaded"``, which decides, and ``"gil"``."""
    spec: str = ""
    """The name of the spec; empty without one."""
    condition: str = ""
    """The condition that was checked; empty without one."""
    outcomes: Mapping[str, int] | None = None
    """The outputs of complete runs of a program with the number of runs of each, if they were requested."""
    advice: tuple[NeedlessInstruction, ...] = ()
    """Flushes and fences that had no effect."""
    warnings: tuple[str, ...] = ()
    """The reasons why a pass proves less, as sentences."""
    remedy: str = ""
    """For UNKNOWN: how to get a verdict."""
    interrupted: bool = False
    """Whether Ctrl-C ended the campaign; the result then has the facts known at that time."""
    undecided: HistoryEvidence | None = field(default=None, repr=False)
    """For UNKNOWN of a stress test: the run that could not be decided."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a result has three values; compare result.status, or call result.raise_for_violation()")

    def explain(self) -> ResultText:
        """The result as text, JSON and an HTML report."""
        return ResultText(self, render(self, "text"))

    def as_json(self) -> dict[str, Any]:
        """The JSON document of the result."""
        document: dict[str, Any] = render(self, "json")
        return document

    def raise_for_violation(self) -> None:
        """Raise ``ViolationError`` for a violation and ``UndecidedError`` for UNKNOWN; otherwise do nothing."""
        __tracebackhide__ = True  # pytest shows the line of the caller
        if self.status is Status.VIOLATION:
            replay = self._replay_line()
            raise ViolationError(f"{self.text}\n{replay}" if replay else self.text)
        if self.status is Status.UNKNOWN:
            raise UndecidedError(self.text if self.subject_kind == "stress" else f"not decided: {self.why}")

    def _replay_line(self) -> str:
        """The line on how to replay the first finding; empty without a token."""
        finding = self.findings[0]
        if self.subject_kind == "stress":  # its token holds a history and does not rerun the test
            return ""
        if finding.replay_words:
            return f"Replay: {shell_command(['linpoint', *finding.replay_words])}"
        if finding.token and self.subject_kind == "test":
            return f'Replay: replay="{finding.token}"'
        return ""

    # --- aliases

    @property
    def answer(self) -> Status:
        """The status; the usual name for models and programs."""
        return self.status

    @property
    def text(self) -> str:
        """The result as text."""
        return self.explain().text

    @property
    def bounds(self) -> Mapping[str, Any]:
        """The limits of the search, such as preemptions, threads or processes."""
        return self.coverage.bounds

    @property
    def tested(self) -> Coverage:
        """The coverage; the usual name for tests."""
        return self.coverage

    @property
    def explored(self) -> Coverage:
        """The coverage; the usual name for models and programs."""
        return self.coverage

    # --- attributes of stress tests

    @property
    def kind(self) -> str | None:
        """The kind of the first finding of a violation, else None.

        For stress tests: ``"linearizability"``, ``"exception"``, ``"deadlock"`` or ``"livelock"``.
        """
        return self.findings[0].kind if self.findings and self.status is Status.VIOLATION else None

    @property
    def test(self) -> str:
        """The name of the test."""
        return self.name

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the failing or undecided run."""
        return self._run.verdict if self.undecided is not None or not self.findings else self.findings[0].verdict

    @property
    def history(self) -> History | None:
        """The history of the failing or undecided run."""
        return self._run.history

    @property
    def stuck(self) -> tuple[HungThread, ...]:
        """The hung threads of the failing or undecided run.

        Each has ``process``, ``operation`` (or None), ``stack`` (innermost line last) and ``running``.
        """
        return self._run.hung

    @property
    def report(self) -> str:
        """The report of a sanitizer on the failing run."""
        return self._run.report

    @property
    def seconds(self) -> float:
        """The duration in seconds."""
        return self.coverage.seconds

    @property
    def runs(self) -> int:
        """The number of checked runs."""
        return int(self.coverage.runs)

    @property
    def operations(self) -> int:
        """The number of checked operations."""
        return int(self.coverage.operations)

    @property
    def statistics(self) -> Mapping[str, Any]:
        """The cost and all counts.

        Stress tests add measurements such as ``overlapping_pairs``, ``overlapping_runs`` and ``checking_seconds``,
        those of Python objects also ``switch_interval`` and ``gil``.
        """
        return self.coverage.as_dict()

    @property
    def _run(self) -> HistoryEvidence:
        """The failing or undecided run of a stress test."""
        if self.findings:
            return self.findings[0].evidence_as(HistoryEvidence)
        return self.undecided or HistoryEvidence()


def undecided_result(kind: str, name: str, why: str, **facts: Any) -> Result:
    """The result of a campaign without an answer; ``facts`` are further fields of the result."""
    return Result(
        subject_kind=kind, name=name, status=Status.UNKNOWN, why=why, **({"coverage": coverage_of(kind)} | facts)
    )


@dataclass(frozen=True, slots=True)
class ResultText:
    """A rendered result: ``text``, ``as_dict()`` for programs, ``as_html()`` for a browser."""

    result: Result
    text: str

    def __str__(self) -> str:
        return self.text

    def as_dict(self) -> dict[str, Any]:
        """The JSON document of the result."""
        return self.result.as_json()

    def as_html(self, *, command: str = "", replay: str = "") -> str:
        """The result as a self-contained HTML report.

        ``command`` reruns the subject and ``replay`` replays its first finding; the report shows both.
        """
        page: str = render(self.result, "html", command=command, replay=replay)
        return page


TestResult = Result
"""The public name of the result of a test."""
ModelResult = Result
"""The public name of the result for a model."""
StressResult = Result
"""The public name of the result of a stress test."""
