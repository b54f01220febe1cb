# SPDX-License-Identifier: Apache-2.0
"""Stress on real threads: findings, reports, and no hang caused by the object."""
# ruff: noqa: N805 - a spec's functions take a state first

from __future__ import annotations

import gc
import itertools
import random
import sys
import threading
import time
import weakref
from typing import Any

import pytest

import linpoint
from linpoint import Outcome, Status
from linpoint.campaign.driver import run_campaign
from linpoint.judging import stress_judge
from linpoint.judging.deadlock_policy import may_wait_forever
from linpoint.judging.stress_judge import overlapping_pairs
from linpoint.record.stress_workload import StressWorkload
from linpoint.scenarios import Call, ConcurrentTestDefinition, Scenario, TestedOperation, definition_of_object
from linpoint.subjects.interface import CampaignProgress
from linpoint.subjects.stress.python_subject import PythonStressSubject
from linpoint.verdicts import Budget


class Counter:
    """Loses updates whenever a thread switch occurs inside: at the latest in the loop."""

    def __init__(self) -> None:
        self.value = 0

    def fetch_add(self, n: int) -> int:
        before = self.value
        for _ in range(3):
            pass
        self.value = before + n
        return before


class SlowCounter(Counter):
    """The same counter, but it lets other threads run in between."""

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


ADD = {"fetch_add": {"n": [1]}}


def stress(test: Any, calls: Any = ADD, *, spec: Any = "fetch-add", **options: Any) -> linpoint.StressResult:
    return linpoint.stress(test, calls=calls, spec=spec, **{"budget": 20, **options})


def left_behind() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("linpoint-")]


# Findings


@pytest.mark.parametrize("erratic", [False, True])
@pytest.mark.parametrize("instances", [1, 3])
def test_a_lost_update_is_found_and_explained(erratic: bool, instances: int) -> None:
    before = sys.getswitchinterval()
    result = stress(SlowCounter, threads=2, operations=5, erratic=erratic, instances=instances)
    assert result.status is Status.VIOLATION
    assert result.kind == "linearizability"
    assert result.verdict.status is Status.VIOLATION
    assert result.verdict.history is result.history
    assert result.verdict.explain().minimal
    assert not result.exhaustive
    assert f"VIOLATION (linearizability): run {result.runs} violates the spec" in result.text
    assert result.verdict.explain().text in result.text
    with pytest.raises(linpoint.ViolationError) as caught:
        result.raise_for_violation()
    assert str(caught.value) == result.text
    assert sys.getswitchinterval() == before


def test_the_correct_twin_passes_and_states_its_coverage() -> None:
    told: list[tuple[int, int]] = []
    result = stress(LockedCounter, threads=3, operations=4, iterations=7, progress=lambda *both: told.append(both))
    assert result.status is Status.LINEARIZABLE
    assert result.raise_for_violation() is None
    assert (result.runs, result.operations, result.kind, result.verdict) == (7, 84, None, None)
    assert told == [(run, 12 * run) for run in range(1, 8)]
    assert 0 < result.statistics["overlapping_runs"] <= 7
    assert result.statistics["overlapping_pairs"] >= result.statistics["overlapping_runs"]
    assert result.warnings == ()
    text = result.text
    assert "LINEARIZABLE: no violation in 7 stress runs of LockedCounter" in text
    assert "84 operations on 3 threads" in text
    assert "`linpoint test` without --stress" in text
    assert ("interpreter lock" in text) == result.statistics["gil"] or "without the interpreter lock" in text


def test_erratic_runs_switch_inside_operations() -> None:
    """Only the switch interval can interrupt this object, since it never waits."""
    result = stress(Counter, threads=4, operations=50, erratic=True, budget=60)
    assert result.status is Status.VIOLATION


def test_runs_without_overlap_warn() -> None:
    result = stress(LockedCounter, threads=1, operations=5, iterations=3)
    assert result.status is Status.LINEARIZABLE
    assert any("no two operations overlap" in warning for warning in result.warnings)
    assert "Warning: no two operations overlap" in result.text
    assert "0.0 pairs" in result.text


def test_an_exception_that_the_spec_never_raises_is_a_finding() -> None:
    class Dropping(LockedCounter):
        def fetch_add(self, n: int) -> int:
            found = super().fetch_add(n)
            if found == 3:
                raise KeyError(found)
            return found

    result = stress(Dropping, threads=2, operations=4)
    assert (result.status, result.kind) == (Status.VIOLATION, "exception")
    assert '{"raises": "KeyError"}' in result.text


