# SPDX-License-Identifier: Apache-2.0
"""Hostile programs: the host always answers, with the error or with the reason why it cannot decide."""

from __future__ import annotations

import pytest

from tests.hosts.controlled_programs import PROGRAMS, ExplorationOutcome, built, explore
from tests.hosts.hostile_programs import ENDLESS, FOUND, HARMLESS, REFUSED


def explored(name: str, **options: object) -> ExplorationOutcome:
    return explore(built(f"hostile/{name}.cpp"), seconds=10, max_memory=64 << 20, max_steps=10_000, **options)


def test_every_hostile_program_is_tested() -> None:
    named = [*FOUND, *REFUSED, *HARMLESS, *ENDLESS]
    assert sorted(named) == sorted(path.stem for path in (PROGRAMS / "hostile").glob("*.cpp"))


@pytest.mark.parametrize("model", ["sc", "tso"])
@pytest.mark.parametrize("name", FOUND)
def test_errors_are_found(name: str, model: str) -> None:
    told = explored(name, memory_model=model)
    assert told.kind == FOUND[name], told
    assert not told.exhaustive


@pytest.mark.parametrize("name", REFUSED)
def test_nondeterministic_programs_are_rejected_by_name(name: str) -> None:
    told = explored(name)
    assert told.ended == "refused", told
    assert REFUSED[name] in (told.reason or "")
    assert told.kind is None


@pytest.mark.parametrize("search", ["bounded:2", "dpor"])
@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_harmless_programs_hold(name: str, search: str) -> None:
    told = explored(name, search=search)
    assert told.finding is None, told
    assert told.ended == "exhausted", told
    assert told.exhaustive or (search != "dpor" and told.completed == 2), told


@pytest.mark.parametrize("name", sorted(ENDLESS))
def test_endless_programs_are_never_exhaustive(name: str) -> None:
    told = explored(name)
    assert told.ended in ("finding", "budget", "exhausted", "error"), told
    assert told.kind is not None or told.cut > 0 or told.reason, told
    assert not told.exhaustive


@pytest.mark.parametrize("name", ["null_pointer", "throws_in_a_thread", "exits_in_a_thread", "overflows_the_stack"])
def test_the_answer_is_deterministic(name: str) -> None:
    first, again = explored(name), explored(name)
    assert (first.kind, first.schedules, first.steps) == (again.kind, again.schedules, again.steps)
