# SPDX-License-Identifier: Apache-2.0
"""Every checker against the oracle, on random small histories of every built-in spec and some user specs, under every
condition.

Many of the histories have order hints and clock skew. A separate certifier (`plain_certify`), independent of the native
core, checks the evidence of the checkers. So an error in the native steps, the native certifier or the searches
stays undetected only if the Python specs and the definition have the same error.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers import portfolio
from linpoint.checkers._native_search import SearchStatus, SeenTable, StopToken, depth_first, linear, wing_gong
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.executors.thread_executor import resident_memory
from linpoint.histories.history import History
from linpoint.options.choices import CHECKERS, CONDITIONS
from linpoint.specs.spec import Spec
from linpoint.verdicts import Verdict, Witness
from linpoint.verdicts.refutation import Pattern, RefutedStart, StuckFrontier
from tests.checkers.plain_certify import pattern_refusals, refusals, start_refusals
from tests.random_histories import MAKERS, random_history
from tests.user_specs import USER_MAKERS
from tests.volume import seeds

DAY_HISTORIES = 5_000
LONG_HISTORIES = 1_000_000
CHUNKS = 4
LONG_CHUNKS = 100

SEARCH_BYTES = 8 << 20
"""The memory limit of a search on a longer history; most need less."""

SPECS = [*MAKERS, *USER_MAKERS]
FAST = [checker for checker in CHECKERS if checker != "brute-force"]


def describe(history: History) -> str:
    lines = [
        f"{op.process} {op} [{op.call}, {op.return_}] key={op.key!r}"
        + ("" if op.order is None else f" order={op.order}")
        for op in history
    ]
    return "\n".join([*lines, *map(str, history.crashes), f"clock skew {history.clock_skew}"])


def drawn(rng: random.Random) -> tuple[str, str, History, Spec]:
    name = rng.choice(SPECS)
    condition = rng.choice(CONDITIONS)
    history, spec = random_history(
        rng,
        name,
        crashes=rng.random() < 0.5,
        keyed=name != "map" and rng.random() < 0.25,
        hints=rng.random() < 0.35,
        skew=rng.random() < 0.35,
    )
    return name, condition, history, spec


def objections(verdict: Verdict, certified: set[object]) -> list[str]:
    """The flaws in the evidence of a verdict; ``certified`` saves checking the same evidence twice."""
    history, spec, condition = verdict.history, verdict.spec, verdict.condition
    evidence: list[tuple[tuple[int, ...], Witness, bool]] = []
    patterns: list[tuple[tuple[int, ...], Pattern]] = []
    wrong: list[str] = []
    for key in verdict.keys:
        if key.witness is not None:
            evidence.append((tuple(key.positions), _plain(key.witness), True))
        if isinstance(key.refutation, StuckFrontier):
            evidence.append((tuple(key.positions), Witness(key.refutation.prefix), False))
        if isinstance(key.refutation, Pattern):
            reason, operations, scope = key.refutation.reason, key.refutation.operations, key.refutation.scope
            patterns.append((tuple(key.positions), Pattern(reason, operations, tuple(scope))))
        if isinstance(key.refutation, RefutedStart):
            wrong += start_refusals(history, key.positions, spec, condition, key.refutation)
    whole = verdict.witness
    if whole is not None and len(verdict.keys) > 1:
        positions = tuple(sorted(p for key in verdict.keys for p in key.positions))
        evidence.append((positions, _plain(whole), True))
    for positions, pattern in patterns:
        wrong += pattern_refusals(history, positions, spec, condition, pattern)
    for each in evidence:
        if each not in certified:
            positions, witness, complete = each
            wrong += refusals(history, positions, spec, condition, witness, whole=complete)
            certified.add(each)
    return wrong


def _plain(witness: Witness) -> Witness:
    return Witness(tuple(witness.order), witness.survivors, witness.eras)


def compare(seed: str, histories: int) -> None:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(histories):
        name, condition, history, spec = drawn(rng)
        story = f"seed {seed}, history {number}: {name}, {condition}"
        expected = linpoint.check(history, spec, checker="brute-force", condition=condition, jobs=1)
        certified: set[object] = set()
        assert not objections(expected, certified), f"brute-force, {story}\n{describe(history)}"
        seen[expected.status.value] += 1
        seen["hinted"] += any(op.order is not None for op in history)
        seen["skewed"] += history.clock_skew > 0
        jobs = 3 if rng.random() < 0.05 else 1
        for checker in FAST:
            found = linpoint.check(history, spec, checker=checker, condition=condition, jobs=jobs)
            excluded = checker in ("monitor", "frontier", "graph", "eras") and found.status is Status.UNKNOWN
            assert excluded or found.status is expected.status, f"{checker}, {story}\n{describe(history)}"
            assert found.why
            seen["monitored"] += checker == "monitor" and not excluded
            seen["patterns"] += checker == "monitor" and found.status is Status.VIOLATION
            seen["graphs"] += checker == "graph" and not excluded
            seen["eras"] += checker == "eras" and not excluded
            wrong = objections(found, certified)
            assert not wrong, f"{checker}, {story}\n{describe(history)}\n{wrong}"
    assert seen["violation"] >= histories / 5
    assert seen["linearizable"] >= histories / 5
    assert seen["unknown"] == 0
    assert min(seen["hinted"], seen["skewed"]) >= histories / 4
    assert seen["monitored"] >= histories / 20
    assert seen["patterns"] >= histories / 40
    assert seen["graphs"] > 0
    assert seen["eras"] >= histories / 30


@pytest.mark.parametrize("seed", seeds(CHUNKS))
def test_checkers_agree_with_the_oracle(seed: str) -> None:
    compare(seed, DAY_HISTORIES // CHUNKS)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG_CHUNKS, "long"))
def test_checkers_agree_with_the_oracle_on_a_million(seed: str) -> None:
    compare(seed, LONG_HISTORIES // LONG_CHUNKS)


# Longer histories, for which there is no oracle: more operations than bits of a word, and moving windows


@pytest.fixture
def early_races(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other searches join after a few wrong turns, so that the portfolio is used often."""
    monkeypatch.setattr(portfolio, "FIRST_TURN_CONFIGURATIONS", 5)


