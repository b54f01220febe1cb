# SPDX-License-Identifier: Apache-2.0

"""Steps that change their state in place: correct through copies, or rejected with LP-S008; never a wrong verdict."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers.online.online_checker import OnlineChecker
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.histories.streams.operation_line_stream import OperationLineStream
from linpoint.specs.spec_lookup import find
from tests.specs.mutating_specs import SHARING, UNCLEAR, holds, random_history, random_names, random_spec
from tests.volume import SEED, volume

# Random specs against the oracle


def _expected(history: History) -> Status:
    return Status.LINEARIZABLE if holds(history) else Status.VIOLATION


@pytest.mark.random
@pytest.mark.parametrize("checker", ["auto", "dfs", "linear", "wing-gong", "brute-force"])
def test_verdicts_are_correct_or_rejected(checker: str, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(f"{SEED}/{checker}")
    seen: collections.Counter[Any] = collections.Counter()
    for number in range(volume(600)):
        names = random_names(rng, clear=bool(number % 3))
        spec = random_spec(rng, names)
        for _ in range(2):
            history = random_history(rng, names, rng.randint(2, 5))
            try:
                verdict = linpoint.check(history, spec, checker=checker)
                assert verdict.explain().text
            except linpoint.SpecError as error:
                assert error.code == "LP-S008", error
                assert (SHARING | UNCLEAR).intersection(names), error
                seen["refused"] += 1
                continue
            assert verdict.status is _expected(history), f"{names}: {list(map(str, history))}"
            seen[verdict.status] += 1
    assert min(seen["refused"], seen[Status.LINEARIZABLE], seen[Status.VIOLATION]) >= volume(20)
    for line in capsys.readouterr().err.splitlines():
        assert re.match(r"linpoint: \w+\.\w+ changes its state in place \(.*\.py:\d+\); ", line)


def test_an_object_that_works_in_place_is_reported_once_for_all_checks(capsys: pytest.CaptureFixture[str]) -> None:
    class Tally:
        initial: list[int] = []  # noqa: RUF012 - as users write it

        def apply(self, state: Any, op: linpoint.Operation) -> Any:
            state.append(1)
            return len(state), state

    tally = Tally()
    for _ in range(3):
        assert linpoint.check("A: |--step()->1--| |--step()->2--|", tally).status is Status.LINEARIZABLE
    assert capsys.readouterr().err.count("Tally.step changes its state in place") == 1


@pytest.mark.random
def test_online_verdicts_are_correct_or_rejected() -> None:
    rng = random.Random(f"{SEED}/online")
    decided = 0
    for _ in range(volume(500)):
        names = random_names(rng, clear=True)
        spec = random_spec(rng, names)
        history = random_history(rng, names, rng.randint(2, 5))
        try:
            status = _follow(history, spec)
        except linpoint.SpecError as error:
            assert error.code == "LP-S008"
            assert SHARING.intersection(names)
            continue
        assert status is _expected(history), f"{names}: {list(map(str, history))}"
        decided += 1
    assert decided > volume(250)


def _follow(history: History, spec: Any) -> Status:
    follower = OnlineChecker(find(spec))
    reader = OperationLineStream(follower)
    for number, op in enumerate(sorted(history, key=lambda each: each.end), 1):
        line = {"process": op.process, "op": op.name, "args": op.args, "call": op.call, "return": op.return_}
        if op.outcome is Outcome.OK:
            line["result"] = op.result
        reader.line(json.dumps(line), number)
        if number % 2 and follower.decide() is not None:
            return Status.VIOLATION
    reader.end()
    return Status.LINEARIZABLE if follower.decide(last=True) is None else Status.VIOLATION


# Each kind of change


def spec_of(step: Callable[..., Any], initial: Any, **others: Callable[..., Any]) -> linpoint.Spec:
    return linpoint.spec(type("Box", (), {"initial": initial, "step": step, **others}))


def refusal(drawing: str, spec: Any, **options: Any) -> linpoint.LinpointError:
    with pytest.raises(linpoint.SpecError) as caught:
        linpoint.check(drawing, spec, **options)
    assert caught.value.code == "LP-S008"
    assert caught.value.remedy
    return caught.value


class Account:
    """Compared by identity, as any object without methods for equality."""

    def __init__(self, balance: int = 0) -> None:
        self.balance = balance
        self.log: list[int] = []


def deposit(state, amount):
    new = state.balance + amount
    state.balance = new  # the line
    return None, state


def balance(state):
    return state.balance, state


def line_of(function: Callable[..., Any], text: str) -> str:
    lines, first = __import__("inspect").getsourcelines(function)
    return f"test_mutating_specs.py:{first + next(n for n, line in enumerate(lines) if text in line)}"


ACCOUNT = "A: |--deposit(1)--| |--balance()->1--|"


def test_changing_an_object_is_rejected_with_the_operation_and_the_line() -> None:
    spec = linpoint.spec(type("Bank", (), {"initial": Account(), "deposit": deposit, "balance": balance}))
    for _ in range(2):  # the first state has changed, so this spec cannot decide anything any more
        error = refusal(ACCOUNT, spec)
        assert (error.place or "").endswith(line_of(deposit, "# the line"))
        assert "Bank.deposit changes an object of type Account" in error.message
        assert "linpoint.sequential(Account)" in error.remedy
    refusal("A: |--balance()->0--|", spec)
    assert linpoint.check(ACCOUNT, linpoint.sequential(AccountClass)).status is Status.LINEARIZABLE


class AccountClass:
    def __init__(self) -> None:
        self.sum = 0

    def deposit(self, amount: int) -> None:
        self.sum += amount

    def balance(self) -> int:
        return self.sum


@dataclasses.dataclass(unsafe_hash=True)
class ByValue:
    balance: int = 0


class Slots:
    __slots__ = ("balance",)

    def __init__(self) -> None:
        self.balance = 0


class Subclass(dict):
    """linpoint does not copy a user's own container."""

    @property
    def balance(self) -> int:
        return self.get("balance", 0)

    @balance.setter
    def balance(self, value: int) -> None:
        self["balance"] = value


