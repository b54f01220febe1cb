# SPDX-License-Identifier: Apache-2.0
"""Recording on real threads: times consistent with the run, values as of the time, prompt release of objects."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import random
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import linpoint
from linpoint import Outcome
from linpoint.record._native_record import Ending, ThreadLog
from linpoint.record.log_assembly import new_log


def on_threads(count: int, work: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.fixture
def restless() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class Tickets:
    """Each operation returns the next number: the numbers give the order in which operations took effect."""

    def __init__(self, seed: int) -> None:
        self._numbers = itertools.count()
        self._random = random.Random(seed)

    def take(self, _value: Any = None) -> int:
        self._dawdle()
        number = next(self._numbers)
        self._dawdle()
        return number

    def _dawdle(self) -> None:
        choice = self._random.random()
        if choice < 0.1:
            time.sleep(choice / 2_000)
        elif choice < 0.4:
            for _ in range(20):
                pass


def as_block(recorder: linpoint.Recorder, tickets: Tickets) -> Callable[[], None]:
    def take() -> None:
        with recorder.operation("take") as op:
            op.result = tickets.take()

    return take


FORMS = {
    "wrap": lambda recorder, tickets: recorder.wrap(tickets).take,
    "decorator": lambda recorder, tickets: recorder.recorded(tickets.take),
    "block": as_block,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("restless")
def test_times_are_consistent_with_the_order_of_effects(form: str, seed: int) -> None:
    recorder = linpoint.Recorder()
    take = FORMS[form](recorder, Tickets(seed))
    on_threads(4, lambda _: [take() for _ in range(100)] and None)
    history = recorder.history()
    assert sorted(op.result for op in history) == list(range(400))
    assert len(history.processes) == 4
    overlaps = 0
    for one, other in itertools.combinations(history, 2):
        if one.return_ < other.call:
            assert one.result < other.result
        elif other.return_ < one.call:
            assert other.result < one.result
        else:
            overlaps += one.process != other.process
    assert overlaps > 10
    assert history[0].call == 0
    spec = linpoint.specs.fetch_add
    ones = [
        linpoint.Operation(op.process, "fetch_add", (1,), op.result, op.call, op.return_, line=None) for op in history
    ]
    assert linpoint.check(ones, spec).status is linpoint.Status.LINEARIZABLE


# Recorded values


def test_values_are_recorded_as_they_were_at_the_time() -> None:
    class Store:
        def __init__(self) -> None:
            self.items: list[Any] = []

        def put(self, item: list[int]) -> list[Any]:
            item.append(0)
            self.items.append(item)
            return self.items

    recorder = linpoint.Recorder()
    store = recorder.wrap(Store())
    given = [1]
    store.put(given)
    store.put(given).append("later")
    first, second = recorder.history()
    assert first.args == ((1,),)
    assert first.result == ((1, 0),)
    assert second.args == ((1, 0),)
    assert second.result == ((1, 0, 0), (1, 0, 0))


@pytest.mark.parametrize(
    ("result", "recorded"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        ("a", "a"),
        (b"a", b"a"),
        ({"a": [1]}, {"a": (1,)}),
        ({1, 2}, {1, 2}),
        ([bytearray(b"x")], "[bytearray(b'x')]"),
    ],
)
def test_results_are_those_of_a_sequential_spec(result: Any, recorded: Any) -> None:
    class Given:
        def get(self) -> Any:
            return result

    recorder = linpoint.Recorder()
    assert recorder.wrap(Given()).get() is result
    history = recorder.history()
    assert history[0].result == recorded
    spec = linpoint.sequential(Given, methods=["get"])
    assert linpoint.check(history, spec).status is linpoint.Status.LINEARIZABLE


def test_values_whose_repr_raises_are_recorded_by_type() -> None:
    class Shy:
        __hash__ = None  # type: ignore[assignment]

        def __repr__(self) -> str:
            raise RuntimeError

    recorder = linpoint.Recorder()
    recorder.recorded(lambda value: value, name="same")(Shy())
    (op,) = recorder.history()
    assert (op.args, op.result) == (("<Shy>",), "<Shy>")


def test_an_exception_is_a_result() -> None:
    recorder = linpoint.Recorder()
    table = recorder.wrap({}, methods={"get": "__getitem__", "leave": "update"})
    with pytest.raises(KeyError):
        table.get("a")
    with pytest.raises(SystemExit), recorder.operation("leave"):
        raise SystemExit
    assert [op.result for op in recorder.history()] == [{"raises": "KeyError"}, {"raises": "SystemExit"}]


def test_unknown_and_failed_outcomes() -> None:
    recorder = linpoint.Recorder(unknown=(TimeoutError,))
    with pytest.raises(TimeoutError), recorder.operation("write", 1):
        raise TimeoutError
    with pytest.raises(KeyboardInterrupt), recorder.operation("write", 2):
        raise KeyboardInterrupt
    with recorder.operation("write", 3) as op:
        op.outcome = Outcome.FAILED
    with recorder.operation("write", 4) as op:
        op.outcome = Outcome.UNKNOWN
    with recorder.operation("write", 5, process="client"):
        pass
    history = recorder.history()
    outcomes = [Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.FAILED, Outcome.UNKNOWN, Outcome.OK]
    assert [op.outcome for op in history] == outcomes
    # An unknown outcome stays open, so the thread continues as another process.
    processes = [op.process for op in history]
    assert processes[2] == processes[3]
    assert len(set(processes)) == 4
    assert processes[-1] == "client"


def test_a_thread_that_dies_or_hangs_in_an_operation_leaves_it_open() -> None:
    recorder = linpoint.Recorder()
    inside, leave = threading.Event(), threading.Event()

    def hang() -> None:
        with recorder.operation("wait", process="hanging"):
            inside.set()
            leave.wait()

    thread = threading.Thread(target=hang)
    thread.start()
    inside.wait()
    (op,) = recorder.history()
    assert (op.process, op.outcome, op.return_) == ("hanging", Outcome.UNKNOWN, None)
    leave.set()
    thread.join()
    assert recorder.history()[0].outcome is Outcome.OK


def test_keyword_arguments_are_recorded_in_order() -> None:
    recorder = linpoint.Recorder()

    @recorder.recorded(name="cas")
    def swap(old: int, new: int, *, force: bool = False) -> bool:
        return force or old != new

    swap(new=2, old=1)
    with pytest.raises(TypeError):
        swap(wrong=1)
    with pytest.raises(linpoint.UsageError) as caught:
        swap(1, 2, force=True)
    assert caught.value.code == "LP-U001"
    assert [str(op) for op in recorder.history()] == ["cas(1, 2) -> true", 'cas(1) -> {"raises": "TypeError"}']


def test_a_method_is_recorded_without_its_object() -> None:
    recorder = linpoint.Recorder()

    class Stack:
        """Ours."""

        @recorder.recorded
        def push(self, value: int) -> None:
            """Onto the top."""

    Stack().push(3)
    assert Stack.push.__doc__ == "Onto the top."
    assert [str(op) for op in recorder.history()] == ["push(3)"]


def test_wrapping_does_not_change_the_object() -> None:
    class Thing:
        size = 3
        calls = 0

        @property
        def costly(self) -> int:
            self.calls += 1
            return 7

        def read(self) -> int:
            return self.size

        def _private(self) -> int:
            return 1

    recorder = linpoint.Recorder()
    thing = Thing()
    shared = recorder.wrap(thing, process="P", key="k")
    assert thing.calls == 0
    assert (shared.read(), shared.size, shared.costly, shared._private()) == (3, 3, 7, 1)
    assert thing.read() == 3
    assert "recorded" in repr(shared)
    (op,) = recorder.history()
    assert (op.process, op.name, op.key, op.result) == ("P", "read", "k", 3)
    with pytest.raises(linpoint.UsageError) as caught:
        recorder.wrap(thing, methods=["write"])
    assert caught.value.code == "LP-U001"
    assert "read" in caught.value.remedy


def test_different_keys_stay_distinct() -> None:
    recorder = linpoint.Recorder()
    for key in (1, True, "1", [1]):
        with recorder.operation("read", key=key):
            pass
    assert [op.key for op in recorder.history()] == [1, True, "1", (1,)]
    assert recorder.history()[1].key is True


def test_nested_operations_are_rejected() -> None:
    recorder = linpoint.Recorder()
    with recorder.operation("outer"):
        with pytest.raises(linpoint.HistoryError) as caught, recorder.operation("inner"):
            pass
        assert caught.value.code == "LP-H004"
        with recorder.operation("inner", process="another"):
            pass
    assert [op.name for op in recorder.history()] == ["outer", "inner"]
    with pytest.raises(linpoint.UsageError):
        recorder.operation("read", process=1.5).__enter__()  # type: ignore[arg-type]


def test_two_threads_of_one_process_may_not_overlap() -> None:
    recorder = linpoint.Recorder()
    both = threading.Barrier(2)
    on_threads(2, lambda _: recorder.recorded(both.wait, name="meet", process=0)() and None)
    with pytest.raises(linpoint.HistoryError) as caught:
        recorder.history()
    assert caught.value.code == "LP-H004"


def test_each_task_is_a_process() -> None:
    recorder = linpoint.Recorder()

    @recorder.recorded
    async def read(value: int) -> int:
        await asyncio.sleep(0.001)
        return value

    async def hang() -> None:
        with recorder.operation("hang"):
            await asyncio.sleep(9)

    async def client(value: int) -> None:
        await read(value)
        with recorder.operation("write", value):
            await asyncio.sleep(0.001)
        with contextlib.suppress(TimeoutError), recorder.operation("hang"):
            await asyncio.wait_for(asyncio.sleep(9), 0.001)
        hanging = asyncio.ensure_future(hang())
        await asyncio.sleep(0.001)
        hanging.cancel()

    async def main() -> None:
        await asyncio.gather(*map(client, range(3)))

    asyncio.run(main())
    history = recorder.history()
    assert sorted(op.result for op in history if op.name == "read") == [0, 1, 2]
    assert len({op.process for op in history if op.name == "read"}) == 3
    hung = [op for op in history if op.name == "hang"]
    assert [op.outcome for op in hung if op.result is None] == [Outcome.UNKNOWN] * 3
    assert [op.result for op in hung if op.result] == [{"raises": "TimeoutError"}] * 3


# Lifetime of recorded objects


class Token:
    """Hashable, so it is a value of its own."""

    def itself(self) -> Token:
        return self


def test_results_are_released_with_the_recorder() -> None:
    recorder = linpoint.Recorder()
    make = recorder.recorded(Token)
    references = [weakref.ref(make()) for _ in range(1_000)]
    gc.collect()
    assert all(reference() is not None for reference in references)
    del recorder, make
    gc.collect()
    assert all(reference() is None for reference in references)


def test_a_result_that_holds_the_recorder_is_collected() -> None:
    recorder = linpoint.Recorder()
    token = Token()
    token.recorder = recorder  # type: ignore[attr-defined]
    recorder.recorded(token.itself)()
    with recorder.operation("put", token):
        pass
    reference = weakref.ref(token)
    del token, recorder
    gc.collect()
    assert reference() is None


def test_clearing_a_log_releases_its_objects() -> None:
    log = new_log(1)
    tokens = [Token() for _ in range(10)]
    counts = [sys.getrefcount(token) for token in tokens]
    for token in tokens:
        assert log.call(0, (token,))
        log.returned(token)
    del token
    assert log.call(1, (tokens[0],))
    assert [sys.getrefcount(token) for token in tokens] != counts
    log.clear()
    assert [sys.getrefcount(token) for token in tokens] == counts
    assert (len(log), log.open, log.entries()) == (0, False, [])


def test_a_failed_snapshot_leaves_the_outcome_unknown() -> None:
    def refuse(value: Any) -> Any:
        raise MemoryError

    log = ThreadLog(refuse, 4)
    assert log.call(0, (1,))
    with pytest.raises(MemoryError):
        log.returned([])
    assert log.entries()[0][4] is Ending.UNKNOWN
    with pytest.raises(MemoryError):
        log.call(0, ([],))
    assert len(log) == 1
    with pytest.raises(ValueError, match="open"):
        log.returned(None)
