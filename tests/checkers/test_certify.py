# SPDX-License-Identifier: Apache-2.0
"""Certification refuses what is not evidence, whoever made it."""

import random

import pytest

import linpoint
from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.certify import certify_prefix, certify_witness
from linpoint.checkers.conditions import CONDITIONS
from linpoint.errors import CertificateError
from linpoint.verdicts import StuckFrontier, Witness
from tests.generation import MAKERS, random_history

REGISTER = linpoint.specs.register
WRITE_READ = linpoint.history("A: |--write(1)--|  |--read()->1--|")


def refused(history: linpoint.History, order: tuple[int, ...], condition: str = "linearizable") -> None:
    with pytest.raises(CertificateError) as caught:
        certify_witness(history, range(len(history)), REGISTER, condition, Witness(order))
    assert caught.value.code == "LP-V001"
    assert caught.value.remedy


def test_a_good_order_is_accepted() -> None:
    certify_witness(WRITE_READ, [0, 1], REGISTER, "linearizable", Witness((0, 1)))


def test_wrong_orders_are_refused() -> None:
    refused(WRITE_READ, (1, 0))  # against time and against the spec
    refused(WRITE_READ, (0,))  # leaves out an operation that returned
    refused(WRITE_READ, (0, 0, 1))  # names one twice
    refused(WRITE_READ, (0, 1, 2))  # names one that is not there


def test_real_time_is_checked_even_where_the_spec_would_agree() -> None:
    history = linpoint.history("""
        A: |--write(1)--|
        B:                 |--write(1)--|
    """)
    refused(history, (1, 0))
    certify_witness(history, [0, 1], REGISTER, "sequential", Witness((1, 0)))


def test_what_a_crash_cut_off_must_come_in_time() -> None:
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
    certify_witness(history, range(2), REGISTER, "buffered-durable", Witness((0, 1), (0,)))
    for survivors in [(1,), (2,), (), None]:
        with pytest.raises(CertificateError):
            certify_witness(history, range(2), REGISTER, "buffered-durable", Witness((0, 1), survivors))


def test_prefixes_are_checked() -> None:
    certify_prefix(WRITE_READ, [0, 1], REGISTER, "linearizable", StuckFrontier((0,), ()))
    for prefix in [(1,), (7,)]:
        with pytest.raises(CertificateError):
            certify_prefix(WRITE_READ, [0, 1], REGISTER, "linearizable", StuckFrontier(prefix, ()))


def test_a_shuffled_order_is_accepted_only_if_the_oracle_could_have_given_it() -> None:
    """Certification and oracle are written apart; on any order of a random history they must agree."""
    rng = random.Random(5)
    accepted = 0
    for _ in range(3000):
        name = rng.choice(["register", "queue", "set", "mwcas"])
        condition = rng.choice([c for c in CONDITIONS if c != "buffered-durable"])
        history, spec = random_history(rng, name, operations=4, crashes=rng.random() < 0.5)
        positions = [p for p, op in enumerate(history) if op.outcome is not linpoint.Outcome.FAILED]
        keep = [p for p in positions if history[p].outcome is linpoint.Outcome.OK or rng.random() < 0.5]
        rng.shuffle(keep)
        try:
            certify_witness(history, positions, spec, condition, Witness(tuple(keep)))
        except CertificateError:
            continue
        accepted += 1
        assert brute_force(history, positions, spec, condition)[0]
    assert accepted > 300


def test_every_spec_is_generated() -> None:
    assert {name.partition("(")[0] for name in MAKERS} == set(linpoint.specs.BUILT_IN)
