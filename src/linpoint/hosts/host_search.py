# SPDX-License-Identifier: Apache-2.0
"""A search of a host over scenarios: its messages as they arrive, then its ending."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Final, Self

from linpoint.hosts.host_message import SEARCH_MESSAGES, SearchMessage
from linpoint.hosts.host_process import GRACE, HostProcess, read_hosts, start_host
from linpoint.hosts.search_messages import ScenarioLost, SearchResult

_LOST: Final = "its process was terminated by signal {}"


class HostSearch:
    """Iterate over it in a ``with`` block; leaving the block stops the host. Ctrl-C sets ``interrupted``."""

    def __init__(
        self, command: Sequence[str], scenarios: Sequence[str], *, seconds: float, max_memory: int | None
    ) -> None:
        self.results: dict[int, SearchResult] = {}
        """The results by the number of the scenario."""
        self.described: Any = None
        self.died = ""
        """The reason why results are missing."""
        self.peak_memory_bytes = 0
        self.interrupted = False
        self._scenarios = len(scenarios)
        self._stack = ExitStack()
        self._host: HostProcess | None = None
        self._ended = False
        try:
            self._host = start_host(
                command,
                self._stack,
                seconds=seconds + GRACE + 1,
                max_memory=max_memory,
                request=[each.encode() for each in scenarios],
            )
        except OSError as error:
            self._stack.close()
            self.died = f"the host cannot be started: {error.strerror}"

    def __enter__(self) -> Self:
        return self

    def __iter__(self) -> Iterator[SearchMessage]:
        """The messages; a scenario whose process died gets a result ``lost``."""
        if self._host is None:
            return
        for _, message in read_hosts([self._host], SEARCH_MESSAGES):
            if message is None:
                continue
            self.described = message.described or self.described
            result = message.result if message.lost is None else _lost_result(message.lost)
            if result is not None:
                self.results[result.scenario] = result
            yield message if message.lost is None else SearchMessage(result=result)
        self._ended = True

    def run(self) -> Self:
        """Read all messages; the results stay in the attributes."""
        with self:
            for _ in self:
                pass
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        self.interrupted = isinstance(error, KeyboardInterrupt)
        if self._host is not None and error is None:
            self._conclude(self._host)
        self._stack.close()
        return self.interrupted

    def _conclude(self, host: HostProcess) -> None:
        if self._ended:
            ending = host.ending()
            missing = len(self.results) < self._scenarios
            self.died = host.stopped or (ending.died if missing and ending.by_itself else "")
        else:
            host.kill()
        self.peak_memory_bytes = host.peak_memory_bytes


def _lost_result(lost: ScenarioLost) -> SearchResult:
    return SearchResult("lost", reason=_LOST.format(lost.signal), scenario=lost.scenario)
