# SPDX-License-Identifier: Apache-2.0
"""Decisions about all objects of a short history in one call: see object_decisions.hpp."""

import enum
from collections.abc import Sequence

from . import Blueprint, Columns, Exclusion, Flaw, Positions, Reason, StopToken

class Decider(enum.Enum):
    NONE = 0
    MONITOR = 1
    DEPTH_FIRST = 2
    WING_GONG = 3
    LINEAR = 4

class ObjectAnswer:
    @property
    def positions(self) -> Positions: ...
    @property
    def by(self) -> Decider: ...
    @property
    def linearizable(self) -> bool: ...
    @property
    def order(self) -> Positions: ...
    @property
    def configurations(self) -> int: ...
    @property
    def reason(self) -> Reason: ...
    @property
    def evidence(self) -> list[int]: ...
    @property
    def scope(self) -> Positions: ...
    @property
    def exclusion(self) -> Exclusion: ...
    @property
    def culprit(self) -> int: ...
    @property
    def flaw(self) -> tuple[Flaw, int]: ...

def decide_objects(
    columns: Columns,
    blueprint: Blueprint,
    names: Sequence[int],
    arities: Sequence[tuple[int, int]],
    content: Sequence[int],
    allowance: int,
    stop: StopToken,
    parallel: bool,
) -> list[ObjectAnswer]: ...