def test_an_exception_next_to_a_violation_is_reported() -> None:
    class Both(SlowCounter):
        def fetch_add(self, n: int) -> int:
            found = super().fetch_add(n)
            if found == 2:
                raise KeyError(found)
            return 0

    result = stress(Both, threads=2, operations=4)
    assert (result.status, result.kind) == (Status.VIOLATION, "linearizability")


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_an_operation_may_end_its_thread(error: type[BaseException]) -> None:
    class Leaving(LockedCounter):
        def fetch_add(self, n: int) -> int:
            found = super().fetch_add(n)
            if found == 1:
                raise error
            return found

    result = stress(Leaving, threads=2, operations=4, iterations=2)
    if error is SystemExit:
        assert result.kind == "exception"
    else:  # the effect of the operation is unknown, and the others are linearizable
        assert result.status is Status.LINEARIZABLE
        assert result.operations < 16


# Objects that hang


@linpoint.spec
class Crossing:
    """Every result is legal, as long as operations return."""

    initial = None

    def one(state: Any) -> Any:
        return None, state

    def other(state: Any) -> Any:
        return None, state


class TwoLocks:
    def __init__(self) -> None:
        self._locks = threading.Lock(), threading.Lock()
        self._both = threading.Barrier(2)

    def one(self) -> None:
        with self._locks[0]:
            self._both.wait()
            with self._locks[1]:
                pass

    def other(self) -> None:
        with self._locks[1]:
            self._both.wait()
            with self._locks[0]:
                pass


CROSS = {"one": None, "other": None}
FACE_TO_FACE = Scenario(((Call("one"),), (Call("other"),)))


@pytest.mark.parametrize("instances", [1, 2])
def test_a_deadlock_is_a_finding_with_places(instances: int) -> None:
    result = stress(TwoLocks, CROSS, spec=Crossing, scenarios=[FACE_TO_FACE], instances=instances, patience=0.5)
    assert (result.status, result.kind) == (Status.VIOLATION, "deadlock")
    assert [each.process for each in result.stuck] == [0, 1]
    assert not any(each.running for each in result.stuck)
    assert "process 0 waits in one() -> ?" in result.text
    assert "process 1 waits in other() -> ?" in result.text
    assert "with self._locks[1]:" in result.text
    assert "with self._locks[0]:" in result.text
    assert "test_python_stress.py:" in result.text
    assert "thread_pool.py" not in result.text
    with pytest.raises(linpoint.ViolationError, match="deadlock"):
        result.raise_for_violation()


def test_a_hang_in_a_function_written_in_c_is_found() -> None:
    """Their threads have no Python frames but linpoint's."""

    def held() -> Any:
        lock = threading.Lock()
        lock.acquire()
        return lock

    acquire = TestedOperation("one", type(threading.Lock()).acquire)
    definition = ConcurrentTestDefinition("Held", held, {"one": acquire}, Crossing)
    result = linpoint.stress(definition, threads=2, operations=1, patience=0.5)
    assert (result.status, result.kind) == (Status.VIOLATION, "deadlock")
    assert [str(each) for each in result.stuck] == [f"process {n} waits in one() -> ?" for n in (0, 1)]
    making = linpoint.stress(
        ConcurrentTestDefinition("Made", held().acquire, {"one": acquire}, Crossing), threads=2, patience=0.5
    )
    assert making.kind == "deadlock"
    assert {each.operation for each in making.stuck} == {None}


def test_an_endless_loop_is_a_livelock_and_is_ended() -> None:
    class Spinning:
        def one(self) -> None:
            while True:
                pass

        def other(self) -> None:
            pass

    before = len(left_behind())
    result = stress(Spinning, CROSS, spec=Crossing, scenarios=[FACE_TO_FACE], patience=0.5)
    assert (result.status, result.kind) == (Status.VIOLATION, "livelock")
    assert "process 0 still runs in one() -> ?" in result.text
    for _ in range(100):
        if len(left_behind()) == before:
            break
        time.sleep(0.05)
    assert len(left_behind()) == before


def test_a_hang_before_the_threads_start_is_found() -> None:
    scenario = Scenario(((Call("other"),), (Call("other"),)), before=(Call("one"),))

    class Stuck(TwoLocks):
        def other(self) -> None:
            pass

    result = stress(Stuck, CROSS, spec=Crossing, scenarios=[scenario], patience=0.5)
    assert result.kind == "deadlock"
    assert result.operations == 1