class Inner:
    """Its own attributes do not change, those of the object it refers to do."""

    def __init__(self) -> None:
        self.account = Account()
        self.back = self

    @property
    def balance(self) -> int:
        return self.account.balance

    @balance.setter
    def balance(self, value: int) -> None:
        self.account.balance = value


def closure() -> Any:
    total = 0

    def change(amount: int) -> int:
        nonlocal total
        total += amount
        return total

    return change


@pytest.mark.parametrize("make", [Account, ByValue, Slots, Subclass, Inner])
@pytest.mark.parametrize("checker", ["auto", "brute-force"])
def test_every_kind_of_object_is_inspected(make: Callable[[], Any], checker: str) -> None:
    def in_tuple(state, amount):
        return deposit(state[0], amount)[0], state

    one = spec_of(deposit, make())
    refusal("A: |--step(1)--|", one, checker=checker)
    inside = spec_of(in_tuple, (make(), 1))
    refusal("A: |--step(1)--|", inside, checker=checker)
    deep = spec_of(lambda state, n: in_tuple(state["a"], n), {"a": [make()]})
    refusal("A: |--step(1)--|", deep, checker=checker)
    fresh = spec_of(lambda state, n: (None, make()), make(), balance=balance)
    assert linpoint.check("A: |--step(1)--| |--balance()->0--|", fresh, checker=checker).status is Status.LINEARIZABLE


@pytest.mark.parametrize(
    "change",
    [
        lambda account: account.log.append(1),
        lambda account: setattr(account, "other", 1),
        lambda account: delattr(account, "log"),
        lambda account: setattr(account, "balance", False),
        lambda account: setattr(account, "log", [0]),
    ],
)
def test_every_change_of_an_object_is_detected(change: Callable[[Any], Any]) -> None:
    refusal("A: |--step()->0--|", spec_of(lambda state: (change(state) or 0, state), Account()))


def test_a_closure_variable_counts_as_changing_state() -> None:
    refusal("A: |--step()->1--|", spec_of(lambda state: (state(1), state), closure()))


def test_lazily_computed_properties_are_not_changes() -> None:
    class Lazy:
        @__import__("functools").cached_property
        def square(self) -> int:
            return 4

    spec = spec_of(lambda state: (state.square, state), Lazy())
    assert linpoint.check("A: |--step()->4--| |--step()->4--|", spec).status is Status.LINEARIZABLE


def test_objects_that_cannot_be_inspected_are_rejected() -> None:
    spec = spec_of(lambda state: (0, (each for each in range(3))), 0)
    with pytest.raises(linpoint.SpecError, match=r"LP-S007 Box\.step: a state holds a generator"):
        linpoint.check("A: |--step()->0--|", spec)


def test_iterators_and_random_numbers_change() -> None:
    refusal("A: |--step()->1--|", spec_of(lambda state: (next(state), state), iter([1, 2])))
    refusal("A: |--step()->1--|", spec_of(lambda state: (state.randint(1, 1), state), random.Random(1)))


