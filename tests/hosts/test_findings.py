# SPDX-License-Identifier: Apache-2.0
"""Small programs with a bug, and their correct twins: the finding, its number of preemptions, and its replay."""

from __future__ import annotations

import pytest

from tests.hosts.controlled_programs import COMPILERS, ExplorationOutcome, built, explore

FOUND = {
    "copied": "race",
    "freed_by_another": "race",
    "lock_order": "deadlock",
    "lost_signal": "deadlock",
    "lost_update": "race",
    "overlap": "race",
    "popped_twice": "assertion",
    "published_relaxed": "race",
    "released_without_a_change": "race",
    "signalled_when_destroyed": "memory",
    "signalled_when_freed": "memory",
    "texts": "race",
    "tried_when_freed": "memory",
    "written_by_readers": "race",
}
PREEMPTIONS = {
    "copied": 0,
    "freed_by_another": 0,
    "lock_order": 1,
    "lost_signal": 0,
    "lost_update": 0,
    "overlap": 0,
    "popped_twice": 1,
    "published_relaxed": 0,
    "released_without_a_change": 0,
    "signalled_when_destroyed": 1,
    "signalled_when_freed": 1,
    "texts": 0,
    "tried_when_freed": 0,
    "written_by_readers": 0,
}
"""The fewest preemptions for the finding. A race needs no special order, unlike other failures."""
HOLDS = (
    "awaited",
    "last_one_frees",
    "lost_update_locked",
    "neighbours",
    "only_read",
    "published",
    "published_by_fences",
    "published_through_an_update",
    "read_and_written",
    "signal_with_a_flag",
)
models = pytest.mark.parametrize("model", ["sc", "tso", "pso"])


def explored(name: str, **options: object) -> ExplorationOutcome:
    return explore(built(f"races/{name}.cpp"), **options)


def replayed(name: str, told: ExplorationOutcome, **options: object) -> ExplorationOutcome:
    assert told.finding is not None
    deviations = ",".join(f"{step}.{process}" for step, process in told.finding["schedule"])
    return explored(name, search=f"replay:{deviations}", trace=True, **options)


@models
@pytest.mark.parametrize("name", FOUND)
def test_the_bug_is_found_and_replayed(name: str, model: str) -> None:
    told = explored(name, memory_model=model)
    assert told.kind == FOUND[name], told
    assert told.ended == "finding"
    again = replayed(name, told, memory_model=model)
    assert again.diverged_at is None
    assert again.schedules == 1
    assert again.finding is not None
    assert told.finding is not None
    for part in ("kind", "message", "schedule", "preemptions"):
        assert again.finding[part] == told.finding[part]
    assert again.trace is not None
    assert len(again.trace["threads"]) == 3
    assert sum(step.get("preempts", False) for step in again.trace["steps"]) == told.finding["preemptions"]


@pytest.mark.parametrize("name", FOUND)
def test_the_number_of_preemptions_is_minimal(name: str) -> None:
    most = PREEMPTIONS[name]
    told = explored(name, search=f"bounded:{most}")
    assert told.kind == FOUND[name], told
    assert told.finding is not None
    assert told.finding["preemptions"] == most
    if most > 0:
        assert explored(name, search=f"bounded:{most - 1}").finding is None


@models
def test_a_race_of_a_volatile_access_is_reported_at_its_step(model: str) -> None:
    told = explored("volatile_read", memory_model=model)
    assert told.kind == "race", told
    again = replayed("volatile_read", told, memory_model=model)
    assert again.finding is not None
    assert again.trace is not None
    steps = [again.trace["steps"][number] for number in again.finding["steps_of"]]
    assert [(step["thread"], step["kind"]) for step in steps] == [(1, "write"), (0, "read")]
    assert {step["address"] for step in steps} == {again.finding["address"]}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_accesses_inside_the_standard_library_are_detected(compiler: str) -> None:
    target = built("races/texts.cpp", compiler=compiler)
    assert {explore(target, str(which)).kind for which in range(12)} == {"race"}


def test_stores_stay_buffered_without_a_fence() -> None:
    """Signalling without a waiter is not a fence. Unlocking a spin lock is not observed, which the result states."""
    for model in ("sc", "tso", "pso"):
        weak = None if model == "sc" else "assertion"
        assert explored("signal_is_no_fence", memory_model=model).kind == weak
        assert explore(built("races/signal_is_no_fence.cpp", "-DFIXED"), memory_model=model).holds
        assert bool(explored("spin_unlock", memory_model=model).qualified) == (model != "sc")


@models
@pytest.mark.parametrize("name", HOLDS)
def test_the_correct_twin_has_no_finding(name: str, model: str) -> None:
    told = explored(name, memory_model=model)
    assert told.holds, told
    assert not told.qualified


@models
def test_plain_accesses_can_be_treated_as_atomic(model: str) -> None:
    """This shows the effect of a lost update where the race itself is already known."""
    told = explored("lost_update", memory_model=model, races="ignore", outcomes=True)
    assert told.holds, told
    assert set(told.outcomes) == {"1\n", "2\n"}


@models
def test_the_search_can_continue_past_a_reported_race(model: str) -> None:
    told = explored("lost_update", memory_model=model, races="report", outcomes=True)
    assert told.finding is None
    assert told.races
    assert {each["kind"] for each in told.races} == {"race"}
    assert "2\n" in told.outcomes


@models
def test_a_use_after_free_is_found_where_races_are_ignored(model: str) -> None:
    assert explored("freed_by_another", memory_model=model, races="ignore").kind == "memory"


@pytest.mark.parametrize("search", ["random:2000", "pct:3:2000", "pos:2000"])
def test_sampling_finds_the_bug(search: str) -> None:
    told = explored("popped_twice", search=search, seed=1)
    assert told.kind == "assertion", told
    assert not told.exhaustive
    again = explored("popped_twice", search=search, seed=1)
    assert again.schedules == told.schedules


def test_the_budget_holds() -> None:
    told = explore(built("litmus/load_stores.cpp", "-DTHREADS=4", "-DTIMES=4"), seconds=1)
    assert told.ended == "budget", told
    assert not told.exhaustive
    assert told.schedules > 0
