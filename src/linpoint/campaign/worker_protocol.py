# SPDX-License-Identifier: Apache-2.0
"""Messages between a command and its worker. Importing them does not load the explorer."""

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
    """The common fields of all requests."""

    file: str
    deadline: float | None = None
    """The deadline on the monotonic clock, which all processes share; it includes starting the worker and loading.

    None stands for the default budget, counted from the start of the campaign.
    """
    options: dict[str, Any] = {}
    """The options of the command, as ``Options.as_json`` gives them."""
    schedule: list[tuple[int, int]] | None = None
    """The schedule to replay; None to search."""
    finding: str = ""
    """The kind of the replayed finding."""
    code: str = ""
    """The digest of the code when the finding was made."""

    def seconds_left(self) -> float:
        """The seconds for a campaign that starts now."""
        if self.deadline is None:
            return DEFAULT_BUDGET_S
        return max(_MIN_CAMPAIGN_S, self.deadline - time.monotonic())


class TestRequest(WorkerRequest, tag="test", kw_only=True):
    """A request about a test of an object. ``recheck`` checks the operations in the finding of a stress test."""

    __test__ = False

    action: Literal["list", "test", "stress", "recheck"] = "test"
    test: str = ""
    scenario: dict[str, Any] | None = None
    """The scenario of the schedule to replay."""
    history: list[dict[str, Any]] = []
    """For ``recheck``: the operations of the finding."""
    page: bool = False
    command: list[str] = []
    """The arguments that run this test, for the HTML report."""

    def test_options(self) -> TestOptions:
        """The options of the command."""
        return TestOptions.from_json(self.options)

    def fixed_scenario(self) -> Scenario | None:
        """The only scenario to run, or None."""
        return self.test_options().fixed_scenario if self.scenario is None else Scenario.from_dict(self.scenario)


class StressToken(msgspec.Struct):
    """The content of a token of ``test --stress``: the conflicting operations."""

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
    """A request about a whole program."""

    args: list[str] = []

    def program_options(self) -> ExploreOptions:
        """The options of the command."""
        return ExploreOptions.from_json(self.options)


class WorkerProgress(msgspec.Struct, kw_only=True):
    """The progress of a campaign."""

    scenario: dict[str, Any] | None = None
    """None for a subject without scenarios."""
    scenarios: int = 0
    schedules: int = 0
    seconds: float = 0.0


class RenderedResult(msgspec.Struct):
    """A result in all output formats, or an error."""

    tests: list[str] = []
    """The tests of a file, for ``list``."""
    status: str = ""
    document: dict[str, Any] = {}
    text: str = ""
    page: str = ""
    replay: list[str] = []
    error: dict[str, str | None] | None = None
    compiler_output: str = ""
    """The compiler's output at the end of the error's message, which was already printed unchanged."""


class WorkerMessage(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A message of a worker: progress, or finally the answer."""

    progress: WorkerProgress | None = None
    answer: RenderedResult | None = None


Send = Callable[[WorkerMessage], None]


def rendered_result(
    result: Result, command: Sequence[str] = (), *, page: bool = False, replay: Sequence[str] = ()
) -> RenderedResult:
    """Render a result; with ``page`` also as an HTML report that shows the ``command``.

    The arguments in ``replay`` reproduce a finding without a token.
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
