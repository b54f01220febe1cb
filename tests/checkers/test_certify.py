# SPDX-License-Identifier: Apache-2.0
"""Certification rejects invalid evidence from any source."""

import random
import re

import pytest

import linpoint
from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.certify import certify_prefix, certify_witness
from linpoint.checkers.conditions import NOT_LOCAL
from linpoint.errors import CertificateError
from linpoint.options.choices import CONDITIONS
from linpoint.verdicts import StuckFrontier, Witness
from tests.checkers.plain_certify import era_ends, possible_eras, refusals
from tests.checkers.test_differential import describe
from tests.random_histories import MAKERS, random_history
from tests.volume import SEED, least_of, volume

REGISTER = linpoint.specs.register
WRITE_READ = linpoint.history("A: |--write(1)--|  |--read()->1--|")


def refused(history: linpoint.History, order: tuple[int, ...], condition: str = "linearizable") -> None:
    with pytest.raises(CertificateError) as caught:
        certify_witness(history, range(len(history)), REGISTER, condition, Witness(order))
    assert caught.value.code == "LP-V001"
    assert caught.value.remedy


def test_a_good_order_is_accepted() -> None:
    certify_witness(WRITE_READ, [0, 1], REGISTER, "linearizable", Witness((0, 1)))


def test_wrong_orders_are_rejected() -> None:
    refused(WRITE_READ, (1, 0))  # against time and against the spec
    refused(WRITE_READ, (0,))  # omits an operation that returned
    refused(WRITE_READ, (0, 0, 1))  # names an operation twice
    refused(WRITE_READ, (0, 1, 2))  # names an operation that does not exist


def test_real_time_is_checked_even_if_the_spec_allows_the_order() -> None:
    history = linpoint.history("""
        A: |--write(1)--|
        B:                 |--write(1)--|
    """)
    refused(history, (1, 0))
    certify_witness(history, [0, 1], REGISTER, "sequential", Witness((1, 0)))


def test_an_interrupted_operation_must_precede_the_crash_under_strict() -> None:
    history = linpoint.history("""
        A:     |--write(1)--...
        B:                          |--read()->null--|  |--read()->1--|
        crash:                   X
    """)
    late = (1, 0, 2)
    certify_witness(history, range(3), REGISTER, "durable", Witness(late))
    refused(history, late, "strict")


def test_survivors_are_checked() -> None:
    history = linpoint.history("""
        A:     |--write(1)--|       |--read()->null--|
        crash:                   X
    """)
    certify_witness(history, range(2), REGISTER, "buffered-durable", Witness((0, 1), (0,), (1,)))
    for survivors in [(1,), (2,), (), None]:
        with pytest.raises(CertificateError):
            certify_witness(history, range(2), REGISTER, "buffered-durable", Witness((0, 1), survivors, (1,)))
    for eras in [(0,), (2,), (-1,), (), None]:
        with pytest.raises(CertificateError):
            certify_witness(history, range(2), REGISTER, "buffered-durable", Witness((0, 1), (0,), eras))


def test_prefixes_are_checked() -> None:
    certify_prefix(WRITE_READ, [0, 1], REGISTER, "linearizable", StuckFrontier((0,), ()))
    for prefix in [(1,), (7,)]:
        with pytest.raises(CertificateError):
            certify_prefix(WRITE_READ, [0, 1], REGISTER, "linearizable", StuckFrontier(prefix, ()))


def shuffled(rng: random.Random, history: linpoint.History, positions: list[int], condition: str) -> Witness:
    """An order of the operations: a random one, or the order of calls with a few operations moved."""
    keep = [p for p in positions if history[p].outcome is linpoint.Outcome.OK or rng.random() < 0.5]
    rng.shuffle(keep)
    if rng.random() < 0.6:
        keep.sort(key=lambda p: history[p].call + rng.choice([0, 0, rng.randint(-15, 15)]))
    if rng.random() < 0.05 and keep:
        keep.pop(rng.randrange(len(keep)))
    if rng.random() < 0.05 and keep:
        keep.append(rng.choice([keep[0], len(history), -1, rng.randrange(len(history))]))
    if condition != "buffered-durable":
        return Witness(tuple(keep))
    ends = era_ends(history)
    spans = [possible_eras(history, history[p]) if 0 <= p < len(history) else [0] for p in keep]
    chosen = [rng.choice([span[0], span[-1]]) for span in spans]
    lengths = [chosen.count(era) if rng.random() < 0.9 else rng.randint(-1, 3) for era in range(len(ends))]
    survivors = [rng.randint(-1 if rng.random() < 0.1 else 0, 3) for _ in ends]
    return Witness(tuple(keep), tuple(survivors), tuple(lengths))


