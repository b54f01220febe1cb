# SPDX-License-Identifier: Apache-2.0
"""What a worker is asked, and what it answers. Whoever only asks needs nothing of what explores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from linpoint.text.shell_commands import shell_command
from linpoint.verdicts.result import Result


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


def rendered_result(
    result: Result, command: Sequence[str] = (), *, page: bool = False, replay: Sequence[str] = ()
) -> RenderedResult:
    """A result as it is printed and written: with a ``page`` that shows the ``command``, if there is to be one.

    The words of ``replay`` show a finding again that has no token.
    """
    explained = result.explain()
    document = explained.as_dict()
    for finding in document["findings"] if replay else ():
        finding["replay"] = list(replay)
    first = document["findings"][0]["replay"] if document["findings"] else []
    shown, again = (f"linpoint {shell_command(words)}" if words else "" for words in (command, first))
    return RenderedResult(
        status=result.status.value,
        document=document,
        text=explained.text,
        page=explained.as_html(command=shown, replay=again) if page else "",
        replay=first,
    )
