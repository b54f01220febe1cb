# SPDX-License-Identifier: Apache-2.0
"""Random small programs: the outcomes of schedules, against every interleaving of a plain model of their steps."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from linpoint.explore import _native_control as native
from linpoint.subjects.interface import no_progress
from linpoint.subjects.python_program.program import PythonProgram
from linpoint.subjects.python_program.subject import PythonProgramSubject
from tests.volume import seed_numbers, volume

VARIABLES = ("x", "y")
LOCKS = ("a", "b")
DEADLOCK = "deadlock"

Step = tuple[str, str, int]
"""An action (read, write, acquire, release), its name, and for a write the increment of the last value read."""


def _draw(seed: int) -> list[tuple[list[str], list[Step]]]:
    """The lines of each thread's function, and its steps."""
    random_numbers = random.Random(seed)
    return [_thread(random_numbers) for _ in range(2)]


def _thread(numbers: random.Random) -> tuple[list[str], list[Step]]:
    lines: list[str] = []
    steps: list[Step] = []
    for _ in range(numbers.randint(1, 2)):
        locks = numbers.sample(LOCKS, numbers.choice((0, 0, 1, 1, 2)))
        for depth, lock in enumerate(locks):
            lines.append("    " * depth + f"with {lock}:")
            steps.append(("acquire", lock, 0))
        target, source, more = numbers.choice(VARIABLES), numbers.choice(VARIABLES), numbers.randint(1, 3)
        lines.append("    " * len(locks) + f"{target} = {source} + {more}")
        steps += [("read", source, 0), ("write", target, more)]
        steps += [("release", lock, 0) for lock in reversed(locks)]
    return lines, steps


def _source(threads: list[tuple[list[str], list[Step]]]) -> str:
    parts = ["import threading", "x = y = 0", "a, b = threading.Lock(), threading.Lock()"]
    for number, (lines, _) in enumerate(threads):
        parts += [f"def work{number}():", "    global x, y", *(f"    {line}" for line in lines)]
    parts += [
        f"threads = [threading.Thread(target=each) for each in ({', '.join(f'work{n}' for n in range(len(threads)))},)]",
        "for thread in threads: thread.start()",
        "for thread in threads: thread.join()",
        "print(x, y)",
    ]
    return "\n".join(parts)


def _outcomes(threads: list[list[Step]]) -> set[str]:
    """Every interleaving, one after another."""
    found: set[str] = set()
    todo = [((0,) * len(threads), (0, 0), (None, None), (0,) * len(threads))]
    seen = set(todo)
    while todo:
        at, values, owners, registers = todo.pop()
        able = False
        for number, steps in enumerate(threads):
            if at[number] == len(steps):
                continue
            kind, name, more = steps[at[number]]
            after_values, after_owners, after_registers = list(values), list(owners), list(registers)
            if kind == "read":
                after_registers[number] = values[VARIABLES.index(name)]
            elif kind == "write":
                after_values[VARIABLES.index(name)] = registers[number] + more
            elif kind == "acquire":
                if owners[LOCKS.index(name)] is not None:
                    continue
                after_owners[LOCKS.index(name)] = number  # type: ignore[call-overload]
            else:
                after_owners[LOCKS.index(name)] = None
            able = True
            after = tuple(place + (other == number) for other, place in enumerate(at))
            following = (after, tuple(after_values), tuple(after_owners), tuple(after_registers))
            if following not in seen:
                seen.add(following)  # type: ignore[arg-type]
                todo.append(following)  # type: ignore[arg-type]
        if not able:
            done = all(place == len(steps) for place, steps in zip(at, threads, strict=True))
            found.add(f"{values[0]} {values[1]}" if done else DEADLOCK)
    return found


def _explored(program: PythonProgram, make: Callable[[], native.Explorer], backend: str = "auto") -> set[str]:
    found = set()
    with PythonProgramSubject(program, backend=backend).open(60, no_progress) as session:
        session.begin()
        explorer = make()
        while explorer.begin():
            run = session.runner.run(explorer)
            if run is not None:
                found.add(run.printed[-1] if run.problem is None else run.problem.kind)
        assert explorer.diverged_at is None
    return found


@pytest.mark.random
@pytest.mark.parametrize("chunk", range(2))
def test_exactly_the_possible_outcomes_are_reached(chunk: int, program: Callable[..., PythonProgram]) -> None:
    for seed in seed_numbers(volume(60), f"{chunk}"):
        threads = _draw(seed)
        expected = _outcomes([steps for _, steps in threads])
        source = _source(threads)
        assert _explored(program(source), native.explore_dpor) == expected, source
        few = _explored(program(source), lambda: native.explore_bounded(1))
        assert few <= expected, source


@pytest.mark.random
def test_rewritten_programs_reach_the_same_outcomes(program: Callable[..., PythonProgram]) -> None:
    for seed in seed_numbers(volume(20), "announced"):
        threads = _draw(seed)
        source = _source(threads)
        expected = _outcomes([steps for _, steps in threads])
        assert _explored(program(source), native.explore_dpor, "ast") == expected, source


def test_the_programs_have_several_outcomes() -> None:
    outcomes = [_outcomes([steps for _, steps in _draw(seed)]) for seed in range(120)]
    assert sum(DEADLOCK in each for each in outcomes) >= 3
    assert sum(len(each) > 2 for each in outcomes) >= 30
