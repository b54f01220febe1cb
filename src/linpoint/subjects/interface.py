# SPDX-License-Identifier: Apache-2.0
"""The interface between the campaign and any kind of subject.

A ``Subject`` is opened for one campaign; its ``Session`` searches, proposes smaller failures, reruns a failure and builds
its finding. It contains no loop over phases, shrinking or confirmation: those are in ``linpoint.campaign``. A session yields
the work that the campaign is to do: candidates in ``smaller``, further sessions in ``follow_up``. A ``SearchTask`` holds
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
    """One search of a phase, by its name, and its share of the time."""

    name: str
    share: float = 1.0
    """Of the remaining time, or of the whole budget if ``of_whole``."""
    of_whole: bool = False
    least_s: float = 0.0
    """The minimum, even if the share is less."""


@dataclass(frozen=True, slots=True)
class Phase:
    """Searches to make of each case in turn."""

    searches: tuple[Search, ...]
    cases: Literal["all", "open"] = "all"
    """All cases, or those that no search has exhausted."""
    repeat: bool = False
    """Until the time is up."""


@dataclass(frozen=True, slots=True)
class SearchTask:
    """One search of one case."""

    case: Any
    """A case that the session gives for the phase; it may be a batch that is searched together."""
    search: Search
    limits: SearchLimits
    repetition: int = 0
    """Of its phase, from 0."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that is wrong, and the schedule that reproduces it."""

    kind: str
    """The kind of finding, a key of ``FAILURES``."""
    case: Any
    """A scenario, a workload, or None for a subject with only one case."""
    schedule: Schedule
    preemptions: int
    run: Any
    """The run in the terms of the subject."""
    verdict: Verdict | None = None
    """Of the run's history, where there is one."""
    message: str = ""
    """One sentence, where it is known before the run is repeated."""
    lost: bool = False
    """The run crashed its process, so that its schedule is not known."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The rerun of a failure's schedule."""

    run: Any
    failure: Failure | None
    """The failure that the rerun shows."""
    diverged_at: int | None = None
    """The first step at which the schedule could not be followed."""
    trace: Any = None
    """The recorded steps, if they were to be recorded."""
    others: tuple[Failure, ...] = ()
    """Further failures of the run, each with a root cause of its own."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The verdict on a subject: at first from its search alone, then with the follow-ups."""

    status: Status
    """LINEARIZABLE stands for any pass."""
    why: str
    exhaustive: bool = False
    models: dict[str, Status] = field(default_factory=dict)
    """The verdict by model, where there is more than one."""
    advice: tuple[str, ...] = ()
    """How to fix the first finding."""
    remedy: str = ""
    """For UNKNOWN: what to do about it."""
    warnings: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    """To be added to those of the search."""


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """How far a campaign is."""

    case: Any = None
    cases: int = 0
    total: int | None = None
    """The number of all cases, if it is known."""
    executions: int = 0
    operations: int = 0
    depth: int = 0
    estimate: float | None = None
    """The estimated number of executions in all."""
    share: float = 0.0
    """Of the time."""
    text: str = ""
    """The current activity, if it is not a search."""


Progress = Callable[[CampaignProgress], None]


def no_progress(_: CampaignProgress) -> None:
    """Ignore the progress of a campaign."""


@dataclass(frozen=True, slots=True)
class FurtherSearch:
    """A search for a follow-up, in a session of its own."""

    session: AbstractContextManager[Session]
    seconds: float
    adds_findings: bool = False
    """Its failures are shrunk and confirmed, and become findings of the campaign."""


@dataclass(frozen=True, slots=True)
class SearchEnd:
    """The end of a ``FurtherSearch``."""

    session: Session
    failures: list[Failure]
    findings: Sequence[Finding] = ()
    """Those that it adds."""


