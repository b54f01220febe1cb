# SPDX-License-Identifier: Apache-2.0
"""Models of a few lines, for tests with manual counts."""

from __future__ import annotations

from tests.refine.oracle.generation import RandomModel, described
from tests.refine.oracle.language import Declaration, Model, NodeDeclaration, Operation, Statement


def small(
    spec: str,
    *parts: Declaration | Operation | NodeDeclaration,
    processes: int = 2,
    operations: int = 1,
    memory_model: str = "sc",
    setup: tuple[Statement, ...] = (),
) -> RandomModel:
    """A model of these declarations, operations and nodes, in any order."""
    model = Model(
        "Small",
        tuple(part for part in parts if not isinstance(part, Operation | NodeDeclaration)),
        tuple(part for part in parts if isinstance(part, Operation)),
        spec,
        tuple(part for part in parts if isinstance(part, NodeDeclaration)),
        setup,
    )
    return described(model, processes=processes, operations=operations, memory_model=memory_model)
