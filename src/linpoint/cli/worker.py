# SPDX-License-Identifier: Apache-2.0
"""The process in which a user's code is tested: a crash of the target is its end, not that of the command.

It is started with a fixed hash seed, reads one request as JSON from its standard input, and writes JSON lines to the
descriptor that it is told: progress, then one answer. What the target prints goes to standard error.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Final

import msgspec

from linpoint.cli import tokens
from linpoint.errors import LinpointError
from linpoint.explain.findings import document, explain_result
from linpoint.explore.testing.campaign import run_test
from linpoint.explore.testing.loading import code_hash, load_test, load_tests
from linpoint.explore.testing.replaying import replay_test
from linpoint.explore.testing.search import Progress
from linpoint.explore.testing.settings import Settings
from linpoint.scenarios.definition import Definition
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts.finding import Finding, TestResult
from linpoint.verdicts.program import ProgramFinding


class TestRequest(msgspec.Struct, tag="test"):
    """What a worker is asked for. ``action`` is ``list``, ``test`` or ``replay``."""

    __test__ = False

    action: str
    file: str
    test: str = ""
    spec: str | None = None
    budget: float = 30.0
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
    page: bool = False


class ProgramRequest(msgspec.Struct, tag="program"):
    """A whole program to explore; with a ``schedule``, just that one is shown again."""

    file: str
    args: list[str] = []
    deadline: float | None = None
    """On the monotonic clock, which all processes share."""
    granularity: str = "access"
    preemptions: int | None = None
    schedule: list[tuple[int, int]] | None = None
    code: str = ""


class Answer(msgspec.Struct):
    """What a worker says in the end."""

    tests: list[str] = []
    status: str = ""
    document: dict[str, Any] = {}
    text: str = ""
    page: str = ""
    replay: list[str] = []
    error: dict[str, str | None] | None = None


_DESCRIPTOR: Final = 1


def main() -> None:
    """Serve one request."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us has put off Ctrl-C until now
    descriptor = int(sys.argv[1])
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=TestRequest | ProgramRequest)

    def say(message: dict[str, Any]) -> None:
        os.write(descriptor, msgspec.json.encode(message, enc_hook=repr) + b"\n")

    try:
        answer = serve_program(request, say) if isinstance(request, ProgramRequest) else serve(request, say)
    except LinpointError as error:
        answer = Answer(error=error.as_dict())
    except KeyboardInterrupt:  # whoever started us knows why
        os._exit(1)
    say({"answer": msgspec.to_builtins(answer, enc_hook=repr)})
    # Threads of the target that never end must not keep us.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def serve(request: TestRequest, say: Callable[[dict[str, Any]], None]) -> Answer:
    """Do what is asked for."""
    if request.action == "list":
        return Answer(tests=list(load_tests(request.file)))
    definition = load_test(request.file, request.test)
    if request.spec is not None:
        definition = _with_spec(definition, request.spec)
    content = {
        "kind": "test",
        "file": request.file,
        "test": request.test,
        "code": code_hash(definition),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        **({} if request.spec is None else {"spec": request.spec}),
    }
    settings = Settings(
        budget=request.budget,
        seed=request.seed,
        scenarios=() if request.scenario is None else (Scenario.from_dict(request.scenario),),
        threads=request.threads,
        operations=request.operations,
        before=request.before,
        after=request.after,
        granularity=request.granularity,
        backend=request.backend,
        replay=content,
    )

    def watch(progress: Progress) -> None:
        say({"progress": {"scenario": progress.scenario, "schedules": progress.schedules, "share": progress.share}})

    if request.action == "replay":
        changed = bool(request.code) and request.code != content["code"]
        result = replay_test(definition, settings, tuple(request.schedule or ()), changed=changed)
    else:
        result = run_test(definition, settings, watch=watch)
    return answer_of(result, page=request.page)


def _with_spec(definition: Definition, spec: str) -> Definition:
    from dataclasses import replace  # noqa: PLC0415

    return replace(definition, spec=spec)


def answer_of(result: TestResult, *, page: bool) -> Answer:
    """A result as the parent prints and writes it."""
    replays = [replay_words(finding) for finding in result.findings]
    told = document(result)
    for finding, words in zip(told["findings"], replays, strict=True):
        finding["replay"] = words
    return Answer(
        status=result.status.value,
        document=told,
        text=explain_result(result).text,
        page=_page(result) if page else "",
        replay=replays[0] if replays else [],
    )


def serve_program(request: ProgramRequest, say: Callable[[dict[str, Any]], None]) -> Answer:
    """Explore a program, or show one of its schedules again."""
    from linpoint.cli.program_worker import run_program  # noqa: PLC0415 - a worker does one thing
    from linpoint.explain.programs import program_document, program_text  # noqa: PLC0415 - as above

    result = run_program(request, say)
    replays = [replay_words(finding) for finding in result.findings]
    told = program_document(result)
    for finding, words in zip(told["findings"], replays, strict=True):
        finding["replay"] = words
    return Answer(
        status=result.answer.value,
        document=told,
        text=program_text(result),
        replay=replays[0] if replays else [],
    )


def replay_words(finding: Finding | ProgramFinding) -> list[str]:
    """The arguments that show a finding again."""
    return ["replay", tokens.encode(dict(finding.replay))]


def _page(result: TestResult) -> str:
    from linpoint.explain.html.tests import test_page  # noqa: PLC0415 - only who asks for a page is to wait for it

    return test_page(result)
