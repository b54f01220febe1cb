# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N805 - the first argument of a step is the state
"""Specs written by users: pure functions, ordinary classes, objects with ``apply``."""

from __future__ import annotations

import collections
import dataclasses
import threading
from collections.abc import Callable
from typing import Any

import pytest

import linpoint
from tests.user_specs import OwnedLock

LEGAL, ILLEGAL = linpoint.Status.LINEARIZABLE, linpoint.Status.VIOLATION


def status(drawing: str, spec: Any, **options: Any) -> linpoint.Status:
    return linpoint.check(drawing, spec, **options).status


# @linpoint.spec


@linpoint.spec
class Queue:
    """The design's example."""

    initial = ()

    def enqueue(state, x):
        return None, (*state, x)

    def dequeue(state):
        return (state[0], state[1:]) if state else (None, state)


def test_the_example_queue_of_the_design() -> None:
    overlapping = """
        A: |--enqueue(1)--|          |--dequeue()->2--|
        B:        |--enqueue(2)--|
    """
    one_after_the_other = """
        A: |--enqueue(1)--|                    |--dequeue()->2--|
        B:                   |--enqueue(2)--|
    """
    assert status(overlapping, Queue) is LEGAL
    assert status(one_after_the_other, Queue) is ILLEGAL
    assert isinstance(Queue, linpoint.Spec)
    assert Queue.name == "Queue"
    assert Queue.doc == "The design's example."


def test_steps_receive_plain_lists_and_dicts() -> None:
    seen = []

    @linpoint.spec
    class Box:
        initial = None

        def put(state, x):
            seen.append(x)
            return None, repr(x)

    assert status('A: |--put([1, {"a": [2]}])--|', Box) is LEGAL
    assert seen[0] == [1, {"a": [2]}]
    assert type(seen[0]) is list
    assert type(seen[0][1]) is dict


def test_results_are_compared_as_json_values() -> None:
    @linpoint.spec
    class Constant:
        initial = 0

        def pair(state):
            return (1, [2, {"a": (3,)}]), state

        def one(state):
            return 1, state

    assert status('A: |--pair()->[1, [2, {"a": [3]}]]--|', Constant) is LEGAL
    assert status("A: |--one()->1.0--|", Constant) is LEGAL
    assert status("A: |--one()->true--|", Constant) is ILLEGAL
    assert status("A: |--one()--|", Constant) is ILLEGAL  # null is a value here


@linpoint.spec
class Coin:
    initial = "none"

    def flip(state):
        return [("heads", "heads"), ("tails", "tails")]

    def look(state):
        return state, state


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        ('A: |--flip()->"heads"--| |--look()->"heads"--|', LEGAL),
        ('A: |--flip()->"tails"--| |--look()->"tails"--|', LEGAL),
        ('A: |--flip()->"tails"--| |--look()->"heads"--|', ILLEGAL),
        ('A: |--flip()->"edge"--|', ILLEGAL),
        ('A: |--flip()--...\nB:                |--look()->"tails"--|', LEGAL),
        ('A: |--flip()--...\nB:                |--look()->"tails"--| |--look()->"heads"--|', ILLEGAL),
    ],
)
def test_a_nondeterministic_operation_returns_a_list(drawing: str, expected: linpoint.Status) -> None:
    assert status(drawing, Coin) is expected


@linpoint.spec
class OneShot:
    initial = False

    def fire(state):
        return [] if state else [(None, True)]


def test_an_empty_list_of_outcomes_means_illegal() -> None:
    assert status("A: |--fire()--|", OneShot) is LEGAL
    verdict = linpoint.check("A: |--fire()--|\nB: |--fire()--|", OneShot)
    assert verdict.status is ILLEGAL
    assert "the spec does not allow it here" in verdict.explain().text


@linpoint.spec
class Turns:
    initial = None

    def turn(state, *, process):
        return [] if state == process else [(None, process)]


OWNED = [
    ("A: |--acquire()--| |--release()--|", LEGAL),
    (
        """
        A: |--acquire()--|
        B:                  |--release()--|
        """,
        ILLEGAL,
    ),
    (
        """
        A: |--acquire()--| |--release()--|                    |--release()--|
        B:                                 |--acquire()--|
        """,
        ILLEGAL,
    ),
    (
        """
        A: |--acquire()--| |--release()--|
        B:                                 |--acquire()--| |--release()--|
        """,
        LEGAL,
    ),
]
TURNS = [
    (
        """
        A: |--turn()--|               |--turn()--|
        B:              |--turn()--|
        """,
        LEGAL,
    ),
    ("A: |--turn()--| |--turn()--|", ILLEGAL),
    (
        """
        A: |--turn()----------------|
        B: |--turn()--| |--turn()--|
        """,
        LEGAL,
    ),
]


