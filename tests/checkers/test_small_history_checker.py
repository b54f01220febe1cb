# SPDX-License-Identifier: Apache-2.0
"""The fast judge of schedules against the oracle, on random histories of random, built-in and user specs.

Each order that it finds is certified twice: by ``certify``, as ``SpecJudge`` does for a sample, and by a certifier in
plain Python. One checker decides many histories of its spec, so remembered steps are tested too.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.certify import certify_witness
from linpoint.checkers.small_history_checker import SmallHistoryChecker
from linpoint.errors import CertificateError
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Spec, Step
from linpoint.verdicts import Witness
from tests.checkers.plain_certify import refusals
from tests.random_histories import MAKERS, random_history
from tests.user_specs import USER_MAKERS
from tests.volume import least_of, seeds, volume

HISTORIES = 100_000
CHUNKS = 10
HISTORIES_OF_A_SPEC = 10

NAMED = [*MAKERS, *USER_MAKERS]


def automaton(rng: random.Random) -> Spec:
    """A random spec: in each state an operation blocks, has one outcome, or several."""
    states = rng.randint(1, 4)

    def step(name: str) -> Step:
        arity = rng.randint(0, 1)
        table = {
            (state, argument): [
                (rng.choice([None, False, 0, 1]), rng.randrange(states)) for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))
            ]
            for state in range(states)
            for argument in ((), (1,), (2,))
        }
        takes_process = rng.random() < 0.2

        def apply(state: int, *args: int, process: object = None) -> list[tuple[Any, int]]:
            outcomes = table[state, args]
            return outcomes if process in (None, 0, 1) else outcomes[::-1][:1]

        return Step(name, apply, ("x",)[:arity], arity, takes_process=takes_process)

    return Spec(f"automaton of {states}", 0, {name: step(name) for name in ("a", "b", "c")[: rng.randint(1, 3)]})


def automaton_history(rng: random.Random, spec: Spec) -> History:
    """A random run of the spec, stretched in time and partly corrupted: with pending, failed and touching operations."""
    state, free, operations = spec.initial, [0, 0, 0], []
    for point in range(3, 10 * rng.randint(1, 7), 10):
        process = rng.randrange(len(free))
        if free[process] < 0:
            continue  # its last operation is pending
        name, step = rng.choice([*spec.steps.items()])
        args = tuple(rng.randint(1, 2) for _ in step.parameters)
        began = max(free[process], point - rng.choice([0, 3, 8, 20]))
        ended = max(began, point + rng.choice([0, 2, 7, 20]))
        outcome = rng.choices([Outcome.OK, Outcome.UNKNOWN, Outcome.FAILED], [8, 1, 1])[0]
        outcomes = spec.outcomes(state, Operation(process, name, args))
        result, after = rng.choice(outcomes or [(0, state)])
        if outcome is not Outcome.FAILED:
            state = after
        if rng.random() < 0.1:
            result = rng.choice([None, False, 0, 1])
        returned = None if outcome is Outcome.UNKNOWN else ended
        operations.append(
            Operation(process, name, args, result if outcome is Outcome.OK else None, began, returned, outcome)
        )
        free[process] = -1 if outcome is Outcome.UNKNOWN else ended
    rng.shuffle(operations)
    return History(operations)


def named_history(rng: random.Random, name: str) -> History:
    odd = rng.random() < 0.1
    return random_history(rng, name, keyed=odd and name != "map", hints=odd and rng.random() < 0.5)[0]


def describe(history: History) -> str:
    return "\n".join(f"{op.process} {op} [{op.call}, {op.return_}] {op.key} {op.order}" for op in history)


def has_order(history: History, spec: Spec) -> bool:
    """The oracle's verdict."""
    effective = [at for at, op in enumerate(history) if op.outcome is not Outcome.FAILED]
    return brute_force(history, effective, spec, "linearizable")[0]


def certify_plainly(history: History, spec: Spec, order: Sequence[int]) -> list[str]:
    """Raise if ``certify`` rejects the order; return the objections of the certifier in plain Python."""
    everything, witness = range(len(history)), Witness(tuple(order))
    certify_witness(history, everything, spec, "linearizable", witness)
    return refusals(history, everything, spec, "linearizable", witness)


