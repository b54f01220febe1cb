# SPDX-License-Identifier: Apache-2.0
"""What a replay token holds of a crash: how to build and run the test again, the workload, the probes, the crash state."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.probe_generation import Probe
from linpoint.errors import LinpointError
from linpoint.histories.values import freeze, thaw
from linpoint.hosts.crash_messages import Code, CrashViolation, OverlappingOperations
from linpoint.options.commands.crash import CrashOptions
from linpoint.scenarios.scenario import Call
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest
from linpoint.verdicts import replay_token

CRASH_KIND: Final = "crash"
"""The kind of such a token."""

_Called = tuple[str, list[Any]]


class CrashState(msgspec.Struct):
    """The crash itself."""

    kind: str
    event: int
    lines: list[tuple[int, int]]
    prefix: int | list[int]
    beside: OverlappingOperations | None = None

    def text(self) -> str:
        """As the host reads it."""
        words = [f"crash {self.event}", *(f"line {address} {length}" for address, length in self.lines)]
        if self.beside is not None:
            words.append(f"dl3 {self.beside.first} {self.beside.second} {self.beside.store}")
        if isinstance(self.prefix, list):
            words.append(f"prefix {' '.join(map(str, self.prefix))}")
        return "\n".join(words) + "\n"


class CrashContent(msgspec.Struct):
    """The content of a token."""

    file: str
    test: str
    finding: str
    spec: str
    workload: list[_Called]
    probes: list[tuple[str, list[Any], int]] = []
    beside: list[_Called] = []
    reads: list[tuple[str, list[Any], int]] = []
    healed: list[Code] = []
    state: CrashState | None = None
    condition: str | None = None
    flags: list[str] = []
    compiler: str | None = None
    code: str = ""
    persistency: str | None = None
    pool_size: str | None = None
    persistent_heap: bool = False
    seed: int | None = None

    @property
    def asked(self) -> CrashOptions:
        """How it is built and run again; LP-U004 if the token has what cannot be."""
        try:
            return CrashOptions(
                self.spec,
                tuple(self.flags),
                self.compiler,
                persistency=self.persistency,
                pool_size=self.pool_size,
                persistent_heap=self.persistent_heap,
                condition=self.condition,
                seed=self.seed,
                workers=1,
            )
        except LinpointError as error:
            raise replay_token.not_a_finding(error.message.rstrip(".")) from None

    @property
    def plan(self) -> CrashPlan:
        """What is run again."""
        try:
            return CrashPlan(
                self.test,
                tuple(_call(*each) for each in self.workload),
                tuple(Probe(_call(name, args), since) for name, args, since in self.probes),
                tuple(_call(*each) for each in self.beside),
                tuple(self.healed),
                tuple(Probe(_call(name, args), place) for name, args, place in self.reads),
            )
        except LinpointError as error:
            raise replay_token.not_a_finding(error.message.rstrip(".")) from None


def content_of(
    test: BuiltCrashTest, plan: CrashPlan, shown: CrashViolation | None, finding: str = "durability"
) -> dict[str, Any]:
    """What a token holds of a crash; of what goes wrong without one, the workload alone."""
    asked = test.asked
    beside = None if shown is None else shown.dl3
    reads: tuple[Probe, ...] = ()
    others = len(plan.calls) - len(plan.reads)
    if beside is not None and beside.second >= others:  # of all reads this one is needed, and has the next number
        reads, beside = plan.reads[beside.second - others :][:1], msgspec.structs.replace(beside, second=others)
    content = CrashContent(
        test.file,
        test.name,
        finding,
        asked.spec or "",
        [_called(call) for call in plan.workload],
        [] if shown is None else [(*_called(each.call), each.since) for each in plan.probes],
        [_called(call) for call in plan.beside],
        [(*_called(each.call), each.since) for each in reads],
        list(plan.healed),
        None if shown is None else CrashState(shown.kind, shown.event, shown.state, shown.prefix, beside),
        asked.condition,
        list(asked.flags),
        asked.compiler,
        test.target.digest,
        asked.persistency,
        asked.pool_size,
        asked.persistent_heap,
        asked.seed,
    )
    told: dict[str, Any] = msgspec.to_builtins(content)
    return {name: value for name, value in told.items() if value not in (None, [], False)}


def crash_content(content: dict[str, Any]) -> CrashContent:
    """What a decoded token holds, or LP-U004."""
    try:
        found = msgspec.convert(content, CrashContent)
    except msgspec.ValidationError as error:
        raise replay_token.not_a_finding(str(error)) from None
    if not found.workload:
        raise replay_token.not_a_finding("it has no operations")
    return found


def _called(call: Call) -> _Called:
    return call.operation, thaw(call.args)


def _call(name: str, args: list[Any]) -> Call:
    return Call(name, freeze(args))
