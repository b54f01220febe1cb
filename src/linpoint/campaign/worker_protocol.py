# SPDX-License-Identifier: Apache-2.0
"""Messages between a command and its worker. The command imports no part of the explorer for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import msgspec

from linpoint.limits.budget import DEFAULT_BUDGET_S
from linpoint.options.commands.explore import ExploreOptions
from linpoint.options.commands.test import TestOptions
from linpoint.scenarios.scenario import Scenario
from linpoint.text.shell_commands import shell_command
from linpoint.verdicts.replay_token import not_a_finding
from linpoint.verdicts.result import Result

_MIN_CAMPAIGN_S: Final = 0.1


class WorkerRequest(msgspec.Struct, kw_only=True):
    """The fields of requests for all kinds of subjects."""

    file: str
    deadline: float | None = None
    """On the monotonic clock, which all processes share: starting the worker and loading the file count.

    None stands for the default budget, from when the campaign begins.
    """
    options: dict[str, Any] = {}
    """Those of the command, as ``Options.as_json`` gives them."""
    schedule: list[tuple[int, int]] | None = None
    """Replay only this schedule."""
    finding: str = ""
    """The kind of the finding that is replayed."""
    code: str = ""
    """The digest of the code in which it was found."""

    def seconds_left(self) -> float:
        """The time for a campaign that begins now."""
        if self.deadline is None:
            return DEFAULT_BUDGET_S
        return max(_MIN_CAMPAIGN_S, self.deadline - time.monotonic())


class TestRequest(WorkerRequest, tag="test", kw_only=True):
    """A test of an object. ``recheck`` checks the operations in the finding of a stress test."""

    __test__ = False

    action: Literal["list", "test", "stress", "recheck"] = "test"
    test: str = ""
    scenario: dict[str, Any] | None = None
    """That of a schedule to replay."""
    history: list[dict[str, Any]] = []
    """For ``recheck``: the operations of the finding."""
    page: bool = False
    command: list[str] = []
    """The arguments that run this test, for its page."""

    def test_options(self) -> TestOptions:
        """The options of the command."""
        return TestOptions.from_json(self.options)

    def fixed_scenario(self) -> Scenario | None:
        """The only scenario to run, if there is one."""
        return self.test_options().fixed_scenario if self.scenario is None else Scenario.from_dict(self.scenario)


class StressToken(msgspec.Struct):
    """The content of a token of ``test --stress``: the operations that conspire."""

    file: str
    test: str
    finding: str
    operations: list[dict[str, Any]]
    spec: str | None = None


def recheck_request(content: dict[str, Any]) -> TestRequest:
    """The request to check the operations of a token again."""
    try:
        token = msgspec.convert(content, StressToken)
    except msgspec.ValidationError as error:
        raise not_a_finding(str(error)) from None
    return TestRequest(
        action="recheck",
        file=token.file,
        test=token.test,
        options={} if token.spec is None else {"spec": token.spec},
        finding=token.finding,
        history=token.operations,
    )


class ProgramRequest(WorkerRequest, tag="program", kw_only=True):
    """A whole program."""

    args: list[str] = []

    def program_options(self) -> ExploreOptions:
        """The options of the command."""
        return ExploreOptions.from_json(self.options)


class WorkerProgress(msgspec.Struct, kw_only=True):
    """How far a campaign is."""

    scenario: dict[str, Any] | None = None
    """None for a subject without scenarios."""
    scenarios: int = 0
    schedules: int = 0
    seconds: float = 0.0


class RenderedResult(msgspec.Struct):
    """A result in all forms in which it is printed and written, or the error in its place."""

    tests: list[str] = []
    """The tests of a file, for ``list``."""
    status: str = ""
    document: dict[str, Any] = {}
    text: str = ""
    page: str = ""
    replay: list[str] = []
    error: dict[str, str | None] | None = None
    compiler_output: str = ""
    """The end of the error's message, which was printed as it is when the compiler ended."""


class WorkerMessage(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A line that a worker writes: progress, in the end the answer."""

    progress: WorkerProgress | None = None
    answer: RenderedResult | None = None


Send = Callable[[WorkerMessage], None]


def rendered_result(
    result: Result, command: Sequence[str] = (), *, page: bool = False, replay: Sequence[str] = ()
) -> RenderedResult:
    """A result as it is printed and written: with a ``page`` that shows the ``command``, if there is to be one.

    The arguments in ``replay`` reproduce a finding that has no token.
    """
    explained = result.explain()
    document = explained.as_dict()
    for finding in document["findings"] if replay else ():
        finding["replay"] = list(replay)
    first = document["findings"][0]["replay"] if document["findings"] else []
    shown, again = (f"linpoint {shell_command(each)}" if each else "" for each in (command, first))
    return RenderedResult(
        status=result.status.value,
        document=document,
        text=explained.text,
        page=explained.as_html(command=shown, replay=again) if page else "",
        replay=first,
    )
