# SPDX-License-Identifier: Apache-2.0
"""The replay token of a C++ test: how to build and rerun it, and the schedule that shows the failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from linpoint.options.commands.test import TestOptions
from linpoint.options.schema import Surface
from linpoint.options.token_fields import options_from_token
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.verdicts import replay_token

CPP_KIND: Final = "test-cpp"
"""The kind of a token of a C++ test."""


class _TokenContent(msgspec.Struct):
    """The content of a token besides the options."""

    file: str
    test: str
    scenario: dict[str, Any]
    schedule: list[tuple[int, int]]
    finding: str
    code: str = ""
    stop: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class CppObjectToken:
    """A finding of a C++ test, as its token holds it."""

    options: TestOptions
    """The options to build and rerun the test, with the scenario of the finding."""
    file: str
    test: str
    schedule: tuple[tuple[int, int], ...]
    finding: str
    code: str = ""
    """The digest of the built target."""
    stop: tuple[int, int] | None = None

    @classmethod
    def read(cls, content: dict[str, Any]) -> CppObjectToken:
        """Read a decoded token; raises LP-U004 if its content is malformed."""
        try:
            found = msgspec.convert(content, _TokenContent)
        except msgspec.ValidationError as error:
            raise replay_token.not_a_finding(str(error)) from None
        scenario = Scenario.from_dict(found.scenario)
        options = options_from_token(TestOptions, content).with_values(
            Surface.TOKEN, scenario=str(scenario), before=_text(scenario.before), after=_text(scenario.after)
        )
        return cls(options, found.file, found.test, tuple(found.schedule), found.finding, found.code, found.stop)


def _text(calls: tuple[Call, ...]) -> str:
    return "; ".join(map(str, calls))
