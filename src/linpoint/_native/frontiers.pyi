# SPDX-License-Identifier: Apache-2.0
"""Searches over frontiers."""

import enum
from collections.abc import Sequence

from linpoint._native import Blueprint, Columns, Condition, Flaw, Positions, Problem, Search, StopToken

class FrontierExclusion(enum.Enum):
    NONE = 0
    KIND = 1
    OPERATION = 2
    CONSTRAINED = 3
    DEADLINE = 4
    NULL = 5
    CAPACITY = 6
    WIDTH = 7

def frontier_exclusion(
    columns: Columns, problem: Problem, blueprint: Blueprint, content: Sequence[int]
) -> FrontierExclusion: ...
def frontier(
    columns: Columns, problem: Problem, blueprint: Blueprint, content: Sequence[int], stop: StopToken
) -> Search: ...
def refuted_part(
    columns: Columns,
    positions: Sequence[int],
    search: Search,
    blueprint: Blueprint,
    content: Sequence[int],
    allowance: int,
    stop: StopToken,
) -> tuple[Positions, Positions]: ...
def last_of_refuted(search: Search) -> int: ...
def certify_start(
    columns: Columns,
    positions: Sequence[int],
    scope: Sequence[int],
    open: Sequence[int],
    condition: Condition,
    blueprint: Blueprint,
    items: int,
) -> tuple[Flaw, int]: ...
