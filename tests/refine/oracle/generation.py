# SPDX-License-Identifier: Apache-2.0
"""Random models: a family, a style, a size, perhaps a mistake; a seed always gives the same model.

About a third of the models violate their spec; some deadlock, spin or wait forever. Every model is finite: it has
finitely many states, never follows None, never leaves an array, and no operation returns without a step.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.refine.oracle.families import FAMILIES
from tests.refine.oracle.language import Model
from tests.refine.oracle.mutations import fenced, is_marked, misplaced_point, mutants, without_points
from tests.refine.oracle.source_writer import source_of

_MISTAKEN = 0.35
_WITH_BUFFERS = 0.25
_FENCED = 0.6
_WITH_POINTS = 0.6
_MISPLACED = 0.15


@dataclass(frozen=True, slots=True)
class RandomModel:
    """A model, the options to run it, and its source for the product.

    ``source`` is a file with the class ``name`` and the spec ``spec_name``. ``has_points`` says that every operation
    has a linearization point (perhaps a wrong one). ``mutations`` are the deliberate mistakes.
    """

    seed: int
    name: str
    spec_name: str
    source: str
    model: Model
    processes: int
    operations: int
    memory_model: str
    has_points: bool
    style: str = ""
    mutations: tuple[str, ...] = ()


def random_model(seed: int) -> RandomModel:
    """The model of this seed."""
    rng = random.Random(seed)
    family = rng.choice(list(FAMILIES))
    draft = FAMILIES[family](rng)
    name = f"{family}{seed}"
    model = Model(name, draft.declarations, draft.operations, draft.spec.strip("\n"), draft.nodes, draft.setup)
    memory_model = "tso" if draft.tso and rng.random() < _WITH_BUFFERS else "sc"
    if memory_model == "tso" and rng.random() < _FENCED:
        model = fenced(model)
    mutations = []
    if rng.random() < _MISTAKEN and (found := mutants(model)):
        mistake, model = rng.choice(found)
        mutations.append(mistake)
    if rng.random() < _WITH_POINTS and all(map(is_marked, model.operations)):
        if rng.random() < _MISPLACED:
            model = misplaced_point(model, rng.randrange(len(model.operations)))
            mutations.append("point misplaced")
    else:
        model = without_points(model)
    processes, operations = rng.choice(draft.sizes)
    told = f"{draft.style}; {', '.join(mutations) or 'as it should be'}; {processes} x {operations}, {memory_model}"
    return described(
        model,
        processes=processes,
        operations=operations,
        memory_model=memory_model,
        seed=seed,
        style=draft.style,
        mutations=tuple(mutations),
        note=f"Seed {seed}: {told}",
    )


def described(
    model: Model,
    *,
    processes: int,
    operations: int,
    memory_model: str = "sc",
    seed: int = -1,
    style: str = "",
    mutations: tuple[str, ...] = (),
    note: str = "",
) -> RandomModel:
    """A model with its source, ready to be explored."""
    spec_name = f"{model.name}Spec"
    return RandomModel(
        seed=seed,
        name=model.name,
        spec_name=spec_name,
        source=source_of(model, name=model.name, spec_name=spec_name, note=note),
        model=model,
        processes=processes,
        operations=operations,
        memory_model=memory_model,
        has_points=all(map(is_marked, model.operations)),
        style=style,
        mutations=mutations,
    )