class Mutex:
    def __init__(self) -> None:
        self._lock = threading.Lock()

    def acquire(self) -> None:
        self._lock.acquire()

    def release(self) -> None:
        self._lock.release()


class Forgetful(Mutex):
    def release(self) -> None:
        pass


LOCKING = {"acquire": None, "release": None}


def test_waiting_for_a_held_lock_is_not_a_deadlock() -> None:
    scenario = Scenario(((Call("acquire"),), (Call("acquire"),)))
    result = stress(Mutex, LOCKING, spec="mutex", scenarios=[scenario], iterations=2, patience=0.5)
    assert result.status is Status.LINEARIZABLE
    assert result.runs == 2
    assert any("block forever, as the spec allows" in warning for warning in result.warnings)


def test_waiting_for_a_free_lock_is_a_deadlock() -> None:
    scenario = Scenario(((Call("acquire"), Call("release")), (Call("acquire"), Call("release"))))
    result = stress(Forgetful, LOCKING, spec="mutex", scenarios=[scenario], patience=0.5)
    assert (result.status, result.kind) == (Status.VIOLATION, "deadlock")
    assert len(result.stuck) == 1


@pytest.mark.parametrize(
    ("drawing", "rightly"),
    [
        ("A: |--acquire()--|\nB: |--acquire()--...", True),
        ("A: |--acquire()--| |--release()--|\nB: |--acquire()--...", False),
        ("A: |--acquire()--| |--release()--|\nB: |--acquire()--...\nC: |--acquire()--...", False),
        ("A: |--acquire()--| |--release()--| |--acquire()--|\nB: |--acquire()--...", True),
        ("A: |--acquire()--|\nB: |--release()--...", False),
        ("A: |--acquire()--|  |--acquire()--|\nB: |--release()--...", False),
    ],
)
def test_waiting_is_allowed_only_if_the_spec_allows_it(drawing: str, rightly: bool) -> None:
    spec = linpoint.specs.mutex
    assert may_wait_forever(linpoint.history(drawing), spec, lambda each: linpoint.check(each, spec)) is rightly


def test_a_budget_that_ends_inside_a_run_is_unknown() -> None:
    class Sleeping(TwoLocks):
        def one(self) -> None:
            time.sleep(1.2)

        other = one

    result = stress(Sleeping, CROSS, spec=Crossing, scenarios=[FACE_TO_FACE], budget=0.4, patience=5)
    assert result.status is Status.UNKNOWN
    assert "process 0 waits in one() -> ?" in result.text
    with pytest.raises(linpoint.UndecidedError, match="the budget ended during run 1"):
        result.raise_for_violation()


def test_a_run_too_long_for_the_budget_is_interrupted() -> None:
    calls: list[int] = []

    class Slow(Counter):
        def fetch_add(self, n: int) -> int:
            calls.append(n)
            time.sleep(0.05)
            return 0

    result = stress(Slow, {"fetch_add": {"n": [0]}}, threads=2, operations=1_000, budget=0.5)
    assert len(calls) < 2_000
    assert result.status is Status.UNKNOWN
    assert "the budget ended during run 1" in result.why


# Answers that are not a pass


def test_an_undecided_run_never_passes() -> None:
    @linpoint.spec
    class Slow:
        initial = 0

        def fetch_add(state: int, n: int) -> Any:
            time.sleep(0.2)
            return state, state + n

    result = stress(LockedCounter, spec=Slow, threads=2, operations=10, budget=0.5)
    assert result.status is Status.UNKNOWN
    assert "run 1 was not decided" in result.why
    assert result.runs == 0
    assert result.history is not None
    with pytest.raises(linpoint.UndecidedError, match="not decided"):
        result.raise_for_violation()


def test_a_nondeterministic_spec_is_reported() -> None:
    asked = itertools.count()

    @linpoint.spec
    class Moody:
        initial = 0

        def one(state: int) -> Any:
            return (1 if next(asked) == 0 else None), state

        def other(state: int) -> Any:
            return None, state

    class Nothing:
        def one(self) -> None: ...

        other = one

    result = stress(Nothing, CROSS, spec=Moody, scenarios=[Scenario(((Call("one"),),))], iterations=1)
    assert result.status is Status.UNKNOWN
    assert "disagree" in result.why


