# SPDX-License-Identifier: Apache-2.0
"""Options of a host that hold for every search: memory model, data races, isolation, memory, number of processes."""

from __future__ import annotations

from dataclasses import dataclass

from linpoint.options.host_arguments import host_words


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
        return host_words(
            memory_model=self.memory_model,
            races=self.races,
            isolate=self.isolate,
            reuse=self.reuse,
            spurious=self.spurious,
            atomic=self.atomic,
            # Half of it is for what the program allocates; the rest is the host's own.
            max_memory=None if self.max_memory is None else max(1, self.max_memory // 2 // workers),
        )