@pytest.mark.parametrize(("drawing", "expected"), OWNED, ids=range(len(OWNED)))
def test_a_step_may_use_the_process(drawing: str, expected: linpoint.Status) -> None:
    assert status(drawing, OwnedLock) is expected


@pytest.mark.parametrize(("drawing", "expected"), TURNS, ids=range(len(TURNS)))
def test_equal_operations_of_two_processes_differ_if_the_spec_uses_the_process(
    drawing: str, expected: linpoint.Status
) -> None:
    assert status(drawing, Turns) is expected


@linpoint.spec(partition=lambda key, *_: key, reads=["get"])
class Cells:
    initial = {}  # noqa: RUF012 - as users write it

    def put(state, key, value):
        return None, {**state, key: value}

    def get(state, key):
        return state.get(key), state


def test_partition_and_reads_are_used() -> None:
    drawing = """
        A: |--put("x", 1)--|      |--get("y")->2--|
        B:      |--put("y", 2)--|   |--get("x")->1--|
    """
    verdict = linpoint.check(drawing, Cells)
    assert verdict.status is LEGAL
    assert verdict.witness is not None
    assert sorted(verdict.witness.order) == [0, 1, 2, 3]
    assert status('A: |--put("x", 1)--| |--get("x")->2--|', Cells) is ILLEGAL


def test_initial_can_be_overridden() -> None:
    assert status("A: |--dequeue()->7--|", Queue) is ILLEGAL
    assert status("A: |--dequeue()->7--|", Queue(initial=(7,))) is LEGAL
    assert status("A: |--dequeue()->7--|", Queue(initial=[7])) is LEGAL
    assert status("A: |--dequeue()->7--|", Queue) is ILLEGAL


def test_default_arguments_static_methods_and_underscores_are_supported() -> None:
    @linpoint.spec
    class Counter:
        initial = 0

        def add_many(state, n=1):
            return None, state + n

        @staticmethod
        def read(state):
            return state, state

        def _helper(state):
            raise AssertionError

    assert status("A: |--add_many()--| |--add-many(2)--| |--read()->3--|", Counter) is LEGAL
    assert set(Counter.steps) == {"add-many", "read"}
    with pytest.raises(linpoint.SpecError, match="LP-S003"):
        status("A: |--add-many(1, 2)--|", Counter)


# linpoint.sequential


def test_a_deque_is_a_sequential_spec() -> None:
    spec = linpoint.sequential(collections.deque, methods=["append", "popleft"])
    fits = """
        A: |--append(1)--|          |--popleft()->2--|
        B:        |--append(2)--|
    """
    does_not = "A: |--append(1)--| |--append(2)--| |--popleft()->2--|"
    raises = 'A: |--popleft()->{"raises": "IndexError"}--|'
    assert status(fits, spec) is LEGAL
    assert status(does_not, spec) is ILLEGAL
    assert status(raises, spec) is LEGAL
    assert status("A: |--popleft()--|", spec) is ILLEGAL
    with pytest.raises(linpoint.SpecError, match="LP-S002"):
        status("A: |--pop()--|", spec)


def _locked(lock: Callable[[], Any]) -> type:
    class Cache:
        """A local class, as in tests: it cannot be pickled by name."""

        def __init__(self, size: int = 2) -> None:
            self._lock = lock()
            self._entries: dict[str, int] = {}
            self._size = size

        def put(self, key: str, value: int) -> bool:
            with self._lock:
                if len(self._entries) >= self._size:
                    return False
                self._entries[key] = value
                return True

        def get(self, key: str, default: int | None = None) -> int | None:
            with self._lock:
                return self._entries.get(key, default)

        def take(self, key: str) -> int:
            with self._lock:
                return self._entries.pop(key)

    return Cache


@pytest.mark.parametrize("lock", [threading.Lock, threading.RLock, threading.Condition, threading.Semaphore])
def test_a_local_class_with_a_lock_and_a_dict_is_a_spec(lock: Callable[[], Any]) -> None:
    spec = linpoint.sequential(_locked(lock))
    good = 'A: |--put("a", 1)->true--| |--get("a")->1--| |--get("b", 5)->5--| |--take("a")->1--| |--get("a")--|'
    assert status(good, spec) is LEGAL
    assert status('A: |--put("a", 1)->true--| |--get("a")->2--|', spec) is ILLEGAL
    assert status('A: |--take("a")->{"raises": "KeyError"}--|', spec) is LEGAL
    assert status('A: |--take("a")->{"raises": "ValueError"}--|', spec) is ILLEGAL