class Session(ABC):
    """A subject while its campaign runs."""

    kind: ClassVar[str]
    """The kind of result, a row of the table of renderers."""
    name: str
    """Of the subject."""
    file: str | None
    spec_name: str = ""
    condition: str = ""
    default_model: str = ""
    """The model of which the status holds where a claim has no verdicts by model."""
    phases: Sequence[Phase]
    collects: ClassVar[bool] = False
    """The search goes on after the first failure."""
    repetitions: ClassVar[tuple[bool, ...]] = (False, True)
    """How a failure is confirmed: by runs without or with its steps recorded. None if the search confirms it already."""
    shrinking_share: ClassVar[float] = 0.5
    """Of the time that is left."""
    shrinking_least_s: ClassVar[float] = 1.0
    shrinking_runs: ClassVar[int] = 1_000_000
    keeps_kind: ClassVar[bool] = True
    """A smaller failure counts only if it is of the same kind."""
    code_name: ClassVar[str] = "the program"
    """The subject of the sentence on nondeterminism."""
    changed_warning: ClassVar[str] = ""
    """Of a replay, where the code is not what it was."""
    searches_again: ClassVar[bool] = False
    """A replay whose schedule does not exist any more is a new campaign."""
    shows_it: ClassVar[str] = "a schedule shows it"
    """Why there is a violation."""
    replay_shows_it: ClassVar[str] = "the schedule shows it"
    gone: ClassVar[str] = "this schedule shows nothing wrong (any more)"

    def __init__(self, seconds: float) -> None:
        self.started = time.monotonic()
        self.seconds = seconds
        self.interrupted = False
        self.replaying = False
        """The campaign runs one schedule again and makes no search of its own."""

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
        """Further searches would be futile."""
        return False

    def begin(self) -> None:  # noqa: B027 - most need none
        """Work before the first search that is not counted, such as a run to warm up."""

    def prepare(self) -> Iterator[Failure]:
        """Find the input of all searches, such as a workload, before they share the time; it may fail by itself."""
        yield from ()

    def cases(self, phase: Phase) -> Iterator[Any]:
        """The cases of a phase; by default there is only one."""
        yield None

    @abstractmethod
    def search(self, task: SearchTask) -> Iterator[Failure]:
        """Failures, as they are found. The search ends when the iterator is closed."""

    def distinct(self, failures: list[Failure]) -> list[Failure]:
        """One failure for each root cause."""
        return failures[:1]

    def smaller(self, failure: Failure, limits: SearchLimits) -> Generator[Any, Failure | None, bool]:
        """Smaller candidates that may show the failure; each is answered with the failure of its kind that it shows.

        Returns whether the last failure is minimal: nothing can be left out of it.
        """
        yield from ()
        return True

    def retry(self, candidate: Any, limits: SearchLimits) -> Failure | None:
        """The failure that a candidate of ``smaller`` shows."""
        raise NotImplementedError

    def shrinking_limits(self, at: int, count: int) -> SearchLimits:
        """For the failure ``at`` of ``count``."""
        seconds = max(self.shrinking_least_s, self.shrinking_share * self.left)
        return SearchLimits(time.monotonic() + seconds, self.shrinking_runs)

    @abstractmethod
    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Rerun a failure's schedule; None if that is not possible."""

    def is_same(self, failure: Failure, reproduction: Reproduction) -> bool:
        """Whether a run shows the failure again."""
        shown = reproduction.failure
        return reproduction.diverged_at is None and shown is not None and shown.kind == failure.kind

    @abstractmethod
    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """The finding of a failure; without a reproduction it has no steps."""

    def shown_by(self, findings: Sequence[Finding], *, replayed: bool) -> str:
        """Why there is a violation, with these findings."""
        return self.replay_shows_it if replayed else self.shows_it

    @abstractmethod
    def claim(self) -> Claim:
        """The claim of a search without a finding."""

    def follow_up(self, claim: Claim, failures: list[Failure]) -> Generator[FurtherSearch, SearchEnd, Claim]:
        """The claim with the results of further searches. The session is closed by then."""
        yield from ()
        return claim

    @abstractmethod
    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """What was covered, with the bounds within which the claim holds."""

    def warnings(self, claim: Claim) -> tuple[str, ...]:
        """The warnings of a claim, and those that the search itself gives."""
        return claim.warnings

    def output_counts(self) -> Mapping[str, int] | None:
        """The outputs of complete runs, and the number of runs of each, if they were to be collected."""
        return None

    def undecided_run(self) -> HistoryEvidence | None:
        """The recorded run that ended the campaign because it could not be decided."""
        return None

    def needless_instructions(self) -> tuple[NeedlessInstruction, ...]:
        """Flushes and fences that changed nothing."""
        return ()

    # --- replays

    def replay_searches(self, failure: Failure, *, elsewhere: bool) -> Iterator[SearchTask]:
        """Searches to make if the schedule shows nothing.

        ``elsewhere``: the code has changed, or it could not follow the schedule.
        """
        yield from ()

    def replay_claim(self, reproduction: Reproduction | None) -> Claim:
        """The claim of a replay without a finding."""
        return Claim(Status.LINEARIZABLE, self.gone)


class Subject(Protocol):
    """A thing under test, ready to be opened."""

    def open(self, seconds: float, progress: Progress) -> AbstractContextManager[Session]:
        """A session for a campaign of ``seconds``."""
        ...


class OtherSubjectError(Exception):
    """The subject turns out to be another one, such as a test whose operations are coroutines.

    The driver begins again with that one.
    """

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.subject = subject