def test_sentinels_types_and_immutable_objects_are_valid_states() -> None:
    mark = object()

    @dataclasses.dataclass(frozen=True)
    class Pair:
        one: int
        two: Any

    states = [mark, Pair(1, (2, mark)), int, re.compile("a"), Path("a"), 1.5, frozenset({(1, mark)})]
    for state in states:
        seen: list[Any] = []
        spec = spec_of(lambda found, seen=seen: (seen.append(found) or 0, found), state)
        assert linpoint.check("A: |--step()->0--| |--step()->0--|", spec).status is Status.LINEARIZABLE
        assert all(each is state for each in seen)


def test_an_in_place_step_with_several_outcomes_is_rejected() -> None:
    def step(state):
        state["n"] = 1
        return [(True, state), (False, state)]

    assert "several outcomes" in refusal("A: |--step()->true--|", spec_of(step, {})).message
    pure = spec_of(lambda state: [(True, {"n": 1}), (False, state)], {})
    assert linpoint.check("A: |--step()->true--|", pure).status is Status.LINEARIZABLE


def test_a_list_in_two_places_is_rejected() -> None:
    rows = spec_of(lambda state: (state[0].append(1) or 0, state), ([[]] * 2,)[0], look=lambda state: (state[1], state))
    assert "one container several times" in refusal("A: |--step()->0--| |--look()->[1]--|", rows).message


def test_changing_a_result_of_an_earlier_step_is_rejected() -> None:
    log: list[int] = []

    def step(state, value):
        log.append(value)
        return len(log), log

    error = refusal("A: |--step(1)->1--| |--step(2)->2--|", spec_of(step, ()))
    assert "an earlier step has returned" in error.message


def test_a_declared_read_that_changes_the_state_is_rejected() -> None:
    body = type("Box", (), {"initial": {}, "step": lambda state: (state.setdefault("a", 1), state)})
    with pytest.raises(linpoint.SpecError, match=r"LP-S007 Box\.step: it is declared to read"):
        linpoint.check("A: |--step()->1--|", linpoint.spec(reads=["step"])(body))


def test_a_spec_that_depends_on_more_than_its_state_is_a_coded_error() -> None:
    numbers = itertools.count()
    spec = spec_of(lambda state: (next(numbers), state), 0)
    with pytest.raises(linpoint.SpecError, match=r"LP-S009.*step\(\) -> 0"):
        linpoint.check("A: |--step()->0--|", spec)


def test_lists_stay_lists_if_the_first_state_is_a_list() -> None:
    spec = spec_of(lambda state, x: (None, state + [x]), [], look=lambda state: (state, state))  # noqa: RUF005
    assert linpoint.check("A: |--step(1)--| |--look()->[1]--|", spec).status is Status.LINEARIZABLE
    assert linpoint.check("A: |--step(1)--| |--look()->[0, 1]--|", spec(initial=[0])).status is Status.LINEARIZABLE


def test_checks_do_not_change_the_first_state() -> None:
    first: dict[str, list[int]] = {"items": []}
    spec = spec_of(
        lambda state, x: (state["items"].append(x), state), first, look=lambda state: (state["items"], state)
    )
    for _ in range(2):
        assert linpoint.check("A: |--step(1)--| |--look()->[1]--|", spec).status is Status.LINEARIZABLE
    assert first == {"items": []}
    found = linpoint.conformance(spec, [{"op": "step", "args": [1]}, {"op": "look"}], max_states=5)
    (problem,) = found.problems
    assert re.fullmatch(r"step changes the state it is given \(.*test_mutating_specs\.py:\d+\)", problem)


def test_class_attributes_are_not_state() -> None:
    class Shared:
        items: list[int] = []  # noqa: RUF012 - that is the mistake
        limit = 3

        def put(self, value: int) -> int:
            self.items.append(value)
            return len(self.items)

        def peek(self) -> int:
            return self.limit

    spec = linpoint.sequential(Shared)
    assert linpoint.check("A: |--peek()->3--|", spec).status is Status.LINEARIZABLE
    error = refusal("A: |--put(1)->1--| |--put(2)->2--|", spec)
    assert "Shared.items" in error.message
    refusal("A: |--peek()->3--|", spec)


