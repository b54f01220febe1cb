# SPDX-License-Identifier: Apache-2.0
"""The content of a crash's replay token: the build options, the workload with its probes, and the crash state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from linpoint.crash.crash_plan import CrashPlan, CrashState
from linpoint.crash.probe_generation import Probe
from linpoint.errors import LinpointError
from linpoint.histories.values import freeze, thaw
from linpoint.hosts.crash_messages import Code, CrashViolation, OverlappingOperations
from linpoint.options.commands.crash import CrashOptions
from linpoint.options.schema import Surface
from linpoint.options.token_fields import options_from_token, token_fields
from linpoint.scenarios.scenario import Call
from linpoint.subjects.interface import Failure
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest
from linpoint.verdicts import replay_token

_CallFields = tuple[str, list[Any]]


class _TokenFields(msgspec.Struct):
    """The fields of a token besides the options."""

    file: str
    test: str
    finding: str
    spec: str
    workload: list[_CallFields]
    probes: list[tuple[str, list[Any], int]] = []
    beside: list[_CallFields] = []
    reads: list[tuple[str, list[Any], int]] = []
    healed: list[Code] = []
    state: CrashState | None = None
    code: str = ""


_ORDER: Final = (
    *("kind", "file", "test", "finding", "spec", "workload", "probes", "beside", "reads", "healed", "state"),
    *("condition", "flags", "compiler", "code", "persistency", "pool_size", "persistent_heap", "seed"),
)
"""The order of the fields in a token."""


@dataclass(frozen=True, slots=True)
class CrashToken:
    """The options to build and run the test, and the crash."""

    options: CrashOptions
    fields: _TokenFields

    @property
    def file(self) -> str:
        """The file of the test."""
        return self.fields.file

    @property
    def test(self) -> str:
        """The name of the test."""
        return self.fields.test

    @property
    def plan(self) -> CrashPlan:
        """The workload with its probes; raises LP-U004 if a value is invalid."""
        try:
            return CrashPlan(
                self.test,
                tuple(_call(*each) for each in self.fields.workload),
                tuple(Probe(_call(name, args), since) for name, args, since in self.fields.probes),
                tuple(_call(*each) for each in self.fields.beside),
                tuple(self.fields.healed),
                tuple(Probe(_call(name, args), place) for name, args, place in self.fields.reads),
            )
        except LinpointError as error:
            raise replay_token.not_a_finding(error.message.rstrip(".")) from None

    @property
    def failure(self) -> Failure:
        """The failure to reproduce; its ``run`` is the crash state, or None for a failure without a crash."""
        return Failure(self.fields.finding, self.plan, (), 0, self.fields.state)

    def is_outdated(self, test: BuiltCrashTest) -> bool:
        """Whether the test has changed since the token was made."""
        return bool(self.fields.code) and self.fields.code != test.target.digest


def token_content(
    test: BuiltCrashTest, plan: CrashPlan, violation: CrashViolation | None, finding: str = "durability"
) -> dict[str, Any]:
    """The content of a crash's token; without a violation, only that of the workload."""
    options = test.options
    overlap = None if violation is None else violation.dl3
    reads: tuple[Probe, ...] = ()
    others = len(plan.calls) - len(plan.reads)
    if overlap is not None and overlap.second >= others:  # the only read needed gets the next number
        reads, overlap = plan.reads[overlap.second - others :][:1], msgspec.structs.replace(overlap, second=others)
    fields = _TokenFields(
        test.file,
        test.name,
        finding,
        options.spec or "",
        [_fields(call) for call in plan.workload],
        [] if violation is None else [(*_fields(each.call), each.since) for each in plan.probes],
        [_fields(call) for call in plan.beside],
        [(*_fields(each.call), each.since) for each in reads],
        list(plan.healed),
        None if violation is None else state_of(violation, overlap),
        test.target.digest,
    )
    content: dict[str, Any] = msgspec.to_builtins(fields) | token_fields(options)
    return {name: content[name] for name in _ORDER if content.get(name) not in (None, [], False)}


def state_of(violation: CrashViolation, overlap: OverlappingOperations | None) -> CrashState:
    """The crash state of a violation; ``overlap`` has the numbers of its operations in the plan of the replay."""
    return CrashState(violation.kind, violation.event, violation.state, violation.prefix, overlap)


def read_token(content: dict[str, Any]) -> CrashToken:
    """Read a decoded token; raises LP-U004 if its content is malformed."""
    try:
        fields = msgspec.convert(content, _TokenFields)
    except msgspec.ValidationError as error:
        raise replay_token.not_a_finding(str(error)) from None
    if not fields.workload:
        raise replay_token.not_a_finding("it has no operations")
    return CrashToken(options_from_token(CrashOptions, content).with_values(Surface.TOKEN, workers=1), fields)


def _fields(call: Call) -> _CallFields:
    return call.operation, thaw(call.args)


def _call(name: str, args: list[Any]) -> Call:
    return Call(name, freeze(args))
