# SPDX-License-Identifier: Apache-2.0
"""The interface between the campaign and any kind of subject.

A ``Subject`` is opened for one campaign. Its ``Session`` searches, proposes smaller failures, reruns a failure and
builds its finding. The loops over phases, shrinking and confirmation are in ``linpoint.campaign``. A session yields the
work that the campaign must do: candidates in ``smaller``, further sessions in ``follow_up``. A ``SearchTask`` holds
everything that another machine would need to carry out a part of a campaign.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, Protocol

from linpoint.limits.search_limits import SearchLimits
from linpoint.verdicts import Status, Verdict
from linpoint.verdicts.coverage import Coverage
from linpoint.verdicts.evidence import HistoryEvidence, NeedlessInstruction
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.schedule import Schedule

NONDETERMINISM: Final = "nondeterminism"
"""The kind of a failure that its own schedule does not reproduce."""


@dataclass(frozen=True, slots=True)
class Search:
    """One search of a phase: its name and its share of the time."""

    name: str
    share: float = 1.0
    """The fraction of the remaining time, or of the whole budget if ``of_whole``."""
    of_whole: bool = False
    least_s: float = 0.0
    """The minimum time in seconds, even if the share is less."""


@dataclass(frozen=True, slots=True)
class Phase:
    """The searches to run on each case in turn."""

    searches: tuple[Search, ...]
    cases: Literal["all", "open"] = "all"
    """The cases to search: all of them, or only those that no search has exhausted."""
    repeat: bool = False
    """Whether to repeat the searches until the time is up."""


@dataclass(frozen=True, slots=True)
class SearchTask:
    """One search of one case."""

    case: Any
    """A case from ``Session.cases``; it may be a batch that one search covers."""
    search: Search
    limits: SearchLimits
    repetition: int = 0
    """The number of the phase's repetition, from 0."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failing run, and the schedule that reproduces it."""

    kind: str
    """The kind of finding, a key of ``FAILURES``."""
    case: Any
    """A scenario, a workload, or None for a subject with only one case."""
    schedule: Schedule
    preemptions: int
    run: Any
    """The run, in a type that the subject defines."""
    verdict: Verdict | None = None
    """The verdict on the run's history, if there is one."""
    message: str = ""
    """One sentence, if it is known before the run is repeated."""
    lost: bool = False
    """Whether the run crashed its process, so that its schedule is unknown."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The rerun of a failure's schedule."""

    run: Any
    failure: Failure | None
    """The failure that the rerun shows."""
    diverged_at: int | None = None
    """The first step at which the schedule could not be followed."""
    trace: Any = None
    """The recorded steps, if recording was requested."""
    others: tuple[Failure, ...] = ()
    """Further failures of the run, each with a different root cause."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The verdict on a subject: at first from its search alone, then with the follow-ups."""

    status: Status
    """LINEARIZABLE stands for any pass."""
    why: str
    exhaustive: bool = False
    models: dict[str, Status] = field(default_factory=dict)
    """The verdict by model, if there is more than one model."""
    advice: tuple[str, ...] = ()
    """How to fix the first finding."""
    remedy: str = ""
    """For UNKNOWN: how to get a verdict."""
    warnings: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    """Counts to add to those of the search."""


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """The progress of a campaign."""

    case: Any = None
    cases: int = 0
    total: int | None = None
    """The number of all cases, if known."""
    executions: int = 0
    operations: int = 0
    depth: int = 0
    estimate: float | None = None
    """The estimated total number of executions."""
    share: float = 0.0
    """The fraction of the time that has passed."""
    text: str = ""
    """The current activity, unless it is a search."""


Progress = Callable[[CampaignProgress], None]


def no_progress(_: CampaignProgress) -> None:
    """Ignore the progress of a campaign."""


@dataclass(frozen=True, slots=True)
class FurtherSearch:
    """A search for a follow-up, in a separate session."""

    session: AbstractContextManager[Session]
    seconds: float
    adds_findings: bool = False
    """Whether its failures are shrunk, confirmed and added to the findings of the campaign."""


@dataclass(frozen=True, slots=True)
class SearchEnd:
    """The outcome of a ``FurtherSearch``."""

    session: Session
    failures: list[Failure]
    findings: Sequence[Finding] = ()
    """The findings that it adds."""


