# SPDX-License-Identifier: Apache-2.0
"""Drives a subject under test from search to result: search, shrink, confirm, conclude, follow up.

Guarantee: after Ctrl-C or the end of the time there is a result with the facts known so far. The schedule of each
finding reproduced it as often as its subject requires; otherwise its kind is nondeterminism.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace

from linpoint.campaign.conclusion import build_result, conclude
from linpoint.campaign.confirmation import confirm_failure
from linpoint.campaign.phases import PhaseClock
from linpoint.campaign.shrinking import shrink_failure
from linpoint.processes.orphan_guard import shared_guard
from linpoint.subjects.interface import (
    Claim,
    Failure,
    FurtherSearch,
    OtherSubjectError,
    Progress,
    Reproduction,
    SearchEnd,
    SearchTask,
    Session,
    Subject,
    no_progress,
)
from linpoint.verdicts import Status
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result


def run_campaign(subject: Subject, seconds: float, progress: Progress = no_progress) -> Result:
    """Search a subject for failures within ``seconds``, and return the result."""
    try:
        with shared_guard():
            return _campaign(subject, seconds, progress)
    except OtherSubjectError as other:
        replacement: Subject = other.subject
        return run_campaign(replacement, seconds, progress)


def _campaign(subject: Subject, seconds: float, progress: Progress) -> Result:
    with subject.open(seconds, progress) as session:
        findings, failures = _find(session)
        claim = conclude(session, findings)
    return build_result(session, _followed_up(session, session.follow_up(claim, failures), findings), findings)


def _find(session: Session) -> tuple[list[Finding], list[Failure]]:
    """Search, shrink and confirm; returns the findings and their failures."""
    failures = session.distinct(search_phases(session))
    findings = []
    for at, failure in enumerate(failures):
        best, minimal = shrink_failure(session, failure, session.shrinking_limits(at, len(failures)))
        failures[at] = best
        findings.append(confirm_failure(session, best, minimal=minimal))
    return findings, failures


def replay_finding(
    subject: Subject,
    failure: Failure,
    seconds: float,
    *,
    changed: bool,
    progress: Progress = no_progress,
) -> Result:
    """Rerun a failure's schedule. ``changed``: whether the code has changed since the finding.

    If the schedule no longer fails, as after a fix, the result is a pass whose reason states its meaning.
    """
    try:
        with shared_guard():
            return _replay(subject, failure, seconds, progress, changed=changed)
    except OtherSubjectError as other:
        replacement: Subject = other.subject
        return replay_finding(replacement, failure, seconds, changed=changed, progress=progress)


def _replay(subject: Subject, failure: Failure, seconds: float, progress: Progress, *, changed: bool) -> Result:
    with subject.open(seconds, progress) as session:
        session.replaying = True
        warnings = [session.changed_warning] if changed else []
        session.begin()
        shown = _reproduced(session, failure)
        if shown is None and session.searches_again and not session.interrupted:
            session.replaying = False
            warnings += [] if failure.lost else [session.changed_warning]
            findings, _ = _find(session)
            claim = conclude(session, findings)
            return build_result(session, replace(claim, warnings=(*warnings, *claim.warnings)), findings)
        diverged = None if shown is None else shown.diverged_at
        if diverged is not None and not changed:
            warnings.append(f"the schedule could not be followed from step {diverged} on")
        first, failures = shown, [] if shown is None or shown.failure is None else [shown.failure, *shown.others]
        if not failures and not (session.done or session.interrupted):
            tasks = session.replay_searches(failure, elsewhere=changed or diverged is not None)
            try:
                _collect(session, (each for task in tasks for each in session.search(task)), failures)
            except KeyboardInterrupt:
                session.interrupted = True
            first, failures = None, session.distinct(failures) if session.collects else failures
        findings = [confirm_failure(session, each, minimal=True, first=first) for each in failures]
        if findings:
            claim = conclude(session, findings, replayed=True)
        elif session.interrupted:
            claim = Claim(Status.UNKNOWN, "the run was interrupted")
        else:
            claim = session.replay_claim(shown)
    return build_result(session, replace(claim, warnings=(*warnings, *claim.warnings)), findings)


def _reproduced(session: Session, failure: Failure) -> Reproduction | None:
    """The first run of a replay; None if it is impossible or Ctrl-C ended it."""
    if session.done:
        return None
    try:
        return session.reproduce(failure, record=next(iter(session.repetitions), True))
    except KeyboardInterrupt:
        session.interrupted = True
        return None


def search_phases(session: Session) -> list[Failure]:
    """The failures that the phases of a session find; only the first one, unless the session collects them."""
    failures: list[Failure] = []
    try:
        session.begin()
        _collect(session, _searched(session), failures)
    except KeyboardInterrupt:
        # The process that started this one may send the same signal when the time is up.
        session.interrupted = session.interrupted or session.left > 0
    return failures


def _searched(session: Session) -> Iterator[Failure]:
    yield from session.prepare()
    for task in search_tasks(session):
        yield from session.search(task)


def _collect(session: Session, found: Iterable[Failure], failures: list[Failure]) -> None:
    """Append the found failures; only the first one, unless the session collects them."""
    for failure in found:
        failures.append(failure)
        if not session.collects:
            return


def search_tasks(session: Session) -> Iterator[SearchTask]:
    """The searches of all phases in order, each with its limits, until the session is done."""
    clock = PhaseClock(session.seconds, session.search_until)
    for phase in session.phases:
        for repetition in itertools.count():
            if phase.repeat and clock.over():
                break
            tried = False
            for case in session.cases(phase):
                for search in phase.searches:
                    if session.done:
                        return
                    tried = True
                    yield SearchTask(case, search, clock.limits(search), repetition)
            if session.done or not (tried and phase.repeat):
                break


def _followed_up(
    session: Session,
    steps: Generator[FurtherSearch, SearchEnd, Claim],
    findings: list[Finding],
) -> Claim:
    """Run the follow-up searches of a session, which may add findings, and return its final claim."""
    try:
        wanted = next(steps)
        while True:
            with wanted.session as other:
                added, failures = _find(other) if wanted.adds_findings else ([], search_phases(other))
                findings += added
            session.interrupted = session.interrupted or other.interrupted
            wanted = steps.send(SearchEnd(other, failures, added))
    except StopIteration as end:
        claim: Claim = end.value
        return claim
