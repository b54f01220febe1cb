# SPDX-License-Identifier: Apache-2.0
"""Programs that do their worst: the host always answers, with what is wrong or with why it cannot say."""

from __future__ import annotations

import pytest

from tests.explore.cpp.hosting import PROGRAMS, Told, built, explore

FOUND = {
    "aborts": "crash",
    "computes_without_end": "livelock",
    "crashes_after_main": "crash",
    "divides_by_zero": "crash",
    "exits_at_once": "crash",
    "exits_in_a_thread": "crash",
    "frees_twice": "memory",
    "frees_what_is_no_block": "memory",
    "jumps_nowhere": "crash",
    "leaves_a_thread_unjoined": "exception",
    "locks_twice": "deadlock",
    "null_pointer": "crash",
    "overflows_the_stack": "crash",
    "raises_a_signal": "crash",
    "throws_in_a_thread": "exception",
    "throws_in_main": "exception",
    "throws_where_it_must_not": "exception",
    "traps": "crash",
    "uses_after_free": "memory",
    "waits_for_nobody": "deadlock",
    "writes_past_a_block": "memory",
    "writes_past_an_array": "crash",
}
"""What is wrong with them."""

REFUSED = {
    "becomes_another_program": "exec",
    "crashes_before_main": "before main",
    "forks": "fork",
    "handles_crashes_itself": "signal",
    "hangs_before_main": "before main",
    "kills_itself": "kill",
    "opens_a_socket": "socket",
    "runs_a_command": "system",
    "writes_a_file": "open",
}
"""A word of the reason why nothing can be said."""

HARMLESS = {
    "asks_for_too_much",
    "closes_everything",
    "ends_main_first",
    "exits_well_in_a_thread",
    "reads_what_is_typed",
    "sleeps_for_a_year",
}
"""Odd, but nothing is wrong."""

ENDLESS = {
    "allocates_without_end",
    "prints_without_end",
    "starts_threads_without_end",
    "stores_without_end",
}
"""Something is found, or it is said that not everything was seen."""


def explored(name: str, **options: object) -> Told:
    return explore(built(f"hostile/{name}.cpp"), seconds=10, max_memory=64 << 20, max_steps=10_000, **options)


def test_every_program_is_here() -> None:
    named = [*FOUND, *REFUSED, *HARMLESS, *ENDLESS]
    assert sorted(named) == sorted(path.stem for path in (PROGRAMS / "hostile").glob("*.cpp"))


@pytest.mark.parametrize("model", ["sc", "tso"])
@pytest.mark.parametrize("name", FOUND)
def test_what_is_wrong_is_found(name: str, model: str) -> None:
    told = explored(name, memory_model=model)
    assert told.kind == FOUND[name], told
    assert not told.exhaustive


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_repeated_is_refused_by_name(name: str) -> None:
    told = explored(name)
    assert told.ended == "refused", told
    assert REFUSED[name] in (told.reason or "")
    assert told.kind is None


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_what_is_only_odd_holds(name: str) -> None:
    told = explored(name)
    assert told.holds, told


@pytest.mark.parametrize("name", sorted(ENDLESS))
def test_what_never_ends_is_never_called_exhaustive(name: str) -> None:
    told = explored(name)
    assert told.ended in ("finding", "budget", "exhausted", "error"), told
    assert told.kind is not None or told.cut > 0 or told.reason, told
    assert not told.exhaustive


@pytest.mark.parametrize("name", ["null_pointer", "throws_in_a_thread", "exits_in_a_thread", "overflows_the_stack"])
def test_the_answer_is_the_same_again(name: str) -> None:
    first, again = explored(name), explored(name)
    assert (first.kind, first.schedules, first.steps) == (again.kind, again.schedules, again.steps)