@pytest.mark.random
@pytest.mark.parametrize("condition", CONDITIONS)
def test_exactly_the_orders_of_the_definition_are_accepted(condition: str) -> None:
    """The certifier, a plain one and the oracle share no code; they agree on any order of a random history."""
    rng = random.Random(f"{SEED} {condition}")
    histories = volume(3000)
    accepted = {True: 0, False: 0}
    for number in range(histories):
        name = rng.choice(["register", "cas-register", "queue", "set", "map", "mwcas", "mutex", "counter"])
        history, spec = random_history(
            rng,
            name,
            operations=5,
            crashes=rng.random() < 0.5,
            keyed=name != "map" and rng.random() < 0.2,
            hints=rng.random() < 0.4,
            skew=rng.random() < 0.4,
        )
        positions = [p for p, op in enumerate(history) if op.outcome is not linpoint.Outcome.FAILED]
        if history.keyed and condition not in NOT_LOCAL:  # evidence is for one object
            positions = [p for p in positions if history[p].key == "k"]
        witness = shuffled(rng, history, positions, condition)
        wrong = refusals(history, positions, spec, condition, witness)
        try:
            certify_witness(history, positions, spec, condition, witness)
        except CertificateError as error:
            assert wrong, f"history {number}: {error}\n{describe(history)}\n{witness}"
        else:
            assert not wrong, f"history {number}: {wrong}\n{describe(history)}\n{witness}"
            assert brute_force(history, positions, spec, condition)[0]
        accepted[not wrong] += 1
    assert min(accepted.values()) > least_of(1 / 10, histories)


@pytest.mark.random
@pytest.mark.parametrize("condition", [condition for condition in CONDITIONS if condition != "buffered-durable"])
def test_exactly_the_prefixes_of_the_definition_are_accepted(condition: str) -> None:
    rng = random.Random(f"{SEED} {condition} prefixes")
    histories = volume(1000)
    accepted = {True: 0, False: 0}
    for number in range(histories):
        name = rng.choice(["register", "queue", "set", "map", "log"])
        history, spec = random_history(
            rng, name, operations=6, crashes=rng.random() < 0.5, hints=rng.random() < 0.4, skew=rng.random() < 0.4
        )
        positions = [p for p, op in enumerate(history) if op.outcome is not linpoint.Outcome.FAILED]
        order = shuffled(rng, history, positions, condition).order
        prefix = order[: rng.randint(0, len(order))]
        wrong = refusals(history, positions, spec, condition, Witness(prefix), whole=False)
        try:
            certify_prefix(history, positions, spec, condition, StuckFrontier(prefix, ()))
        except CertificateError as error:
            assert wrong, f"history {number}: {error}\n{describe(history)}\n{prefix}"
        else:
            assert not wrong, f"history {number}: {wrong}\n{describe(history)}\n{prefix}"
        accepted[not wrong] += 1
    assert min(accepted.values()) > least_of(1 / 10, histories)


WORDS = {
    "the order omits": ("A: |--write(1)--|  |--read()->1--|", (0,), "linearizable"),
    "returned before": ("A: |--write(1)--|\nB:                 |--write(1)--|", (1, 0), "linearizable"),
    "ended at a crash": (
        [
            {"process": 0, "op": "write", "args": [1], "result": None, "call": 0, "return": 5},
            {"process": 1, "op": "write", "args": [1], "result": None, "call": 5, "return": 9},
            {"crash": True, "time": 5},
        ],
        (1, 0),
        "durable",
    ),
    "later era": (
        [
            {"process": 0, "op": "write", "args": [1], "result": None, "call": 0},
            {"process": 1, "op": "write", "args": [1], "result": None, "call": 5, "return": 9},
            {"crash": True, "time": 5},
        ],
        (1, 0),
        "buffered-durable",
    ),
    "later operation of its process": ("A: |--write(1)--|  |--write(1)--|", (1, 0), "sequential"),
    "larger order": (
        [
            {"process": n, "op": "write", "args": [1], "result": None, "call": 0, "return": 5, "order": n}
            for n in range(2)
        ],
        (1, 0),
        "linearizable",
    ),
    "the spec rejects read() -> 1": ("A: |--write(2)--|\nB: |--read()->1--|", (0, 1), "linearizable"),
    "contains write(1) -> failed, which had no effect": ("A: |--write(1)->failed--|", (0,), "linearizable"),
    "names an operation twice": ("A: |--write(1)--|", (0, 0), "linearizable"),
}


@pytest.mark.parametrize("words", WORDS)
def test_a_rejection_states_its_reason(words: str) -> None:
    lines, order, condition = WORDS[words]
    history = linpoint.history(lines)
    with pytest.raises(CertificateError, match=re.escape(words)):
        certify_witness(history, range(len(history)), REGISTER, condition, Witness(order, (0,), (1,)))


def test_every_spec_is_generated() -> None:
    assert {name.partition("(")[0] for name in MAKERS} == set(linpoint.specs.BUILT_IN)
