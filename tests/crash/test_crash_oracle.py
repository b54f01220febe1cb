# SPDX-License-Identifier: Apache-2.0
"""The fast path of the oracle against the general checker and brute force, on correct and incorrect crashes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

import linpoint
from linpoint.checkers.check import check_with_progress
from linpoint.crash.crash_case import CrashCase, history_of_crash
from linpoint.crash.crash_oracle import CrashOracle
from linpoint.histories.values import thaw
from linpoint.hosts.crash_messages import CrashQuestion
from linpoint.scenarios.scenario import Call
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find
from linpoint.verdicts import Status
from tests.volume import SEED, volume


@linpoint.spec(reads=["look"])
class Bag:
    """Nondeterministic: ``take`` returns any of its items."""

    initial = ()

    def put(state: Any, x: Any) -> Any:  # noqa: N805 - a spec's step
        return None, tuple(sorted((*state, x)))

    def take(state: Any) -> Any:  # noqa: N805 - a spec's step
        return [(each, tuple(sorted(_without(state, each)))) for each in set(state)] or [(None, state)]

    def look(state: Any) -> Any:  # noqa: N805 - a spec's step
        return len(state), state


def _without(state: tuple[Any, ...], gone: Any) -> list[Any]:
    rest = list(state)
    rest.remove(gone)
    return rest


def _keyed(names: dict[str, int]) -> Any:
    def make(draw: random.Random) -> Call:
        name = draw.choice(list(names))
        return Call(name, (draw.randint(1, 3), *(draw.randint(1, 3) for _ in range(names[name]))))

    return make


def _plain(names: dict[str, int]) -> Any:
    def make(draw: random.Random) -> Call:
        name = draw.choice(list(names))
        return Call(name, tuple(draw.randint(1, 3) for _ in range(names[name])))

    return make


def _words(draw: random.Random) -> Call:
    words = draw.sample([0, 1, 2], draw.randint(1, 2))
    match draw.choice(["read", "mwcas", "mwwrite"]):
        case "read":
            return Call("read", (tuple(words),))
        case "mwcas":
            return Call("mwcas", (tuple((word, draw.randint(0, 2), draw.randint(0, 2)) for word in words),))
        case _:
            return Call("mwwrite", (tuple((word, draw.randint(0, 2)) for word in words),))


SPECS: dict[str, tuple[Any, Any]] = {
    "map": ("map", _keyed({"get": 0, "put": 1, "insert": 1, "delete": 0, "contains": 0, "cas": 2})),
    "set": ("set", _keyed({"add": 0, "remove": 0, "contains": 0})),
    "multiset": ("multiset", _keyed({"add": 0, "remove": 0, "count": 0})),
    "queue": ("queue", _plain({"enqueue": 1, "dequeue": 0, "peek": 0})),
    "bounded": ("queue(capacity=2)", _plain({"enqueue": 1, "dequeue": 0, "peek": 0})),
    "stack": ("stack", _plain({"push": 1, "pop": 0, "peek": 0})),
    "deque": ("deque", _plain({"push-front": 1, "push-back": 1, "pop-front": 0, "pop-back": 0})),
    "priority-queue": ("priority-queue", _plain({"insert": 1, "delete-max": 0, "peek": 0})),
    "register": ("register", _plain({"read": 0, "write": 1})),
    "cas-register": ("cas-register", _plain({"read": 0, "write": 1, "cas": 2, "swap": 1})),
    "counter": ("counter", _plain({"read": 0, "increment": 0, "add": 1})),
    "log": ("log", _plain({"append": 1, "read": 0})),
    "mwcas": ("mwcas", _words),
    "bag": (Bag, _plain({"put": 1, "take": 0, "look": 0})),
}


def _step(spec: Spec, state: Any, call: Call, draw: random.Random) -> tuple[Any, Any]:
    return draw.choice(spec.outcomes(state, linpoint.Operation(0, call.operation, call.args)))


def _mutated(result: Any, draw: random.Random) -> Any:
    return draw.choice([None, True, False, 1, 2, 3, 0, (1,), (), result])


def _cases(
    spec: Spec, make: Any, draw: random.Random, *, most: int
) -> Iterator[tuple[list[Call], list[Any], CrashCase]]:
    """Crashes of a random workload: with the results of a correct object, and with one error."""
    workload = [make(draw) for _ in range(draw.randint(1, most))]
    probes = [make(draw) for _ in range(draw.randint(0, most))]
    beside = [make(draw) for _ in range(draw.randint(0, 2))]
    calls = [*workload, *probes, *beside]
    state, results, states = spec.initial, [], [spec.initial]
    for call in workload:
        result, state = _step(spec, state, call, draw)
        results.append(result)
        states.append(state)
    for _ in range(6):
        at = draw.randint(0, len(workload))
        now = states[at]
        others = [len(workload) + len(probes) + number for number in range(len(beside))]
        opened = [at] if at < len(workload) and draw.random() < 0.7 else []
        opened += [number for number in others if draw.random() < 0.3]
        chosen = [(number, False) for number in others if number not in opened]
        chosen += [(number, True) for number in opened if draw.random() < 0.5]
        draw.shuffle(chosen)
        done = []
        for number, is_open in chosen:
            result, now = _step(spec, now, calls[number], draw)
            if not is_open:
                done.append((number, _mutated(result, draw) if draw.random() < 0.05 else result))
        seen = []
        for number in range(len(workload), len(workload) + len(probes)):
            result, now = _step(spec, now, calls[number], draw)
            seen.append((number, _mutated(result, draw) if draw.random() < 0.08 else result))
        yield calls, results, CrashCase(tuple(enumerate(results[:at])), tuple(opened), tuple(done), tuple(seen))


def _asked(case: CrashCase) -> CrashQuestion:
    def told(values: Any) -> Any:
        return [[thaw(value)] for value in values]

    return CrashQuestion(
        "DL1",
        len(case.before),
        list(case.open),
        [(number, thaw(result)) for number, result in case.done],
        "complete",
        msgspec.Raw(msgspec.json.encode([number for number, _ in case.probes])),
        msgspec.Raw(msgspec.json.encode(told(result for _, result in case.probes))),
    )


@pytest.mark.random
@pytest.mark.parametrize("name", SPECS)
def test_the_oracle_agrees_with_the_checker(name: str) -> None:
    text, make = SPECS[name]
    spec = find(text)
    draw = random.Random(f"{SEED} {name}")
    workloads = volume(75)
    verdicts = {True: 0, False: 0}
    for _ in range(workloads):
        for calls, results, case in _cases(spec, make, draw, most=8):
            oracle = CrashOracle(spec, calls, results)
            expected = oracle.verdict(case).status is Status.LINEARIZABLE
            assert oracle.allows(_asked(case)) is expected, case
            assert oracle.explains(case) is expected, case
            assert oracle.disagreed == oracle.undecided == 0
            verdicts[expected] += 1
    assert min(verdicts.values()) > 0


@pytest.mark.random
@pytest.mark.parametrize("name", SPECS)
def test_the_oracle_agrees_with_brute_force(name: str) -> None:
    text, make = SPECS[name]
    spec = find(text)
    draw = random.Random(f"{SEED} brute {name}")
    for _ in range(volume(15)):
        for calls, results, case in _cases(spec, make, draw, most=3):
            verdict, _ = check_with_progress(
                history_of_crash(case, calls), spec, checker="brute-force", condition="strict"
            )
            assert CrashOracle(spec, calls, results).allows(_asked(case)) is (verdict.status is Status.LINEARIZABLE), (
                case
            )


@pytest.mark.random
@pytest.mark.parametrize("condition", ["durable", "recoverable", "buffered-durable", "linearizable", "sequential"])
@pytest.mark.parametrize("name", ["map", "queue", "cas-register", "bag"])
def test_the_oracle_agrees_under_other_conditions(name: str, condition: str) -> None:
    text, make = SPECS[name]
    spec = find(text)
    draw = random.Random(f"{SEED} {name} {condition}")
    for _ in range(volume(10)):
        for calls, results, case in _cases(spec, make, draw, most=6):
            oracle = CrashOracle(spec, calls, results, condition=condition)
            expected = oracle.verdict(case).status is Status.LINEARIZABLE
            assert oracle.allows(_asked(case)) is expected, case


def test_true_is_not_one() -> None:
    calls = [Call("insert", (1, 1)), Call("get", (1,)), Call("insert", (1, 2))]
    oracle = CrashOracle(find("map"), calls, [True])
    for seen, allowed in ((1, True), (1.0, True), (True, False), (None, False)):
        case = CrashCase(((0, True),), probes=((1, seen), (2, False)))
        assert oracle.allows(_asked(case)) is allowed, seen


@pytest.mark.parametrize("name", ["map", "queue", "cas-register"])
def test_operations_in_another_order_have_the_results_of_that_order(name: str) -> None:
    text, make = SPECS[name]
    spec, draw = find(text), random.Random(name)
    for _ in range(60):
        calls = [make(draw) for _ in range(9)]
        state, results = spec.initial, []
        for call in calls[:4]:
            result, state = _step(spec, state, call, draw)
            results.append(result)
        oracle = CrashOracle(spec, calls, results)
        order = draw.sample(range(4), 3)
        state, told = spec.initial, []
        for number in order:
            result, state = _step(spec, state, calls[number], draw)
            told.append((number, result))
        seen = []
        for number in range(4, 9):
            result, state = _step(spec, state, calls[number], draw)
            seen.append((number, _mutated(result, draw) if draw.random() < 0.1 else result))
        case = CrashCase(tuple(told), probes=tuple(seen))
        expected = oracle.verdict(case).status is Status.LINEARIZABLE
        asked = _asked(case)
        by_order = msgspec.structs.replace(asked, prefix=order)
        by_result = msgspec.structs.replace(by_order, prefix_results=[[thaw(result)] for _, result in told])
        assert oracle.allows(by_order) is expected
        assert oracle.allows(by_result) is expected


@pytest.mark.parametrize("ended", ["crash", "hang", "memory", "assertion", "exception", "deadlock"])
def test_a_recovery_that_does_not_return_is_never_allowed(ended: str) -> None:
    oracle = CrashOracle(find("map"), [Call("get", (1,))], [None])
    asked = msgspec.structs.replace(_asked(CrashCase(((0, None),))), ended=ended)
    assert not oracle.allows(asked)


def test_moments_may_be_queried_in_any_order() -> None:
    """Several hosts send queries in turn, each at its own moment of the trace."""
    spec, draw = find("map"), random.Random(4)
    make = SPECS["map"][1]
    calls = [make(draw) for _ in range(60)]
    state, results, states = spec.initial, [], [spec.initial]
    for call in calls[:40]:
        result, state = _step(spec, state, call, draw)
        results.append(result)
        states.append(state)
    oracle = CrashOracle(spec, calls, results)
    for _ in range(300):
        at = draw.randint(0, 40)
        now, seen = states[at], []
        for number in draw.sample(range(40, 60), draw.randint(1, 20)):
            result, now = _step(spec, now, calls[number], draw)
            seen.append((number, _mutated(result, draw) if draw.random() < 0.03 else result))
        case = CrashCase(tuple(enumerate(results[:at])), probes=tuple(seen))
        assert oracle.allows(_asked(case)) is (oracle.verdict(case).status is Status.LINEARIZABLE)


def test_wrong_probe_results_are_named() -> None:
    calls = [Call("insert", (1, 7)), Call("insert", (2, 8)), Call("get", (1,)), Call("get", (2,))]
    oracle = CrashOracle(find("map"), calls, [True, True])
    case = CrashCase(((0, True),), open=(1,), probes=((2, None), (3, 9)))
    first, second = oracle.refused(case)
    assert (first.probe, first.allowed, first.before, first.open) == (0, (7,), (0,), ())
    assert second.probe == 1
    assert set(second.allowed) == {None, 8}
    assert second.open == (1,)
