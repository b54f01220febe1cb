# SPDX-License-Identifier: Apache-2.0
"""What a worker is asked, and what it answers. Whoever only asks needs nothing of what explores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from linpoint.explain.test.program_text import program_document, program_text
from linpoint.explain.test.result_text import document, explain_result
from linpoint.text.shell_commands import shell_command
from linpoint.verdicts import replay_token
from linpoint.verdicts.finding import TestResult
from linpoint.verdicts.program import ProgramResult


class TestRequest(msgspec.Struct, tag="test"):
    """What a worker is asked for. ``action`` is ``list``, ``test``, ``replay``, ``stress`` or ``recheck``."""

    __test__ = False

    action: str
    file: str
    test: str = ""
    spec: str | None = None
    budget: float = 30.0
    """Seconds, from when the request was made: starting the worker and loading the test count."""
    made: float = 0.0
    """When that was, on the monotonic clock, which all processes share; 0 if it does not matter."""
    seed: int = 0
    scenario: dict[str, Any] | None = None
    schedule: list[tuple[int, int]] | None = None
    finding: str = ""
    code: str = ""
    threads: int | None = None
    operations: int | None = None
    before: int | None = None
    after: int | None = None
    granularity: str = "access"
    backend: str = "auto"
    instances: int = 1
    erratic: bool = False
    history: list[dict[str, Any]] = []
    """For ``recheck``: the operations of a finding of stress."""
    page: bool = False
    command: list[str] = []
    """The arguments that run this test, for its page."""


class ProgramRequest(msgspec.Struct, tag="program"):
    """A whole program to explore; with a ``schedule``, just that one is shown again."""

    file: str
    args: list[str] = []
    deadline: float | None = None
    """On the monotonic clock, which all processes share."""
    granularity: str = "access"
    preemptions: int | None = None
    backend: str = "auto"
    schedule: list[tuple[int, int]] | None = None
    finding: str = ""
    code: str = ""


class RenderedResult(msgspec.Struct):
    """What a worker says in the end."""

    tests: list[str] = []
    status: str = ""
    document: dict[str, Any] = {}
    text: str = ""
    page: str = ""
    replay: list[str] = []
    error: dict[str, str | None] | None = None
    said: str = ""
    """At the end of the error's message: what a compiler said, which people were shown as it is."""


def answer_of(result: TestResult, request: TestRequest, *, replay: Sequence[str] = ()) -> RenderedResult:
    """A result as the parent prints and writes it; ``replay`` shows its finding again where no token does."""
    told = document(result)
    for finding in told["findings"] if replay else ():
        finding["replay"] = list(replay)
    first = told["findings"][0]["replay"] if told["findings"] else []
    explained = explain_result(result)
    command, again = (f"linpoint {shell_command(each)}" if each else "" for each in (request.command, first))
    return RenderedResult(
        status=result.status.value,
        document=told,
        text=explained.text,
        page=explained.as_html(command=command, replay=again) if request.page else "",
        replay=first,
    )


def answer_of_program(result: ProgramResult) -> RenderedResult:
    """A result as the parent prints it."""
    replays = [["replay", replay_token.encode(dict(finding.replay))] for finding in result.findings]
    told = program_document(result)
    for finding, words in zip(told["findings"], replays, strict=True):
        finding["replay"] = words
    return RenderedResult(
        status=result.answer.value,
        document=told,
        text=program_text(result),
        replay=replays[0] if replays else [],
    )