def test_changes_made_before_an_exception_are_kept() -> None:
    class Half:
        def __init__(self) -> None:
            self.n = 0

        def bump(self) -> None:
            self.n += 1
            raise OverflowError

        def read(self) -> int:
            return self.n

    assert status('A: |--bump()->{"raises": "OverflowError"}--| |--read()->1--|', linpoint.sequential(Half)) is LEGAL


def test_methods_can_be_renamed_and_constructor_arguments_given() -> None:
    cache = _locked(threading.RLock)
    spec = linpoint.sequential(cache, methods={"write": "put", "read-back": "get"}, args=(1,), name="cell")
    assert spec.name == "cell"
    assert status('A: |--write("a", 1)->true--| |--read_back("a")->1--| |--write("b", 1)->false--|', spec) is LEGAL
    with pytest.raises(linpoint.SpecError, match="LP-S002"):
        status('A: |--put("a", 1)->true--|', spec)


def test_public_methods_are_the_default() -> None:
    assert set(linpoint.sequential(_locked(threading.RLock)).steps) == {"put", "get", "take"}


def test_later_changes_of_the_object_do_not_change_results() -> None:
    class Bag:
        def __init__(self) -> None:
            self.items: list[int] = []

        def add(self, x: int) -> None:
            self.items.append(x)

        def all(self) -> list[int]:
            return self.items

    spec = linpoint.sequential(Bag)
    assert status("A: |--all()->[]--| |--add(1)--| |--all()->[1]--| |--add(2)--| |--all()->[1, 2]--|", spec) is LEGAL


def test_checks_do_not_change_the_first_object() -> None:
    spec = linpoint.sequential(_locked(threading.RLock))
    for _ in range(2):
        assert status('A: |--get("a")--| |--put("a", 1)->true--|', spec) is LEGAL


def test_a_class_without_the_method_is_rejected() -> None:
    with pytest.raises(linpoint.SpecError) as caught:
        linpoint.sequential(collections.deque, methods=["push"])
    assert caught.value.code == "LP-S007"
    assert '"push"' in caught.value.message
    assert "append" in caught.value.remedy


def test_an_object_that_cannot_be_copied_is_rejected() -> None:
    class Stream:
        def __init__(self) -> None:
            self.numbers = (n for n in range(3))

        def read(self) -> int:
            return next(self.numbers)

    with pytest.raises(linpoint.SpecError) as caught:
        status("A: |--read()->0--|", linpoint.sequential(Stream))
    assert caught.value.code == "LP-S007"
    assert caught.value.remedy


# Objects with initial and apply


class Register:
    initial = 0

    def apply(self, state: Any, op: linpoint.Operation) -> Any:
        if op.name == "write":
            return None, op.args[0]
        return state, state


class Owned:
    initial = None

    def apply(self, state: Any, op: linpoint.Operation) -> Any:
        if op.name == "acquire":
            return [(None, op.process)] if state is None else []
        return [(None, None)] if state == op.process else []


class TakeTurns:
    initial = None

    def apply(self, state: Any, op: linpoint.Operation) -> Any:
        return [] if state == op.process else [(None, op.process)]


def test_an_object_with_initial_and_apply_is_a_spec() -> None:
    assert status("A: |--read()->0--| |--write(1)--| |--read()->1--|", Register()) is LEGAL
    assert status("A: |--write(1)--| |--read()->0--|", Register()) is ILLEGAL


@pytest.mark.parametrize(("drawing", "expected"), OWNED, ids=range(len(OWNED)))
def test_apply_may_use_the_process(drawing: str, expected: linpoint.Status) -> None:
    assert status(drawing, Owned()) is expected


@pytest.mark.parametrize(("drawing", "expected"), TURNS, ids=range(len(TURNS)))
def test_equal_operations_differ_if_apply_uses_the_process(drawing: str, expected: linpoint.Status) -> None:
    """Symmetry of equal operations is used only for specs that ignore the process."""
    assert status(drawing, TakeTurns()) is expected


def test_states_may_be_frozen_dataclasses_and_mutable_builtin_containers() -> None:
    @dataclasses.dataclass(frozen=True)
    class Pair:
        a: int = 0
        b: int = 0

    @linpoint.spec
    class Both:
        initial = Pair()

        def set_a(state, x):
            return None, dataclasses.replace(state, a=x)

        def read(state):
            return [state.a, state.b], state

    @linpoint.spec
    class Sets:
        initial = frozenset()

        def add(state, x):
            return x not in state, {*state, x}

    assert status("A: |--set_a(1)--| |--read()->[1, 0]--|", Both) is LEGAL
    assert status("A: |--add(1)->true--| |--add(1)->false--|", Sets) is LEGAL
