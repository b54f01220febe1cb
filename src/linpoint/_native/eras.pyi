# SPDX-License-Identifier: Apache-2.0
"""Buffered durability, decided era by era."""

import enum
from collections.abc import Sequence

from linpoint._native import (
    Alphabet,
    Blueprint,
    Columns,
    Exclusion,
    Flaw,
    Machine,
    MonitorStatus,
    Positions,
    Reason,
    StopToken,
)

class MonitoredEras:
    @property
    def status(self) -> MonitorStatus: ...
    @property
    def order(self) -> Positions: ...
    @property
    def eras(self) -> list[int]: ...
    @property
    def survivors(self) -> list[int]: ...
    @property
    def reason(self) -> Reason: ...
    @property
    def scope(self) -> Positions: ...
    @property
    def exclusion(self) -> Exclusion: ...
    @property
    def culprit(self) -> int: ...
    @property
    def flaw(self) -> tuple[Flaw, int]: ...
    @property
    def constrained(self) -> bool: ...

def monitor_eras(
    columns: Columns,
    positions: Sequence[int],
    objects: Sequence[Sequence[int]],
    contents: Sequence[Sequence[int]],
    blueprint: Blueprint,
    stop: StopToken,
) -> MonitoredEras: ...

class EraAnswer(enum.Enum):
    FOUND = 0
    REFUTED = 1
    STOPPED = 2
    EXCLUDED = 3

class SearchedEras:
    @property
    def answer(self) -> EraAnswer: ...
    @property
    def order(self) -> Positions: ...
    @property
    def eras(self) -> list[int]: ...
    @property
    def survivors(self) -> list[int]: ...
    @property
    def configurations(self) -> int: ...
    @property
    def constrained(self) -> bool: ...

def search_eras(
    columns: Columns,
    positions: Sequence[int],
    objects: Sequence[Sequence[int]],
    initials: Sequence[int],
    alphabet: Alphabet,
    machine: Machine,
    key_argument: bool,
    stop: StopToken,
) -> SearchedEras: ...
