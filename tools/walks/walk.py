# SPDX-License-Identifier: Apache-2.0
"""A walk: the modules that a run visits and the calls between them, with what the rules of ARCHITECTURE.md forbid.

A call goes *up* if the package of the callee is in a higher layer than that of the caller. Two modules *ping-pong* if each
calls the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """A call from a function of one module to a function of another one."""

    caller: str
    caller_function: str
    callee: str
    callee_function: str

    def __str__(self) -> str:
        return f"{self.caller}:{self.caller_function} -> {self.callee}:{self.callee_function}"


@dataclass(slots=True)
class Walk:
    """One run of an engine, with all its processes."""

    engine: str
    first_calls: dict[str, float] = field(default_factory=dict)
    """When each module was first called, by module, in this order."""
    calls: dict[Call, int] = field(default_factory=dict)
    """How often each call was made."""

    @property
    def modules(self) -> list[str]:
        """The modules in the order of their first calls."""
        return list(self.first_calls)

    def ping_pong_pairs(self) -> list[tuple[str, str]]:
        """Pairs of modules that call each other."""
        pairs = {(each.caller, each.callee) for each in self.calls}
        return sorted((one, other) for one, other in pairs if one < other and (other, one) in pairs)

    def upward_calls(self, ranks: Mapping[str, int]) -> list[Call]:
        """Calls to a higher layer."""
        return sorted(each for each in self.calls if _rank(each.callee, ranks) > _rank(each.caller, ranks))


def load_walk(engine: str, directory: Path) -> Walk:
    """The walk recorded by processes in the files of a directory."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in directory.glob("*.json")]
    walk = Walk(engine)
    for module, _, at in sorted((each for record in records for each in record["first"]), key=lambda each: each[2]):
        walk.first_calls.setdefault(module.removeprefix("linpoint."), at)
    for record in records:
        for caller, caller_function, callee, callee_function, count in record["calls"]:
            if caller != callee:
                names = caller.removeprefix("linpoint."), callee.removeprefix("linpoint.")
                call = Call(names[0], caller_function, names[1], callee_function)
                walk.calls[call] = walk.calls.get(call, 0) + count
    return walk


def _rank(module: str, ranks: Mapping[str, int]) -> int:
    return ranks.get(module.partition(".")[0], len(ranks))