def test_a_result_is_not_a_bool() -> None:
    with pytest.raises(TypeError, match="raise_for_violation"):
        bool(stress(LockedCounter, iterations=1, operations=1))


@pytest.mark.parametrize("at", [0, 2])
def test_ctrl_c_reports_the_coverage(at: int) -> None:
    def press(runs: int, _operations: int) -> None:
        if runs > at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stress(LockedCounter, operations=2, progress=press)
    subject = PythonStressSubject(definition_of_object(LockedCounter, ADD), linpoint.specs.fetch_add, operations=2)

    def watch(reached: CampaignProgress) -> None:
        press(reached.executions, reached.operations)

    result = run_campaign(subject, 20, watch)
    assert result.interrupted
    assert result.status is Status.LINEARIZABLE
    assert result.runs == at + 1
    assert "the run was interrupted" in result.text


def press(*_: object) -> None:
    raise KeyboardInterrupt


def test_ctrl_c_keeps_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    definition = definition_of_object(SlowCounter, ADD)
    subject = PythonStressSubject(definition, linpoint.specs.fetch_add, threads=2, operations=9)
    at_once = run_campaign(subject, 20, press)
    assert (at_once.status, at_once.interrupted) == (Status.VIOLATION, True) or at_once.runs == 1
    monkeypatch.setattr(stress_judge, "without_exceptions", press)  # linpoint.record also names a part of models
    inside = run_campaign(subject, 20)
    assert (inside.status, inside.kind, inside.interrupted) == (Status.VIOLATION, "linearizability", True)


def test_limits_hold() -> None:
    result = stress(LockedCounter, operations=5, budget=0.5)
    assert result.status is Status.LINEARIZABLE
    assert "budget" in result.why
    without_memory = stress(LockedCounter, budget=Budget(None, 1))
    assert without_memory.status is Status.UNKNOWN
    assert "memory" in without_memory.why


# Runs


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"threads": 0}, "LP-U001"),
        ({"operations": -1}, "LP-U001"),
        ({"instances": 1.5}, "LP-U001"),
        ({"iterations": 0}, "LP-U001"),
        ({"budget": "soon"}, "LP-U001"),
        ({"patience": 0}, "LP-U001"),
        ({"scenarios": []}, "LP-U001"),
        ({"spec": None}, "LP-U001"),
        ({"spec": "no-such"}, "LP-S001"),
    ],
)
def test_bad_options_are_rejected(options: dict[str, Any], code: str) -> None:
    with pytest.raises(linpoint.LinpointError) as caught:
        stress(LockedCounter, **options)
    assert caught.value.code == code
    assert caught.value.remedy


def test_an_object_that_cannot_be_constructed_is_an_error() -> None:
    def broken() -> Any:
        raise OSError("no disk")

    with pytest.raises(linpoint.UsageError, match="OSError: no disk") as caught:
        stress(broken)
    assert caught.value.code == "LP-U009"


def test_an_object_whose_constructor_hangs_is_reported() -> None:
    def hang() -> Any:
        threading.Event().wait()

    result = stress(hang, patience=0.5)
    assert (result.status, result.kind) == (Status.VIOLATION, "deadlock")
    assert "process 0 waits in no operation" in result.text
    assert len(result.stuck) == 1
    assert "threading.Event().wait()" in result.text


def test_coroutines_are_rejected() -> None:
    async def add(counter: Any, n: int) -> None: ...

    operation = TestedOperation("fetch_add", add, ("n",), ((1,),), is_async=True)
    with pytest.raises(linpoint.UsageError) as caught:
        linpoint.stress(ConcurrentTestDefinition("Asynchronous", Counter, {"fetch_add": operation}, "fetch-add"))
    assert caught.value.code == "LP-U001"


def noted(run: int, *, seed: int = 0, scenarios: Any = None, **fields: Any) -> list[Any]:
    names = {
        name: TestedOperation(name, print, parameters, sources)
        for name, parameters, sources in (("get", ("key",), ("ab",)), ("put", ("key", "value"), ("ab", ([1], [2, 3]))))
    }
    definition = ConcurrentTestDefinition("Noted", dict, names, linpoint.specs.map, **fields)
    workload = StressWorkload(definition, linpoint.specs.map, scenarios, threads=3, operations=4, seed=seed)
    plan = workload.plan(run)
    threads = [[(workload.labels[number].name, *args) for number, _, args in program] for program in plan.threads]
    return [threads, len(plan.before), len(plan.after)]


