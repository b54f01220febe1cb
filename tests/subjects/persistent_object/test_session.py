# SPDX-License-Identifier: Apache-2.0
"""The campaign of a persistent object through its session: phases, shared time, replays, Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from linpoint.campaign.driver import replay_finding, run_campaign, search_tasks
from linpoint.crash.crash_run import CrashRun, CrashRunner
from linpoint.subjects.interface import CampaignProgress, Failure, no_progress
from linpoint.subjects.persistent_object.crash_token import read_token
from linpoint.subjects.persistent_object.subject import PersistentObjectSession, PersistentObjectSubject
from tests.crash.fake_host_campaigns import fake_test

SECONDS = 20.0
LOST = {"lost": [3]}


def subject_of(folder: Path, manner: dict[str, Any], **options: Any) -> PersistentObjectSubject:
    scenario = "; ".join(f"insert({key}, {key + 10}); get({key})" for key in range(1, 9))
    return PersistentObjectSubject(fake_test(folder, manner, **{"scenario": scenario} | options))


def searched(session: PersistentObjectSession) -> list[Failure]:
    """The failures of the first phase."""
    assert not list(session.prepare())
    return list(session.search(next(iter(search_tasks(session)))))


def test_a_failure_is_reproduced_and_its_token_decodes_to_the_same_failure(tmp_path: Path) -> None:
    with subject_of(tmp_path, LOST).open(SECONDS, no_progress) as session:
        (failure,) = session.distinct(searched(session))
        shown = session.reproduce(failure, record=True)
        assert shown is not None
        assert session.is_same(failure, shown)
        again = read_token(session.to_token(failure)).failure
        assert (again.kind, again.case) == (failure.kind, failure.case)
        repeated = session.reproduce(again, record=True)
        assert repeated is not None
        assert session.is_same(failure, repeated)


def test_crash_tests_are_counted_once_and_never_decrease(tmp_path: Path) -> None:
    counts: list[int] = []

    def watch(reached: CampaignProgress) -> None:
        if not reached.text:
            counts.append(reached.executions)

    with subject_of(tmp_path, {}).open(SECONDS, watch) as session:
        assert not searched(session)
        assert session.tested.tests.total() == 48
    assert counts == sorted(counts)
    assert counts[-1] == 48


class EndedTests:
    """Crash tests that have ended, with their results."""

    def __init__(self, run: CrashRun, events: Sequence[Any] = ()) -> None:
        self.run, self._events = run, events

    def __iter__(self) -> Iterator[Any]:
        yield from self._events


def test_no_phase_starts_if_the_workload_fails_without_a_crash(tmp_path: Path) -> None:
    with subject_of(tmp_path, {"fails": "crash"}).open(SECONDS, no_progress) as session:
        (failure,) = session.prepare()
        assert failure.kind == "crash"
        assert session.done


def test_the_search_leaves_time_for_shrinking(tmp_path: Path) -> None:
    with subject_of(tmp_path, {}).open(SECONDS, no_progress) as session:
        assert not list(session.prepare())
        left = session.deadline - time.monotonic()
        assert session.search_until - time.monotonic() == pytest.approx(0.7 * left, abs=0.5)
        shares = [session.shrinking_limits(at, 4).seconds() for at in range(4)]
    assert shares == pytest.approx([left / 4, left / 3, left / 2, left], abs=0.5)


def test_only_the_first_causes_have_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linpoint.subjects.persistent_object.subject._MAX_FINDINGS", 0)
    with subject_of(tmp_path, LOST).open(SECONDS, no_progress) as session:
        assert session.distinct(searched(session)) == []
        assert len(session.causes) == 1


@pytest.mark.parametrize("at", ["prepare", "search", "retry"])
def test_ctrl_c_ends_with_what_is_known(at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_tests = CrashRunner.test

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    def interrupted_run(self: CrashRunner, *args: Any, **options: Any) -> EndedTests:
        events = run_tests(self, *args, **options)
        ended = EndedTests(events.run, list(events))
        ended.run.reply.interrupted = True
        return ended

    if at == "search":  # the hosts are stopped, and their messages are kept
        monkeypatch.setattr(CrashRunner, "test", interrupted_run)
    else:
        monkeypatch.setattr(PersistentObjectSession, at, interrupt)
    result = run_campaign(subject_of(tmp_path, LOST), SECONDS)
    assert result.interrupted
    if at == "prepare":
        assert result.status.value == "unknown"
        assert result.why == "the run was interrupted before any crash was tested"
        assert not result.findings
        return
    assert result.status.value == "violation"
    (finding,) = result.findings
    assert not finding.minimal
    assert finding.replay_words


def test_a_spent_budget_gives_a_result(tmp_path: Path) -> None:
    result = run_campaign(subject_of(tmp_path, {}), 0.0)
    assert result.status.value in ("holds", "unknown")
    assert result.why


def test_a_replay_with_other_crashes_reports_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = subject_of(tmp_path, LOST, tests=("c2",))
    with subject.open(SECONDS, no_progress) as session:
        (failure,) = session.distinct(searched(session))
        token = read_token(session.to_token(failure))
    monkeypatch.setattr(CrashRunner, "state", lambda self, plan, _, seconds: EndedTests(self.trace(plan, seconds)))
    result = replay_finding(subject, token.failure, SECONDS, changed=True)
    assert result.status.value == "violation"
    assert result.why == "a crash state fails"
    assert result.warnings == (
        "the target has changed since the finding, so the crash state may not apply",
        "the crash state itself does not fail, but others of its kind do",
    )