class Session(ABC):
    """A subject while its campaign runs."""

    kind: ClassVar[str]
    """The kind of result: a key of the table of renderers."""
    name: str
    """The name of the subject."""
    file: str | None
    spec_name: str = ""
    condition: str = ""
    default_model: str = ""
    """The model that the status refers to if a claim has no verdicts by model."""
    phases: Sequence[Phase]
    collects: ClassVar[bool] = False
    """Whether the search continues after the first failure."""
    repetitions: ClassVar[tuple[bool, ...]] = (False, True)
    """The runs that confirm a failure: whether each records its steps. Empty if the search confirms failures."""
    shrinking_share: ClassVar[float] = 0.5
    """The fraction of the remaining time."""
    shrinking_least_s: ClassVar[float] = 1.0
    shrinking_runs: ClassVar[int] = 1_000_000
    keeps_kind: ClassVar[bool] = True
    """Whether a smaller failure counts only if it is of the same kind."""
    code_name: ClassVar[str] = "the program"
    """The subject of the sentence on nondeterminism."""
    changed_warning: ClassVar[str] = ""
    """The warning of a replay whose code has changed."""
    searches_again: ClassVar[bool] = False
    """Whether a replay becomes a new campaign if its schedule no longer exists."""
    shows_it: ClassVar[str] = "a schedule fails"
    """The reason for a violation."""
    replay_shows_it: ClassVar[str] = "the schedule fails again"
    gone: ClassVar[str] = "this schedule does not fail"

    def __init__(self, seconds: float) -> None:
        self.started = time.monotonic()
        self.seconds = seconds
        self.interrupted = False
        self.replaying = False
        """Whether the campaign only reruns one schedule, without a search."""

    @property
    def deadline(self) -> float:
        """The end of the budget, on the monotonic clock."""
        return self.started + self.seconds

    @property
    def search_until(self) -> float:
        """The end of the searches; the time after it is for shrinking and confirming."""
        return self.deadline

    @property
    def left(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def done(self) -> bool:
        """Whether further searches would be futile."""
        return False

    def begin(self) -> None:  # noqa: B027 - most need none
        """Do uncounted work before the first search, such as a warm-up run."""

    def prepare(self) -> Iterator[Failure]:
        """Find the input of all searches, such as a workload, before they share the time; yields its failures."""
        yield from ()

    def cases(self, phase: Phase) -> Iterator[Any]:
        """The cases of a phase; by default there is only one."""
        yield None

    @abstractmethod
    def search(self, task: SearchTask) -> Iterator[Failure]:
        """The failures as they are found. Closing the iterator ends the search."""

    def distinct(self, failures: list[Failure]) -> list[Failure]:
        """One failure for each root cause."""
        return failures[:1]

    def smaller(self, failure: Failure, limits: SearchLimits) -> Generator[Any, Failure | None, bool]:
        """Smaller candidates that may show the failure. The caller sends back the failure that each one shows, or None.

        Returns whether the last failure is minimal, so that nothing can be left out of it.
        """
        yield from ()
        return True

    def retry(self, candidate: Any, limits: SearchLimits) -> Failure | None:
        """The failure that a candidate of ``smaller`` shows."""
        raise NotImplementedError

    def shrinking_limits(self, at: int, count: int) -> SearchLimits:
        """The limits for shrinking the failure ``at`` of ``count``."""
        seconds = max(self.shrinking_least_s, self.shrinking_share * self.left)
        return SearchLimits(time.monotonic() + seconds, self.shrinking_runs)

    @abstractmethod
    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Rerun a failure's schedule; None if that is impossible."""

    def is_same(self, failure: Failure, reproduction: Reproduction) -> bool:
        """Whether a run shows the failure again."""
        shown = reproduction.failure
        return reproduction.diverged_at is None and shown is not None and shown.kind == failure.kind

    @abstractmethod
    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """Build the finding of a failure; without a reproduction it has no steps."""

    def shown_by(self, findings: Sequence[Finding], *, replayed: bool) -> str:
        """The reason for a violation with these findings."""
        return self.replay_shows_it if replayed else self.shows_it

    @abstractmethod
    def claim(self) -> Claim:
        """The claim of a search without a finding."""

    def follow_up(self, claim: Claim, failures: list[Failure]) -> Generator[FurtherSearch, SearchEnd, Claim]:
        """The claim with the results of further searches. The session is already closed."""
        yield from ()
        return claim

    @abstractmethod
    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The coverage, with the bounds within which the claim holds."""

    def warnings(self, claim: Claim) -> tuple[str, ...]:
        """The warnings of a claim and of the search itself."""
        return claim.warnings

    def output_counts(self) -> Mapping[str, int] | None:
        """The outputs of complete runs with the number of runs of each, if they were requested."""
        return None

    def undecided_run(self) -> HistoryEvidence | None:
        """The recorded run that ended the campaign because it could not be decided."""
        return None

    def needless_instructions(self) -> tuple[NeedlessInstruction, ...]:
        """Flushes and fences that had no effect."""
        return ()

    # --- replays

    def replay_searches(self, failure: Failure, *, elsewhere: bool) -> Iterator[SearchTask]:
        """Searches to run if the schedule shows no failure.

        ``elsewhere``: whether the code has changed or could not follow the schedule.
        """
        yield from ()

    def replay_claim(self, reproduction: Reproduction | None) -> Claim:
        """The claim of a replay without a finding."""
        return Claim(Status.LINEARIZABLE, self.gone)


class Subject(Protocol):
    """The program or object under test, ready to be opened."""

    def open(self, seconds: float, progress: Progress) -> AbstractContextManager[Session]:
        """Open a session for a campaign of ``seconds``."""
        ...


class OtherSubjectError(Exception):
    """The test needs a different subject, for example because its operations are coroutines.

    The driver starts again with ``subject``.
    """

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.subject = subject
