# SPDX-License-Identifier: Apache-2.0
"""Which condition implies which, and the meaning of both kinds of crashes under each, by hand and by the oracle."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import linpoint
from linpoint import Crash, History, Operation, Outcome, Status
from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.eras import Eras
from linpoint.options.choices import CONDITIONS
from tests.checkers.plain_certify import possible_eras
from tests.checkers.test_differential import describe
from tests.random_histories import MAKERS, random_history
from tests.volume import SEED, volume

IMPLIES = {
    "strict": ("recoverable", "buffered-durable"),
    "recoverable": ("durable", "sequential"),
    "durable": ("linearizable",),
}


@pytest.mark.random
def test_which_condition_is_stronger() -> None:
    """For histories of one object, as documented."""
    rng = random.Random(f"{SEED} stronger")
    histories = volume(2000)
    told_apart: Counter[tuple[str, str]] = Counter()
    for number in range(histories):
        history, spec = random_history(rng, rng.choice(["register", "queue", "set", "counter"]), crashes=True)
        positions = [p for p, op in enumerate(history) if op.outcome is not Outcome.FAILED]
        holds = {each: brute_force(history, positions, spec, each)[0] for each in CONDITIONS}
        weaker = [(strong, weak) for strong, others in IMPLIES.items() for weak in others]
        if all(crash.of_object for crash in history.crashes):
            weaker.append(("durable", "buffered-durable"))
        for strong, weak in weaker:
            assert holds[weak] or not holds[strong], f"{number}: {strong}, {weak}\n{describe(history)}"
            told_apart[strong, weak] += holds[weak] and not holds[strong]
    assert told_apart.total() > 0


INTERRUPTED = """
    A:             |--write(1)--...
    object crash:                    X
    B:                                 |--read()--|   |--read()->1--|
"""
GOES_ON = """
    A:             |--write(1)--...    |--read()--|
    object crash:                    X
    B:                                               |--read()->1--|
"""
SPANS = """
    A:             |--write(1)---------------------|
    object crash:                X
    B:                              |--read()--|      |--read()->1--|
"""
LOST_REPLY = """
    A:             |--write(1)---------|
    object crash:               X
    B:                                     |--read()--|
"""
SURVIVES = """
    A:             |--write(1)--|  |--write(2)--|
    object crash:                                  X
    B:                                                |--read()->1--|
"""
FIRST_LOST = """
    A:             |--write(1)--|  |--write(2)------|
    object crash:                                 X
    B:                                                |--read()--|  |--read()->1--|
"""


@pytest.mark.parametrize(
    ("drawing", "violated"),
    [
        (INTERRUPTED, {"strict"}),
        (GOES_ON, {"strict", "recoverable", "sequential"}),
        (SPANS, set()),
        (LOST_REPLY, {"linearizable", "strict", "recoverable", "durable"}),
        (SURVIVES, {"linearizable", "strict", "recoverable", "durable"}),
        (FIRST_LOST, {"linearizable", "strict", "recoverable", "durable", "buffered-durable"}),
    ],
    ids=["interrupted", "goes on", "spans", "lost reply", "survives", "first lost"],
)
@pytest.mark.parametrize("checker", ["brute-force", "auto", "linear", "dfs", "wing-gong"])
def test_a_crash_of_the_object_has_the_documented_meaning(drawing: str, violated: set[str], checker: str) -> None:
    for condition in CONDITIONS:
        verdict = linpoint.check(drawing, "register", condition=condition, checker=checker)
        assert (verdict.status is Status.VIOLATION) is (condition in violated), condition
        assert verdict.status is not Status.UNKNOWN


def test_the_default_condition_is_durable() -> None:
    assert linpoint.check(SPANS, "register").condition == "durable"


def test_a_crash_of_everything_ends_its_clients() -> None:
    with pytest.raises(linpoint.HistoryError, match=r"LP-H013.*\"object\""):
        linpoint.history(SPANS.replace("object crash:", "crash:       "))


@pytest.mark.random
def test_eras_agree_with_the_definition() -> None:
    rng = random.Random(f"{SEED} eras")
    several = 0
    for _ in range(volume(2000)):
        history, _ = random_history(rng, rng.choice(list(MAKERS)), crashes=True, skew=rng.random() < 0.4)
        eras = Eras(history)
        for op in history:
            first, last = eras.span(op)
            assert possible_eras(history, op) == [*range(first, last + 1)], describe(history)
            several += last > first
    assert several > 100


def test_crashes_at_one_time_count_as_one() -> None:
    """If one of them is a crash of everything, it is the one that counts."""
    ops = [Operation("A", "write", (1,), None, 0, 5), Operation("B", "read", (), None, 5, 9)]
    crashes = [Crash(5, of_object=True), Crash(5), Crash(5, of_object=True)]
    history = History(ops, crashes=crashes)
    assert Eras(history).ends == [5]
    assert [Eras(history).span(op) for op in history] == [(0, 0), (1, 1)]
    assert linpoint.check(history, "register", condition="durable").status is Status.VIOLATION
    buffered = linpoint.check(history, "register", condition="buffered-durable").witness
    assert buffered is not None
    assert (buffered.survivors, buffered.eras) == ((0,), (1,))
    assert [*map(tuple, buffered.by_era())] == [(0,), (1,)]
