# SPDX-License-Identifier: Apache-2.0
"""The zoo of models, run as plain Python by one process: every result is one that the spec gives.

That is required of a model before its behaviour under concurrency matters. The mistakes that its switches make are
mistakes among processes, so with most of them a model is still correct with one process. The front end reads the same
source, and the compiled model must be correct for one process too, exhaustively.
"""

from __future__ import annotations

import functools
import importlib
import random
from collections import Counter
from pathlib import Path

import pytest

import linpoint
from linpoint import Model, check_model
from linpoint.histories.operation import Operation
from linpoint.refine.dsl import ModelStuckError
from linpoint.refine.frontend import compile_model
from linpoint.refine.program_ir import OperationCode
from linpoint.verdicts.status import Answer

FILES = sorted((Path(__file__).parents[2] / "examples" / "models").glob("*.py"))
SWITCHED = [
    ("treiber", {"links_late": True}),
    ("michael_scott", {"rechecks": False}),
    ("michael_scott", {"plain_link": True}),
    ("register", {"K": 5}),
    ("register", {"faulty": True}),
    ("array_queue", {"L": 3}),
    ("array_queue", {"repaired": True}),
    ("stack_height", {"S": 2}),
    ("stack_height", {"blind": True}),
    ("herlihy_wing", {"gives_up": True}),
    ("snark", {"preloaded": 2}),
    ("snark", {"looks_again": True}),
    ("lazy_list", {"validates": False}),
    ("harris_list", {"marks": False}),
    ("rdcss", {"naive": True}),
    ("elimination_stack", {"withdraws": False}),
    ("peterson", {"fenced": True}),
    ("dekker", {"fenced": True}),
    ("snzi", {"announces": False}),
]


def models_of(name: str) -> list[type[Model]]:
    module = importlib.import_module(f"examples.models.{name}")
    return [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Model) and each is not Model
    ]


MODELS = [model for path in FILES for model in models_of(path.stem)]
VARIANTS = [
    pytest.param(model.with_(**switches), id=f"{model.__name__} {switches}")
    for name, switches in SWITCHED
    for model in models_of(name)
]
ALL = [*(pytest.param(model, id=model.__name__) for model in MODELS), *VARIANTS]


def is_partial(model: type[Model], name: str, state: object) -> bool:
    """Whether an operation would wait forever: this dequeue does on an empty queue."""
    return model.__name__ == "HerlihyWing" and name == "dequeue" and not state and not model.gives_up


@functools.cache
def operations_of(model: type[Model]) -> tuple[OperationCode, ...]:
    return compile_model(model).operations


def first_mistake(model: type[Model], seed: int, calls: int = 8) -> str | None:
    """Make random calls that one process may make, and compare with the spec; return the first unexplained result."""
    chance = random.Random(seed)
    instance, state = model(), model.spec.initial
    finished: Counter[str] = Counter()
    done: list[str] = []
    for _ in range(calls):
        operation = chance.choice(operations_of(model))
        if operation.pairs_with is not None and not finished[operation.pairs_with]:
            continue
        args = [chance.choice(parameter.domain) for parameter in operation.parameters]
        if is_partial(model, operation.name, state):
            continue
        try:
            result = getattr(instance, operation.name)(*args)
        except ModelStuckError:
            continue  # an assumption of the model is false, so it is not called now
        done.append(f"{operation.name}{tuple(args)} -> {result}")
        call = Operation(0, operation.name, tuple(args), result, 0, 1)
        after = model.spec.successors(state, call)
        if not after:
            return f"{'; '.join(done)}: not in state {state}"
        (state,) = after
        finished[operation.name] += 1
        if operation.pairs_with is not None:
            finished[operation.pairs_with] -= 1
    return None


@pytest.mark.parametrize("model", ALL)
def test_a_single_process_follows_the_spec(model):
    for seed in range(60):
        assert first_mistake(model, seed) is None


@pytest.mark.parametrize("model", ALL)
def test_a_single_compiled_process_follows_the_spec(model):
    result = check_model(model, processes=1, operations=3, budget=20)
    if is_partial(model, "dequeue", ()):
        assert [each.kind for each in result.findings] == ["livelock"]  # alone, it would wait forever
    else:
        assert result.answer is Answer.HOLDS, result.findings


def test_a_hasty_mailbox_is_wrong_even_with_one_process():
    (model,) = models_of("mailbox")
    assert any(first_mistake(model.with_(hasty=True), seed) for seed in range(60))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_switch_is_tested(path):
    """Boolean names in lower case are switches."""
    tried = {key for name, switches in SWITCHED if name == path.stem for key in switches} | {"hasty"}
    switches = {
        key
        for model in models_of(path.stem)
        for key, value in vars(model).items()
        if isinstance(value, bool) and key[0] != "_"
    }
    assert switches <= tried


def test_a_switch_is_a_constant_of_the_model():
    (model,) = models_of("treiber")
    with pytest.raises(linpoint.ModelError, match="LP-M013"):
        model.with_(link_late=True)