def test_a_seed_determines_each_run() -> None:
    assert noted(5) == noted(5)
    assert noted(5) != noted(6)
    assert noted(5) != noted(5, seed=1)
    threads, before, after = noted(0, before=3, after=2)
    assert [len(thread) for thread in threads] == [4, 4, 4]
    assert before <= 3
    assert after <= 2
    drawn = {call for run in range(30) for thread in noted(run)[0] for call in map(repr, thread)}
    assert drawn == {
        *(repr(("get", key)) for key in "ab"),
        *(repr(("put", key, value)) for key in "ab" for value in ([1], [2, 3])),
    }


def test_scenarios_of_the_test_run_first_and_given_ones_run_repeatedly() -> None:
    small = Scenario(((Call("get", ("a",)),),), before=(Call("put", ("a", (1,))),))
    assert noted(0, scenarios=None, before=0) != noted(0, scenarios=[small])
    assert noted(0, scenarios=[small]) == noted(7, scenarios=[small]) == [[[("get", "a")]], 1, 0]


def test_arguments_are_fresh_for_each_call() -> None:
    class Greedy:
        def put(self, items: list[int]) -> int:
            items.append(9)
            return len(items)

    @linpoint.spec
    class Counting:
        initial = None

        def put(state: Any, items: Any) -> Any:
            return len(items) + 1, state

    result = stress(Greedy, {"put": {"items": [[1], [1, 2]]}}, spec=Counting, threads=2, operations=5, iterations=5)
    assert result.status is Status.LINEARIZABLE


def test_before_after_and_observe_are_recorded() -> None:
    @linpoint.spec
    class Observed:
        initial = 0

        def fetch_add(state: int, n: int) -> Any:
            return state, state + n

        def observe(state: int) -> Any:
            return state, state

    add = TestedOperation("fetch_add", Counter.fetch_add, ("n",), ((1, 2),))
    scenario = Scenario(((Call("fetch_add", (1,)),),), (Call("fetch_add", (5,)),), (Call("fetch_add", (7,)),))

    def run(observe: Any) -> linpoint.StressResult:
        definition = ConcurrentTestDefinition("Observed", Counter, {"fetch_add": add}, Observed, observe)
        return linpoint.stress(definition, scenarios=[scenario], iterations=1)

    right = run(lambda counter: counter.value)
    assert right.status is Status.LINEARIZABLE
    assert right.operations == 4
    wrong = run(lambda counter: counter.value + 1)
    assert [str(op) for op in wrong.history] == [
        "fetch_add(5) -> 0",
        "fetch_add(1) -> 5",
        "fetch_add(7) -> 6",
        "observe() -> 14",
    ]


# Counts and kept objects


def test_overlapping_pairs_follow_their_definition() -> None:
    rng = random.Random(7)
    for _ in range(50):
        ops = []
        for process in range(8):
            call = rng.randrange(20)
            unknown = rng.random() < 0.2
            outcome = Outcome.UNKNOWN if unknown else Outcome.OK
            end = None if unknown else call + rng.randrange(9)
            ops.append(linpoint.Operation(process, "read", (), None, call, end, outcome))
        wanted = sum(one.call <= other.end and other.call <= one.end for one, other in itertools.combinations(ops, 2))
        assert overlapping_pairs(linpoint.History(ops)) == wanted


def test_passing_runs_keep_no_objects() -> None:
    class Token:
        pass

    class Giving(LockedCounter):
        def one(self) -> Token:
            token = Token()
            made.append(weakref.ref(token))
            return token

        other = one

    @linpoint.spec
    class Anything:
        initial = None

        def one(state: Any) -> Any:
            return None, state

        other = one

    made: list[weakref.ref[Any]] = []
    subjects: list[weakref.ref[Any]] = []

    def setup() -> Giving:
        subject = Giving()
        subjects.append(weakref.ref(subject))
        return subject

    result = stress(setup, CROSS, spec=Anything, threads=3, operations=5)
    assert result.status is Status.VIOLATION, "a token is no result of the spec"
    del result
    gc.collect()
    assert len(subjects) >= 1
    assert not [reference for reference in (*made, *subjects) if reference() is not None]
    assert not left_behind() or all(thread.daemon for thread in left_behind())
