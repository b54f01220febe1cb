# SPDX-License-Identifier: Apache-2.0
"""Host options for every search: memory model, data races, isolation, memory limit, number of processes."""

from __future__ import annotations

from dataclasses import dataclass

from linpoint.options.host_arguments import host_words


@dataclass(frozen=True, slots=True)
class HostConfig:
    """The host options that do not depend on the search."""

    memory_model: str = "sc"
    races: str = "stop"
    reuse: bool = False
    spurious: bool = False
    isolate: str = "none"
    args: tuple[str, ...] = ()
    """The arguments of the program."""
    max_memory: int | None = None
    atomic: tuple[tuple[int, int], ...] = ()
    """Address ranges of the functions that run without preemption, as offsets into the target."""
    workers: int = 1
    """The number of processes that share a search, if it can be shared."""

    def words(self, workers: int = 1) -> list[str]:
        """The command-line options of each host, if this number of workers share the memory."""
        return host_words(
            memory_model=self.memory_model,
            races=self.races,
            isolate=self.isolate,
            reuse=self.reuse,
            spurious=self.spurious,
            atomic=self.atomic,
            # Half of the limit is for the program's allocations, the rest for the host.
            max_memory=None if self.max_memory is None else max(1, self.max_memory // 2 // workers),
        )
