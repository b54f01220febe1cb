# SPDX-License-Identifier: Apache-2.0
"""Every subject meets the contract of ``subjects/interface`` with the campaign. Scripts stand in for C++ hosts.

The last one, ``transfers``, shows the minimum of a further subject.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint.campaign.driver import run_campaign, search_phases
from linpoint.campaign.shrinking import shrink_failure
from linpoint.limits.search_limits import SearchLimits
from linpoint.options.commands.refine import RefineOptions
from linpoint.refine.model_loading import load_model
from linpoint.refine.refinement_task import RefinementTask
from linpoint.scenarios import definition_of, definition_of_object
from linpoint.specs.spec_lookup import find
from linpoint.subjects.cpp_object.subject import CppObjectSubject
from linpoint.subjects.interface import CampaignProgress, Subject
from linpoint.subjects.model.subject import ModelSubject
from linpoint.subjects.persistent_object.subject import PersistentObjectSubject
from linpoint.subjects.python_object.subject import PythonObjectSubject
from linpoint.subjects.python_program.program import load_program
from linpoint.subjects.python_program.subject import PythonProgramSubject
from linpoint.subjects.stress.python_subject import PythonStressSubject
from linpoint.verdicts import replay_token
from linpoint.verdicts.replay_token import ReplayToken
from linpoint.verdicts.status import Status
from tests.campaign.transfer_subject import TransferSubject
from tests.crash.fake_host_campaigns import fake_test
from tests.explain.checked_models import KINDS, ZOO
from tests.subjects.cpp_object.test_cpp_object_campaign import CLEAN as OBJECT_CLEAN
from tests.subjects.cpp_object.test_cpp_object_campaign import FAILS as OBJECT_FAILS
from tests.subjects.cpp_object.test_cpp_object_campaign import TWO, target
from tests.subjects.cpp_program.test_cpp_program_campaign import CLEAN, FAILS, FEW, SHOWN, program

Make = Callable[[Path, bool], Subject]
SECONDS = 60.0


class Counter(linpoint.ConcurrentTest):
    """A counter that loses updates."""

    spec = "counter"

    def setup(self) -> Any:
        return type("Cell", (), {"value": 0})()

    @linpoint.operation
    def increment(self, cell: Any) -> None:
        before = cell.value
        cell.value = before + 1

    @linpoint.operation
    def read(self, cell: Any) -> int:
        return cell.value


class Locked(Counter):
    """The same counter with a lock."""

    def setup(self) -> Any:
        return type("Cell", (), {"value": 0, "lock": threading.Lock()})()

    @linpoint.operation
    def increment(self, cell: Any) -> None:
        with cell.lock:
            cell.value += 1


class SlowCounter:
    """A counter that lets other threads run between its two steps."""

    def __init__(self) -> None:
        self.value = 0

    def fetch_add(self, n: int) -> int:
        before = self.value
        time.sleep(0.0001)
        self.value = before + n
        return before


class LockedCounter(SlowCounter):
    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def fetch_add(self, n: int) -> int:
        with self._lock:
            return super().fetch_add(n)


PROGRAM = """
import threading
value = 0
lock = threading.Lock()
def add():
    global value
    with {guard}:
        before = value
        value = before + 1