def compare_longer(seed: str, histories: int) -> None:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(histories):
        name = rng.choice(SPECS)
        condition = rng.choice(CONDITIONS)
        history, spec = random_history(
            rng,
            name,
            operations=rng.choice([20, 40, 80, 150]),
            processes=rng.choice([3, 5, 8]),
            noise=rng.choice([0, 0, 0.02]),
            return_anew=True,
            crashes=rng.random() < 0.4,
            keyed=name != "map" and rng.random() < 0.25,
            hints=rng.random() < 0.25,
            skew=rng.random() < 0.25,
        )
        story = f"seed {seed}, longer history {number}: {name}, {condition}"
        certified: set[object] = set()
        found = {}
        for checker in ("dfs", "linear", "monitor", "auto"):
            jobs = rng.choice([1, 3])
            limit = resident_memory() + SEARCH_BYTES  # unlike time, it does not depend on other work of the machine
            verdict = linpoint.check(history, spec, checker=checker, condition=condition, max_memory=limit, jobs=jobs)
            wrong = objections(verdict, certified)
            assert not wrong, f"{checker}, {story}\n{describe(history)}\n{wrong}"
            found[checker] = verdict.status
            seen[verdict.status.value] += checker != "monitor"  # which often does not apply
            seen["raced"] += "in parallel" in verdict.why
        assert len({*found.values()} - {Status.UNKNOWN}) <= 1, f"{found}, {story}\n{describe(history)}"
    assert min(seen["violation"], seen["linearizable"]) >= histories / 2
    assert seen["unknown"] < histories / 2
    assert seen["raced"] > 0


@pytest.mark.parametrize("seed", seeds(2, "longer"))
@pytest.mark.usefixtures("early_races")
def test_checkers_agree_with_each_other_on_longer_histories(seed: str) -> None:
    compare_longer(seed, 150)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG_CHUNKS // 4, "long longer"))
@pytest.mark.usefixtures("early_races")
def test_checkers_agree_with_each_other_on_longer_histories_at_length(seed: str) -> None:
    compare_longer(seed, 2000)


# Searches that are interrupted repeatedly, as in a portfolio


ANSWERS = {SearchStatus.LINEARIZABLE: Status.LINEARIZABLE, SearchStatus.VIOLATION: Status.VIOLATION}


def in_turns(
    reading: HistoryInterpretation, positions: Sequence[int], rng: random.Random
) -> Iterator[tuple[str, Status]]:
    """Each algorithm, and two walkers that share a table, with a few configurations at a time."""
    problem, machine = reading.problem(positions), reading.machine
    stop = StopToken()
    for name, search in {
        "wing-gong": wing_gong(problem, machine, stop.child()),
        "dfs": depth_first(problem, machine, stop.child()),
        "reversed dfs": depth_first(problem, machine, stop.child(), None, True),
        "linear": linear(problem, machine, stop.child()),
    }.items():
        status = SearchStatus.PAUSED
        while status is SearchStatus.PAUSED:
            status = search.run(rng.randint(1, 3))
        yield name, ANSWERS[status]
    if problem.shareable:
        table = SeenTable(problem, stop)
        walkers = [depth_first(problem, machine, stop.child(), table, reverse) for reverse in (False, True, False)]
        status = SearchStatus.PAUSED
        while status is SearchStatus.PAUSED:
            status = rng.choice(walkers).run(rng.randint(1, 3))
        yield "walkers with one table", ANSWERS[status]


def compare_in_turns(seed: str, histories: int) -> None:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(histories):
        name, condition, history, spec = drawn(rng)
        expected = linpoint.check(history, spec, checker="brute-force", condition=condition, jobs=1)
        reading = HistoryInterpretation(history, spec, condition)
        found: dict[str, list[Status]] = {}
        for _, members in reading.objects():
            for positions in reading.parts(members):
                for search, status in in_turns(reading, positions, rng):
                    found.setdefault(search, []).append(status)
        shared = found.pop("walkers with one table", [])
        for search, statuses in found.items():
            assert Status.worst(statuses) is expected.status, (
                f"{search} in turns, seed {seed}, history {number}: {name}, {condition}\n{describe(history)}"
            )
        if len(shared) == len(found["dfs"]):  # else some parts would not be shared
            assert Status.worst(shared) is expected.status, (
                f"shared table, seed {seed}, history {number}: {name}, {condition}\n{describe(history)}"
            )
            seen[expected.status.value] += 1
    assert min(seen["violation"], seen["linearizable"]) >= histories / 20


@pytest.mark.parametrize("seed", seeds(2, "turns"))
def test_searches_that_take_turns_agree_with_the_oracle(seed: str) -> None:
    compare_in_turns(seed, DAY_HISTORIES // 8)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG_CHUNKS // 4, "long turns"))
def test_searches_that_take_turns_agree_with_the_oracle_at_length(seed: str) -> None:
    compare_in_turns(seed, LONG_HISTORIES // LONG_CHUNKS)
