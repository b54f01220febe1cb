# SPDX-License-Identifier: Apache-2.0
"""A model in preparation: its parts, and how large it may be run."""

from __future__ import annotations

from dataclasses import dataclass

from tests.refine.oracle.language import Body, Declaration, NodeDeclaration, Operation

Size = tuple[int, int]
"""Processes, and operations of each."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The result of a family. ``style`` is its name for the variant; ``tso`` says whether the variant makes sense
    with buffers.
    """

    style: str
    declarations: tuple[Declaration, ...]
    operations: tuple[Operation, ...]
    spec: str
    sizes: tuple[Size, ...]
    nodes: tuple[NodeDeclaration, ...] = ()
    setup: Body = ()
    tso: bool = False