def test_the_order_of_an_ordered_dict_is_part_of_the_state() -> None:
    """put a, put b, get a: now b is the oldest and is evicted by c; comparing entries without order could evict a."""

    def put(state, key, value):
        state[key] = value
        state.move_to_end(key)
        return (state.popitem(last=False)[0] if len(state) > 2 else None), state

    spec = spec_of(put, collections.OrderedDict(), get=lambda state, key: (state.move_to_end(key) or state[key], state))
    history = """
        A: |--step("a", 1)--|   |--step("b", 1)--|  |--get("a")->1--|                   |--step("c", 1)->"%s"--|
        B:                                                           |--get("a")->1--|
    """
    assert linpoint.check(history % "b", spec).status is Status.LINEARIZABLE
    assert linpoint.check(history % "a", spec).status is Status.VIOLATION
    whole = spec_of(lambda state: (state, state), collections.OrderedDict(b=1, a=2))
    assert linpoint.check('A: |--step()->{"a": 2, "b": 1}--|', whole).status is Status.LINEARIZABLE


@pytest.mark.parametrize(
    "step",
    [
        lambda state: (state.popitem()[0], state),
        lambda state: (next(iter(state)), state),
        lambda state: (list(state), state),
        lambda state: (None, {**state, next(iter(state)): 3}),
    ],
)
def test_a_step_that_depends_on_the_order_of_keys_is_rejected(step: Callable[..., Any]) -> None:
    history = 'A: |--add("a")--| |--step()->"a"--|\nB: |--add("b")--|'
    spec = spec_of(step, {}, add=lambda state, key: (None, {**state, key: 1}))
    with pytest.raises(linpoint.SpecError, match=r"LP-S007 Box\.step: its outcomes depend on the key order"):
        linpoint.check(history, spec)


def test_a_choice_among_the_keys_of_a_dict_follows_their_order() -> None:
    def take(state):
        return [(key, {other: 1 for other in state if other != key}) for key in state]

    spec = spec_of(take, {"a": 1, "b": 2, "c": {"d": 1, "e": [{"f": 1, "g": 2}]}})
    assert linpoint.check('A: |--step()->"b"--|', spec).status is Status.LINEARIZABLE


class Register(linpoint.Model):
    value = linpoint.atomic(0)

    @linpoint.operation(new=[1, 2])
    def write(self, new):
        self.value.store(new)

    @linpoint.operation()
    def read(self):
        return self.value.load()


class InPlace:
    """An object with ``apply`` that works in place."""

    initial = {"value": 0}  # noqa: RUF012 - as users write it
    name = "in-place"

    def apply(self, state: Any, op: linpoint.Operation) -> Any:
        if op.name == "write":
            state["value"] = op.args[0]
            return None, state
        return state["value"], state


@pytest.mark.parametrize("spec", [InPlace(), linpoint.specs.register(initial=0)])
def test_models_are_compared_with_in_place_steps(spec: Any) -> None:
    result = linpoint.check_model(Register, spec, processes=2, operations=2)
    assert result.status is Status.HOLDS


def test_models_are_not_compared_with_objects_that_change() -> None:
    class Changed(InPlace):
        initial = Account()  # type: ignore[assignment]

        def apply(self, state: Any, op: linpoint.Operation) -> Any:
            if op.name == "write":
                state.balance = op.args[0]
            return (None if op.name == "write" else state.balance), state

    with pytest.raises(linpoint.SpecError, match="LP-S008"):
        linpoint.check_model(Register, Changed(), processes=2, operations=1)


def test_the_command_reports_the_cost_of_copies_and_exits_with_2_when_it_rejects(
    linpoint_command: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "specs.py").write_text(
        """
import linpoint

class Account:
    sum = 0

def add(state, n):
    state["sum"] += n
    return state["sum"], state

def pay(state, n):
    state.sum += n
    return state.sum, state

Good = linpoint.spec(type("Good", (), {"initial": {"sum": 0}, "add": add}))
Bad = linpoint.spec(type("Bad", (), {"initial": Account(), "add": pay}))
"""
    )
    line = {"process": 0, "op": "add", "args": [2], "result": 2, "call": 1, "return": 2}
    (tmp_path / "history.jsonl").write_text(json.dumps(line))
    good = linpoint_command("check", "history.jsonl", "--spec", "specs.py:Good")
    assert (good.returncode, good.stdout.partition(":")[0]) == (0, "LINEARIZABLE")
    assert re.fullmatch(
        r"linpoint: Good\.add changes its state in place \(specs\.py:8\); linpoint therefore copies the state "
        r"for every step of Good, which takes about [\d.]+ us per step\n",
        good.stderr,
    )
    bad = linpoint_command("check", "history.jsonl", "--spec", "specs.py:Bad")
    assert bad.returncode == 2
    assert bad.stderr.startswith("error: LP-S008 specs.py:12: Bad.add changes an object of type Account")
