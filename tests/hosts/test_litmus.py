# SPDX-License-Identifier: Apache-2.0
"""Litmus programs: the outcomes of all schedules are exactly those of an oracle that visits every state."""

from __future__ import annotations

import random

import pytest

from tests.hosts.controlled_programs import ExplorationOutcome, built, explore
from tests.hosts.litmus import Program, code, parse
from tests.hosts.litmus_oracle import MODELS, behaviour, executions
from tests.hosts.named_litmus import INTEL, SHAPES
from tests.hosts.random_litmus import random_program
from tests.volume import seed_numbers

CHUNK = 25
"""The number of programs in one test."""
DAY_CHUNKS = 1
LONG_CHUNKS = 88


def run(program: Program, model: str, **options: object) -> ExplorationOutcome:
    target = built("litmus/interpreter.cpp")
    return explore(target, code(program), memory_model=model, outcomes=True, **options)


def agrees(text: str, program: Program, model: str) -> set[str]:
    """Check every outcome against the oracle; if the program can get stuck, the search must find that."""
    expected = behaviour(program, model)
    told = run(program, model)
    said = f"{text} under {model}: {told}"
    assert told.diverged_at is None, said
    if expected.stuck:
        assert told.kind in expected.stuck, said
        return set()
    assert told.holds, said
    assert set(told.outcomes) == expected.outcomes, said
    return set(told.outcomes)


@pytest.mark.parametrize("model", MODELS[:2])
@pytest.mark.parametrize("name", INTEL)
def test_examples_of_the_architecture_manual(name: str, model: str) -> None:
    named = INTEL[name]
    shown = agrees(name, parse(named.text), model)
    assert any(map(named.shows, shown)) == (model in named.allowed)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", SHAPES)
def test_classic_shapes(name: str, model: str) -> None:
    named = SHAPES[name]
    shown = agrees(name, parse(named.text), model)
    assert any(map(named.shows, shown)) == (model in named.allowed)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", [*INTEL, *SHAPES])
def test_the_oracle_agrees_with_the_literature(name: str, model: str) -> None:
    """Against the known outcomes of the named tests."""
    named = INTEL.get(name) or SHAPES[name]
    shown = behaviour(parse(named.text), model).outcomes
    assert any(map(named.shows, shown)) == (model in named.allowed)


@pytest.mark.parametrize(
    ("text", "stuck"),
    [
        ("lock m; lock n; unlock n; unlock m | lock n; lock m; unlock m; unlock n", "deadlock"),
        ("lock m; lock m", "deadlock"),
        ("await x == 1 | y = 1", "livelock"),
        ("x = 1; x = 2 | await x == 1", "livelock"),
        ("await x.exchange(1) == 0 | await x.exchange(1) == 0", "livelock"),
        ("lock m; await x != 0; unlock m | lock m; x = 1; unlock m", "livelock"),
        ("await x == 1; y = 1 | await y == 1; x = 1", "livelock"),
    ],
)
@pytest.mark.parametrize("model", MODELS)
def test_threads_that_can_get_stuck_are_found(text: str, stuck: str, model: str) -> None:
    program = parse(text)
    assert behaviour(program, model).stuck == {stuck}
    assert run(program, model).kind == stuck


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("chunk", range(DAY_CHUNKS))
def test_random_programs(chunk: int, model: str) -> None:
    _random(seed_numbers(CHUNK, f"litmus {chunk}"), model)


@pytest.mark.long
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_many_random_programs(chunk: int, model: str) -> None:
    _random(seed_numbers(CHUNK, f"long litmus {chunk}"), model)


@pytest.mark.parametrize(("seed", "model"), [(344, "sc"), (1051, "sc"), (1475, "tso"), (6236, "sc")])
def test_waiting_loops_are_not_delayed_too_long(seed: int, model: str) -> None:
    _random(range(seed, seed + 1), model)


def _random(seeds: range, model: str) -> None:
    for seed in seeds:
        agrees(f"seed {seed}", random_program(random.Random(seed)), model)


def test_random_programs_include_waits_locks_and_termination() -> None:
    """Most of them terminate in every schedule, many of those wait or lock, and some get stuck."""
    programs = [random_program(random.Random(seed)) for seed in range(8 * CHUNK)]
    kinds = [{op.kind for thread in program for op in thread} for program in programs]
    ends = [not behaviour(program, "sc").stuck for program in programs]
    assert sum(ends) > 150
    assert len(ends) - sum(ends) > 20
    assert sum(end and bool(kind & set("ENW")) for end, kind in zip(ends, kinds, strict=True)) > 60
    assert sum(end and "M" in kind for end, kind in zip(ends, kinds, strict=True)) > 60
    assert {len(program) for program in programs} == {2, 3, 4}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x = 1; r = y | y = 1; r = x", 3),
        ("x = 1; y = 1 | r = y; r = x", 3),
        ("x = 1 | y = 1 | r = x; r = y | r = y; r = x", 15),
        ("r = x; x = r + 1; r = x; x = r + 1 | r = x; x = r + 1; r = x; x = r + 1", 34),
        (" | ".join(["r = x; x = r + 1; r = x; x = r + 1"] * 3), 7_134),
    ],
)
def test_no_execution_is_run_twice(text: str, count: int) -> None:
    """As many complete schedules as executions under sequential consistency; GenMC also counts 7,134."""
    program = parse(text)
    assert executions(program) == count
    told = run(program, "sc")
    assert told.holds, told
    assert told.schedules - told.redundant == count
