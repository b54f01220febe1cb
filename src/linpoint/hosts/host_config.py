# SPDX-License-Identifier: Apache-2.0
"""Options of a host that hold for every search: memory model, data races, isolation, memory, number of processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

RACES: Final = ("stop", "report", "ignore")
"""A data race ends the search as its finding, is reported beside it, or plain accesses count as relaxed atomics."""
ISOLATIONS: Final = ("none", "fork")


@dataclass(frozen=True, slots=True)
class HostConfig:
    """How a host runs its target, whatever the search."""

    memory_model: str = "sc"
    races: str = "stop"
    reuse: bool = False
    spurious: bool = False
    isolate: str = "none"
    args: tuple[str, ...] = ()
    """Of the program."""
    max_memory: int | None = None
    atomic: tuple[tuple[int, int], ...] = ()
    """Code that runs without preemption: where functions begin and end in the target."""
    workers: int = 1
    """Processes that share a search, where it can be shared."""

    def words(self, workers: int = 1) -> list[str]:
        """The command-line options of each of that many hosts."""
        words = ["--memory-model", self.memory_model, "--races", self.races, "--isolate", self.isolate]
        words += ["--reuse"] * self.reuse + ["--spurious"] * self.spurious
        words += ["--atomic", ",".join(f"{begin}-{end}" for begin, end in self.atomic)] if self.atomic else []
        # Half of it is for what the program allocates; the rest is the host's own.
        words += [] if self.max_memory is None else ["--max-memory", str(max(1, self.max_memory // 2 // workers))]
        return words
