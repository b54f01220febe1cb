# SPDX-License-Identifier: Apache-2.0
"""What a crash host runs: a workload of one test, operations that may run concurrently with it, and probes."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from linpoint.crash.probe_generation import Probe
from linpoint.hosts.crash_messages import Code
from linpoint.scenarios.scenario import Call


@dataclass(frozen=True, slots=True)
class CrashPlan:
    """A test, its workload, what may run beside it, and the probes."""

    test: str
    workload: tuple[Call, ...]
    probes: tuple[Probe, ...] = ()
    beside: tuple[Call, ...] = ()
    healed: tuple[Code, ...] = ()
    """Code whose stores count as persisted immediately: causes that are known already."""
    reads: tuple[Probe, ...] = ()
    """Each may run beside that operation of the workload whose number it has."""

    @property
    def calls(self) -> list[Call]:
        """All operations, by number."""
        return [*self.workload, *self.beside, *(each.call for each in (*self.probes, *self.reads))]

    @property
    def probe_numbers(self) -> list[tuple[int, int]]:
        """The number of each probe, and the operation of the workload since which it is run."""
        begin = len(self.workload) + len(self.beside)
        return [(begin + at, each.since) for at, each in enumerate(self.probes)]

    def parts(self, state: str = "", expected: bytes = b"") -> list[bytes]:
        """As the host reads it, with a crash state, and the expected results of probes."""
        setting = "".join(f"heal {module} {offset}\n" for module, offset in self.healed) + state
        if expected:
            return [self._text(), setting.encode(), expected]
        return [self._text(), setting.encode()] if setting else [self._text()]

    def _text(self) -> bytes:
        lines = [self.test, *(_line("0", call) for call in self.workload), *(_line("1", call) for call in self.beside)]
        lines += (_line(f"after@{each.since}" if each.since else "after", each.call) for each in self.probes)
        lines += (_line(f"1@{each.since}", each.call) for each in self.reads)
        return ("\n".join(lines) + "\n").encode()


def _line(where: str, call: Call) -> str:
    return f"{where} {call.operation} {msgspec.json.encode(list(call.args)).decode()}"
