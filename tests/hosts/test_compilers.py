# SPDX-License-Identifier: Apache-2.0
"""g++ and clang++, with and without optimisation: the same verdicts and the same outcomes."""

from __future__ import annotations

import random

import pytest

from tests.hosts.controlled_programs import COMPILERS, built, explore
from tests.hosts.litmus import code, parse
from tests.hosts.litmus_oracle import behaviour
from tests.hosts.named_litmus import INTEL, SHAPES
from tests.hosts.random_litmus import random_program
from tests.volume import seed_numbers, volume

ways = [(compiler, level) for compiler in COMPILERS for level in ("-O0", "-O2")]
each_way = pytest.mark.parametrize(("compiler", "level"), ways, ids=["".join(way) for way in ways])

VERDICTS = {
    ("thesis/dekker.cpp", "FENCED"): {"sc": None, "tso": None},
    ("thesis/dekker.cpp",): {"sc": None, "tso": "assertion"},
    ("thesis/peterson.cpp", "FENCED"): {"sc": None, "tso": None},
    ("thesis/peterson.cpp",): {"sc": None, "tso": "assertion"},
    ("thesis/wait_latch.cpp",): {"sc": None, "tso": "livelock"},
    ("thesis/wait_latch.cpp", "LOCK"): {"sc": None, "tso": None},
    ("thesis/wait_latch.cpp", "FENCE_IN_SET", "FENCE_IN_RESET"): {"sc": None, "tso": None},
    ("hostile/null_pointer.cpp",): {"sc": "crash", "tso": "crash"},
    ("hostile/throws_in_a_thread.cpp",): {"sc": "exception", "tso": "exception"},
    ("hostile/uses_after_free.cpp",): {"sc": "memory", "tso": "memory"},
    ("hostile/locks_twice.cpp",): {"sc": "deadlock", "tso": "deadlock"},
    ("races/awaited.cpp",): {"sc": None, "tso": None},
    ("races/copied.cpp",): {"sc": "race", "tso": "race"},
    ("races/lost_update.cpp",): {"sc": "race", "tso": "race"},
    ("races/neighbours.cpp",): {"sc": None, "tso": None},
    ("races/overlap.cpp",): {"sc": "race", "tso": "race"},
    ("races/popped_twice.cpp",): {"sc": "assertion", "tso": "assertion"},
    ("features/condition_variables.cpp",): {"sc": None, "tso": None},
    ("features/exceptions.cpp",): {"sc": None, "tso": None},
    ("features/futures.cpp",): {"sc": None, "tso": None},
    ("features/sixteen_bytes.cpp",): {"sc": None, "tso": None},
    ("features/thread_locals.cpp",): {"sc": None, "tso": None},
}
"""A source with its macros, and the finding under each model."""
EVERY_DAY = {
    ("thesis/dekker.cpp", "FENCED"),
    ("thesis/dekker.cpp",),
    ("thesis/wait_latch.cpp",),
    ("hostile/uses_after_free.cpp",),
    ("races/copied.cpp",),
    ("features/exceptions.cpp",),
    ("features/sixteen_bytes.cpp",),
}
"""One of each kind; the others run in the long lane, since each is compiled four times."""
programs = [pytest.param(each, marks=() if each in EVERY_DAY else pytest.mark.long) for each in VERDICTS]


@each_way
@pytest.mark.parametrize("program", programs, ids=" ".join)
def test_verdicts_do_not_depend_on_the_compiler(program: tuple[str, ...], compiler: str, level: str) -> None:
    source, *macros = program
    target = built(source, level, *(f"-D{macro}" for macro in macros), compiler=compiler)
    for model, kind in VERDICTS[program].items():
        told = explore(target, memory_model=model)
        assert told.kind == kind, told
        assert told.holds == (kind is None), told


@each_way
@pytest.mark.parametrize("model", ["tso", "pso"])
def test_outcomes_do_not_depend_on_the_compiler(compiler: str, level: str, model: str) -> None:
    """Outcomes of the named litmus tests and of some random ones."""
    target = built("litmus/interpreter.cpp", level, compiler=compiler)
    named = [parse(each.text) for each in (*INTEL.values(), *SHAPES.values())]
    for program in [*named, *(random_program(random.Random(seed)) for seed in seed_numbers(volume(10)))]:
        expected = behaviour(program, model)
        told = explore(target, code(program), memory_model=model, outcomes=True)
        if expected.stuck:
            assert told.kind in expected.stuck, (program, told)
        else:
            assert told.holds, (program, told)
            assert set(told.outcomes) == expected.outcomes, program