threads = [threading.Thread(target=add) for _ in range(2)]
for each in threads: each.start()
for each in threads: each.join()
assert value == 2
"""


def model(_folder: Path, fails: bool) -> Subject:
    file, name = (str(KINDS), "Lost") if fails else (str(ZOO / "treiber.py"), "Treiber")
    return ModelSubject(RefinementTask.of(RefineOptions(), file, name, load_model(file, name)))


def python_object(_folder: Path, fails: bool) -> Subject:
    scenario = linpoint.Scenario.parse("increment() | increment()", "", "read()")
    return PythonObjectSubject(
        definition=definition_of(Counter if fails else Locked), scenarios=(scenario,), gil_verdict=False
    )


def python_program(folder: Path, fails: bool) -> Subject:
    file = folder / "counting.py"
    file.write_text(PROGRAM.format(guard="threading.Lock()" if fails else "lock"), encoding="utf-8")
    return PythonProgramSubject(load_program(str(file), ()))


def cpp_program(folder: Path, fails: bool) -> Subject:
    return program(folder, bounded=FAILS, replay=SHOWN) if fails else program(folder, bounded=FEW, dpor=CLEAN)


def cpp_object(folder: Path, fails: bool) -> Subject:
    return CppObjectSubject(target(folder, OBJECT_FAILS if fails else OBJECT_CLEAN, *TWO), find("register"))


def persistent_object(folder: Path, fails: bool) -> Subject:
    return PersistentObjectSubject(
        fake_test(folder, {"lost": [3]} if fails else {}, scenario="insert(1, 1); insert(3, 1)")
    )


def stress(_folder: Path, fails: bool) -> Subject:
    definition = definition_of_object(SlowCounter if fails else LockedCounter, {"fetch_add": {"n": [1]}})
    iterations = None if fails else 20
    return PythonStressSubject(definition, linpoint.specs.fetch_add, threads=3, operations=9, iterations=iterations)


def transfers(_folder: Path, fails: bool) -> Subject:
    return TransferSubject((5, 7), locked=not fails)


SUBJECTS = [model, python_object, python_program, cpp_program, cpp_object, persistent_object, stress, transfers]


@pytest.fixture(params=SUBJECTS, ids=lambda each: each.__name__)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[bool], Subject]:
    """``make(fails)``: a subject with a failure, or one without a failure."""
    return lambda fails: request.param(tmp_path, fails)


def test_a_failure_is_found_confirmed_and_reported(make: Callable[[bool], Subject]) -> None:
    result = run_campaign(make(True), SECONDS)
    assert result.status is Status.VIOLATION, result.why
    assert result.findings
    assert not result.exhaustive
    assert result.coverage.seconds > 0
    text = result.explain()
    assert " ".join(result.findings[0].message.split()) in " ".join(text.text.split())
    assert text.as_dict()["findings"]


def test_a_pass_has_no_finding(make: Callable[[bool], Subject]) -> None:
    result = run_campaign(make(False), SECONDS)
    assert result.status.passed, result.why
    assert result.findings == ()
    assert result.why


def test_a_failure_is_reproduced(make: Callable[[bool], Subject]) -> None:
    with make(True).open(SECONDS, lambda _: None) as session:
        failure = session.distinct(search_phases(session))[0]
        for record in session.repetitions:
            shown = session.reproduce(failure, record=record)
            assert shown is not None
            assert session.is_same(failure, shown)


def test_the_token_of_a_failure_is_complete(make: Callable[[bool], Subject]) -> None:
    result = run_campaign(make(True), SECONDS)
    token = result.findings[0].replay_token
    if token is None:  # only the caller's own code can construct the object
        assert (result.subject_kind, result.file) == ("stress", None)
        return
    assert ReplayToken.from_dict(replay_token.decode(token.encode())).encode() == token.encode()


def test_shrinking_respects_its_limits(make: Callable[[bool], Subject]) -> None:
    with make(True).open(SECONDS, lambda _: None) as session:
        failure = session.distinct(search_phases(session))[0]
        best, _ = shrink_failure(session, failure, SearchLimits(time.monotonic()))
        assert best.kind == failure.kind


@pytest.mark.parametrize("fails", [False, True])
def test_an_expired_budget_gives_a_result(make: Callable[[bool], Subject], fails: bool) -> None:
    result = run_campaign(make(fails), 0.0)
    assert result.status in Status
    assert result.status is not Status.VIOLATION or result.findings


def test_ctrl_c_gives_a_result(make: Callable[[bool], Subject]) -> None:
    pressed = False

    def press(_: CampaignProgress) -> None:
        nonlocal pressed
        if not pressed:
            pressed = True
            raise KeyboardInterrupt

    result = run_campaign(make(False), SECONDS, press)
    assert result.interrupted == pressed
    assert result.findings == ()


@pytest.mark.parametrize("fails", [False, True])
def test_counts_never_decrease_and_no_process_is_left(make: Callable[[bool], Subject], fails: bool) -> None:
    subject, before = make(fails), set(threading.enumerate())
    counts: list[int] = []
    run_campaign(subject, SECONDS, lambda reached: counts.append(reached.executions))
    assert counts == sorted(counts)
    left = [each for each in threading.enumerate() if each not in before and not each.daemon]
    assert left == []
