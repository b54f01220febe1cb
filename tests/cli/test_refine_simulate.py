# SPDX-License-Identifier: Apache-2.0
"""``linpoint refine --simulate``: the user chooses the next step, here through a pipe."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Run
from tests.explain.checked_models import KINDS, ZOO


@pytest.fixture
def simulate(run: Command, tmp_path: Path):
    def simulated(file: Path, *lines: str, name: str = "", options: tuple[str, ...] = ()) -> Run:
        shutil.copy(file, tmp_path)
        target = f"{file.name}:{name}" if name else file.name
        return run("refine", target, "--simulate", *options, stdin="".join(f"{line}\n" for line in lines))

    return simulated


def shown(done: Run) -> list[str]:
    """The screen after each command, and the first screen."""
    return re.split(r"^> .*$", done.out, flags=re.MULTILINE)


def test_the_first_screen_shows_the_state_and_the_possible_steps(simulate) -> None:
    done = simulate(KINDS, "q", name="Lost")
    assert done.code == 0
    first = shown(done)[0]
    assert "Step 0\n  n = 0\n" in first
    assert "  process 1: between two operations" in first
    assert "  spec: 0\n" in first
    assert re.findall(r"^ +(\d+)  (.*)", first, re.MULTILINE) == [
        ("1", "process 1, line 36: increment(); read n: 0"),
        ("2", "process 1, line 40: read(); read n: 0; read returns 0"),
        ("3", "process 2, line 36: increment(); read n: 0"),
        ("4", "process 2, line 40: read(); read n: 0; read returns 0"),
    ]


def test_steps_can_be_taken_undone_and_redone(simulate) -> None:
    _, one, two, undone, again = shown(simulate(KINDS, "1", "1", "u", "n", name="Lost"))
    assert "Step 1\n" in one
    assert "  process 1: in increment(), before line 36" in one
    assert "Step 2\n  n = 1\n" in two
    assert "Step 1 of 2\n  n = 0\n" in undone
    assert "Step 2\n  n = 1\n" in again


def test_another_choice_discards_undone_steps(simulate) -> None:
    *_, last = shown(simulate(KINDS, "1", "1", "j 0", "2", "n", name="Lost"))
    assert "there is no step 2; the known steps are 0 to 1" in last


def test_jumping_to_any_step_of_the_run(simulate) -> None:
    *_, middle, beyond = shown(simulate(ZOO / "array_queue.py", "r 12", "j 5", "j 13"))
    assert "Step 5 of 12\n" in middle
    assert "there is no step 13; the known steps are 0 to 12" in beyond


def test_random_steps_are_deterministic_and_end_with_the_run(simulate) -> None:
    lines = ("r 1000",)
    assert simulate(ZOO / "treiber.py", *lines).out == simulate(ZOO / "treiber.py", *lines).out
    done = simulate(KINDS, "r 1000", name="Lost", options=("--set", "atomic=true"))
    assert "The run has ended: every process has called 2 operations." in done.out


def test_the_shortest_failing_run_can_be_followed(simulate) -> None:
    *_, found, one, last = shown(simulate(ZOO / "array_queue.py", "1", "w", "n", "j 19"))
    assert "VIOLATION: dequeue() of process 1 returned null" in found
    assert "It takes 19 steps; n takes the next one." in found
    assert "Step 0 of 19\n" in found
    assert "Step 1 of 19\n" in one
    assert "not linearizable: dequeue() of process 1 returned null" in last
    assert "every valid order requires 1" in last
    assert "|--dequeue()->null--" in last


def test_a_model_without_a_failing_run_is_reported_to_hold(simulate) -> None:
    done = simulate(KINDS, "w", name="Lost", options=("--set", "atomic=true"))
    assert "HOLDS: every run of 2 processes with 2 operations each was covered." in done.out


def test_a_failing_step_is_marked_and_ends_the_run(simulate) -> None:
    done = simulate(KINDS, "w", "j 4", name="Asserting")
    assert "assertion failed: kinds.py:71: an assertion fails (process 1)." in done.out
    before = shown(simulate(KINDS, "w", "j 3", name="Asserting"))[-1]
    assert "assertion failed  <- fails" in before


def test_a_deadlock_ends_the_run(simulate) -> None:
    *_, last = shown(simulate(KINDS, "w", "j 4", name="Deadlock"))
    assert "deadlock: no process can continue" in last


def test_buffered_stores_are_shown_under_tso(simulate) -> None:
    *_, one, drained = shown(simulate(ZOO / "peterson.py", "1", "1", options=("--memory-model", "tso")))
    assert "waiting: wants[0] = true" in one
    assert "left, wants[0] = true reaches memory" in one
    assert "wants = [true, false]" in drained


def test_nodes_appear_when_they_are_allocated(simulate) -> None:
    first, one, *_ = shown(simulate(ZOO / "treiber.py", "1"))
    assert "Node" not in first.partition("Next:")[0]
    assert "Node#1.value = 1   Node#1.next = null" in one
    assert "node = Node#1" in one


def test_all_steps_are_listed_in_a_table(simulate) -> None:
    *_, nothing, _, table = shown(simulate(KINDS, "a", "1", "a", name="Lost"))
    assert "There are no steps yet." in nothing
    assert "┌ increment()" in table
    assert "self.n.store(s…n.load() + 1)" in table


def test_invalid_commands_are_rejected_and_change_nothing(simulate) -> None:
    lines = ("", "foo", "u x", "j", "99", "-1", "1 2", "u 5", "r x", "\x1b[31m", "?", "1")
    done = simulate(KINDS, *lines, name="Lost")
    assert done.code == 0
    assert done.out.count("is not a command; ? lists the commands") == 7
    assert "there is no step 99; choose a step from 1 to 4" in done.out
    assert "there is no step -5" in done.out
    assert "quit" in done.out
    assert "\x1b" not in done.out
    assert "Step 1\n" in shown(done)[-1]


def test_the_end_of_the_input_ends_the_simulation(simulate) -> None:
    assert simulate(KINDS, name="Lost").code == 0


def test_one_model_must_be_named(run: Command, simulate, tmp_path: Path) -> None:
    done = simulate(KINDS, "q")
    assert done.code == 2
    assert "LP-M016 kinds.py: the file has several models. Name one: kinds.py:Lost," in done.err
    assert run("refine", "kinds.py:Lost", "--simulate", "--report", "r.html").code == 2


def test_a_long_run_extends_the_memory_for_its_nodes(simulate) -> None:
    done = simulate(ZOO / "treiber.py", "r 300", "a", options=("--operations", "0"))
    assert done.code == 0
    assert "Step 300\n" in done.out