def compare(seed: str, histories: int) -> Counter[str]:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(histories):
        if number % HISTORIES_OF_A_SPEC == 0:
            name = rng.choice(NAMED) if rng.random() < 0.5 else ""
            spec = automaton(rng) if not name else (MAKERS | USER_MAKERS)[name][0]
            checker = SmallHistoryChecker(spec)
        history = named_history(rng, name) if name else automaton_history(rng, spec)
        story = f"seed {seed}, history {number}: {spec.name}\n{describe(history)}"
        expected = has_order(history, spec)
        order = checker.find_order(history.operations)
        left = any(op.order is not None or (op.key is not None and not spec.key_argument) for op in history)
        if order is not None:
            wrong = certify_plainly(history, spec, order)
            assert not wrong, f"{story}\n{wrong}"
        assert (order is not None) == (expected and not left), story
        seen["passes"] += order is not None
        seen["violations"] += not expected
        seen["left to check"] += left
        seen["pending"] += any(op.outcome is Outcome.UNKNOWN for op in history)
        seen["random specs"] += not name
        seen["specs of users"] += name in USER_MAKERS
        seen["processes"] += spec.uses_process
    return seen


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(CHUNKS, "small histories"))
def test_the_small_history_checker_agrees_with_the_oracle(seed: str) -> None:
    histories = volume(HISTORIES // CHUNKS)
    seen = compare(seed, histories)
    assert min(seen["passes"], seen["violations"]) >= least_of(1 / 5, histories)
    assert min(seen["pending"], seen["random specs"]) >= least_of(1 / 5, histories)
    assert min(seen["specs of users"], seen["processes"], seen["left to check"]) > 0


# Earlier wrong verdicts, and edge cases


def find_order(spec: Spec, *operations: Operation) -> list[int] | None:
    order = SmallHistoryChecker(spec).find_order(operations)
    assert (order is not None) == has_order(History(operations), spec)
    return order


REGISTER = BUILT_IN["register"]


def test_a_failed_operation_has_no_effect() -> None:
    write = Operation(0, "write", (1,), None, 0, 1, Outcome.FAILED)
    assert find_order(REGISTER, write, Operation(1, "read", (), 1, 2, 3)) is None
    assert find_order(REGISTER, write, Operation(1, "read", (), None, 2, 3)) == [1]


def test_a_pending_operation_may_take_effect_or_not() -> None:
    write = Operation(0, "write", (1,), None, 0, None, Outcome.UNKNOWN)
    assert find_order(REGISTER, write, Operation(1, "read", (), 1, 2, 3)) == [0, 1]
    assert find_order(REGISTER, write, Operation(1, "read", (), None, 2, 3)) == [1]


def test_a_pending_operation_that_blocks_is_left_out() -> None:
    held = Operation(0, "acquire", (), None, 0, 1)
    waiting = Operation(1, "acquire", (), None, 2, None, Outcome.UNKNOWN)
    assert find_order(BUILT_IN["mutex"], held, waiting) == [0]


def test_operations_of_a_process_at_one_moment_keep_their_order() -> None:
    one, other = Operation(0, "write", (1,), None, 5, 5), Operation(0, "write", (2,), None, 5, 5)
    assert find_order(REGISTER, one, other, Operation(1, "read", (), 1, 6, 7)) is None
    assert find_order(REGISTER, one, other, Operation(1, "read", (), 2, 6, 7)) == [0, 1, 2]


def test_touching_operations_of_different_processes_overlap() -> None:
    write, read = Operation(0, "write", (1,), None, 0, 5), Operation(1, "read", (), None, 5, 6)
    assert find_order(REGISTER, write, read) == [1, 0]


def test_equal_operations_of_two_processes_differ_if_the_spec_uses_the_process() -> None:
    lock = USER_MAKERS["owned-lock"][0]
    acquire = Operation(0, "acquire", (), None, 0, 1)
    assert find_order(lock, acquire, Operation(1, "release", (), None, 2, 3)) is None
    assert find_order(lock, acquire, Operation(0, "release", (), None, 2, 3)) == [0, 1]


def test_keys_of_a_map_differ_and_keys_of_objects_are_left_to_check() -> None:
    put = Operation(0, "put", (1,), None, 0, 1, key="x")
    assert find_order(BUILT_IN["map"], put, Operation(0, "get", (), None, 2, 3, key="y")) == [0, 1]
    assert find_order(BUILT_IN["map"], put, Operation(0, "get", (), None, 2, 3, key="x")) is None
    write = Operation(0, "write", (1,), None, 0, 1, key="x")
    assert SmallHistoryChecker(REGISTER).find_order([write]) is None


def test_a_wrong_order_is_rejected() -> None:
    history = History([Operation(0, "write", (1,), None, 0, 1), Operation(1, "read", (), 1, 2, 3)])
    with pytest.raises(CertificateError):
        certify_plainly(history, REGISTER, [1, 0])
