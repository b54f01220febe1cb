# SPDX-License-Identifier: Apache-2.0
"""A model on its way: what it is made of, and how large it may be run."""

from __future__ import annotations

from dataclasses import dataclass

from tests.refine.oracle.language import Body, Declaration, NodeDeclaration, Operation

Size = tuple[int, int]
"""Processes, and operations of each."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a family gives. ``style`` is its own word for the variant, ``tso`` says whether it makes sense with buffers."""

    style: str
    declarations: tuple[Declaration, ...]
    operations: tuple[Operation, ...]
    spec: str
    sizes: tuple[Size, ...]
    nodes: tuple[NodeDeclaration, ...] = ()
    setup: Body = ()
    tso: bool = False
