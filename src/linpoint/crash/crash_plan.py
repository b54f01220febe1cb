# SPDX-License-Identifier: Apache-2.0
"""The input of a crash host: a workload, operations that may run concurrently with it, probes, and a crash state."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from linpoint.crash.probe_generation import Probe
from linpoint.hosts.crash_messages import Code, OverlappingOperations
from linpoint.scenarios.scenario import Call


@dataclass(frozen=True, slots=True)
class CrashPlan:
    """A test, its workload, the operations that may run concurrently with it, and the probes."""

    test: str
    workload: tuple[Call, ...]
    probes: tuple[Probe, ...] = ()
    beside: tuple[Call, ...] = ()
    healed: tuple[Code, ...] = ()
    """Code addresses of known causes; their stores count as persisted immediately."""
    reads: tuple[Probe, ...] = ()
    """Reads, each of which may run concurrently with the operation of the workload with the number ``since``."""

    @property
    def calls(self) -> list[Call]:
        """All operations, by number."""
        return [*self.workload, *self.beside, *(each.call for each in (*self.probes, *self.reads))]

    @property
    def probe_numbers(self) -> list[tuple[int, int]]:
        """The number of each probe, and the first operation of the workload whose crashes run it."""
        begin = len(self.workload) + len(self.beside)
        return [(begin + at, each.since) for at, each in enumerate(self.probes)]

    def parts(self, state: str = "", expected: bytes = b"") -> list[bytes]:
        """The plan in the format of the host, with a crash state and the expected results of probes."""
        setting = "".join(f"heal {module} {offset}\n" for module, offset in self.healed) + state
        if expected:
            return [self._text(), setting.encode(), expected]
        return [self._text(), setting.encode()] if setting else [self._text()]

    def _text(self) -> bytes:
        lines = [self.test, *(_line("0", call) for call in self.workload), *(_line("1", call) for call in self.beside)]
        lines += (_line(f"after@{each.since}" if each.since else "after", each.call) for each in self.probes)
        lines += (_line(f"1@{each.since}", each.call) for each in self.reads)
        return ("\n".join(lines) + "\n").encode()


class CrashState(msgspec.Struct):
    """A crash of a plan: its moment, and the cache lines that survive with some of their stores."""

    kind: str
    event: int
    lines: list[tuple[int, int]]
    prefix: int | list[int]
    beside: OverlappingOperations | None = None

    def text(self) -> str:
        """The crash state in the format of the host."""
        words = [f"crash {self.event}", *(f"line {address} {length}" for address, length in self.lines)]
        if self.beside is not None:
            words.append(f"dl3 {self.beside.first} {self.beside.second} {self.beside.store}")
        if isinstance(self.prefix, list):
            words.append(f"prefix {' '.join(map(str, self.prefix))}")
        return "\n".join(words) + "\n"


def _line(where: str, call: Call) -> str:
    return f"{where} {call.operation} {msgspec.json.encode(list(call.args)).decode()}"
