# SPDX-License-Identifier: Apache-2.0
"""The programs of the thesis on Codex (Dabdoub, MIT 2013, section 4.1): the same verdicts in far fewer schedules."""

from __future__ import annotations

import pytest

from tests.hosts.controlled_programs import COMPILERS, ExplorationOutcome, built, explore

REPAIRS = ("LOCK", "ALWAYS_WRITE", "FENCE_IN_SET")
MOST_STEPS = 300
models = pytest.mark.parametrize("model", ["sc", "tso"])


def explored(source: str, model: str, *defined: str, **options: object) -> ExplorationOutcome:
    flags = [f"-D{name}" for name in defined]
    return explore(built(f"thesis/{source}.cpp", *flags), memory_model=model, **options)


@models
@pytest.mark.parametrize("optimized", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("source", "most"), [("dekker", 30), ("peterson", 20)])
def test_mutual_exclusion_with_fences_holds(source: str, most: int, compiler: str, optimized: str, model: str) -> None:
    target = built(f"thesis/{source}.cpp", "-DFENCED", optimized, compiler=compiler)
    told = explore(target, memory_model=model)
    assert told.holds, told
    assert told.schedules <= most


@pytest.mark.parametrize(("source", "most"), [("dekker", 30), ("peterson", 20)])
def test_without_fences_mutual_exclusion_holds_only_under_sequential_consistency(source: str, most: int) -> None:
    assert explored(source, "sc").holds
    told = explored(source, "tso")
    assert told.kind == "assertion", told
    assert told.schedules <= most


def test_dekker_as_printed_has_a_livelock() -> None:
    assert explored("dekker_as_printed", "sc", search="bounded:2", max_steps=MOST_STEPS).kind == "livelock"


def test_dekker_as_printed_fails_on_the_second_entry_only_under_tso() -> None:
    """By random search: a thread raises and lowers its flag while the other is inside, possibly without end."""
    told = explored("dekker_as_printed", "sc", "STOP_INSTEAD_OF_WAITING", search="random:20000")
    assert told.kind is None, told
    assert not told.exhaustive
    told = explored("dekker_as_printed", "tso", "STOP_INSTEAD_OF_WAITING", search="random:20000")
    assert told.kind == "assertion", told
    assert told.finding is not None
    assert "inside" in told.finding["message"]


@pytest.mark.parametrize("fence", [[], ["FENCE_IN_RESET"]], ids=["unfenced", "fenced"])
def test_wait_latch_loses_a_wakeup_only_under_tso(fence: list[str]) -> None:
    assert explored("wait_latch", "sc", *fence).holds
    told = explored("wait_latch", "tso", *fence)
    assert told.kind == "livelock", told
    assert told.schedules <= 10


@pytest.mark.parametrize("fence", [[], ["FENCE_IN_RESET"]], ids=["unfenced", "fenced"])
def test_wait_latch_also_fails_its_assertion(fence: list[str]) -> None:
    assert explored("wait_latch", "sc", "ASSERTION", *fence).holds
    told = explored("wait_latch", "tso", "ASSERTION", *fence)
    assert told.kind == "assertion", told
    assert told.schedules <= 10


@models
@pytest.mark.parametrize("repair", REPAIRS)
def test_every_fix_holds_with_the_fence_in_reset_latch(repair: str, model: str) -> None:
    told = explored("wait_latch", model, repair, "FENCE_IN_RESET")
    assert told.holds, told
    assert told.schedules <= 10
    assert explored("wait_latch", model, repair, "FENCE_IN_RESET", "ASSERTION").holds


@pytest.mark.parametrize(
    ("repair", "kind"), [("LOCK", None), ("ALWAYS_WRITE", "livelock"), ("FENCE_IN_SET", "livelock")]
)
def test_without_that_fence_only_the_lock_is_a_fix(repair: str, kind: str | None) -> None:
    assert explored("wait_latch", "sc", repair).holds
    told = explored("wait_latch", "tso", repair)
    assert told.kind == kind, told
    assert told.exhaustive == (kind is None)


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        (("dekker", "FENCED"), {"sc": (13, 5), "tso": (21, 11)}),
        (("peterson", "FENCED"), {"sc": (7, 1), "tso": (13, 1)}),
        (("wait_latch", "LOCK", "FENCE_IN_RESET"), {"sc": (4, 0), "tso": (5, 1)}),
        (("wait_latch", "ALWAYS_WRITE", "FENCE_IN_RESET"), {"sc": (4, 0), "tso": (6, 2)}),
        (("wait_latch", "FENCE_IN_SET", "FENCE_IN_RESET"), {"sc": (4, 0), "tso": (5, 1)}),
        (("hash_table",), {"sc": (3, 0), "tso": (4, 0)}),
    ],
    ids=" ".join,
)
def test_the_number_of_schedules_is_exact(program: tuple[str, ...], counts: dict[str, tuple[int, int]]) -> None:
    """The schedules of the whole search, and those abandoned as redundant."""
    for model, expected in counts.items():
        told = explored(program[0], model, *program[1:])
        assert told.holds, told
        assert (told.schedules, told.redundant) == expected
