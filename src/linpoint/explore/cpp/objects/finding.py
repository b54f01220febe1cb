# SPDX-License-Identifier: Apache-2.0
"""What a replay token holds of a test in C++: how to build and run it again, and the schedule that shows the failure."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from linpoint.errors import UsageError
from linpoint.explore.cpp.objects.asked import LINEARIZABILITY, Asked
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts import replay_token

CPP_KIND: Final = "test-cpp"
"""The kind of such a token."""


class CppFinding(msgspec.Struct):
    """The content of a token of a test in C++."""

    file: str
    test: str
    scenario: dict[str, Any]
    schedule: list[tuple[int, int]]
    finding: str
    spec: str | None = None
    flags: list[str] = []
    compiler: str | None = None
    code: str = ""
    memory_model: str = "sc"
    races: str = "stop"
    reuse: bool = False
    method: str = LINEARIZABILITY
    stop: tuple[int, int] | None = None

    @property
    def asked(self) -> Asked:
        """How it is built and run again; LP-U004 if the token has what cannot be."""
        scenario = Scenario.from_dict(self.scenario)
        try:
            return Asked(
                self.spec,
                tuple(self.flags),
                self.compiler,
                self.memory_model,
                self.races,
                self.reuse,
                self.method,
                scenario=scenario,
            )
        except UsageError as error:
            raise replay_token.not_a_finding(error.message.rstrip(".")) from None


def cpp_finding(content: dict[str, Any]) -> CppFinding:
    """What a decoded token holds, or LP-U004."""
    try:
        return msgspec.convert(content, CppFinding)
    except msgspec.ValidationError as error:
        raise replay_token.not_a_finding(str(error)) from None
