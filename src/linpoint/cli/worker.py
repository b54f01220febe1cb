# SPDX-License-Identifier: Apache-2.0
"""The process in which a user's code is tested: a crash of the target is its end, not that of the command.

It is started with a fixed hash seed, reads one request as JSON from its standard input, and writes JSON lines to the
descriptor that it is told: progress, then one answer. What the target prints goes to standard error.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from linpoint.errors import LinpointError
from linpoint.explain.findings import document, explain_result
from linpoint.explore.testing.campaign import run_test
from linpoint.explore.testing.identity import identity
from linpoint.explore.testing.loading import load_test, load_tests
from linpoint.explore.testing.replaying import replay_test
from linpoint.explore.testing.search import Progress
from linpoint.explore.testing.settings import Settings
from linpoint.histories.commands import command_line
from linpoint.scenarios.scenario import Scenario
from linpoint.verdicts import Status, tokens
from linpoint.verdicts.finding import Tested, TestResult
from linpoint.verdicts.program import Answer as ProgramAnswer
from linpoint.verdicts.program import Explored, ProgramResult

_LEAST: Final = 0.1


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
    except Exception as error:  # noqa: BLE001 - a bug of ours is no crash of the target
        traceback.print_exc()
        answer = _failed(request, error)
    say({"answer": msgspec.to_builtins(answer, enc_hook=repr)})
    # Threads of the target that never end must not keep us.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _failed(request: TestRequest | ProgramRequest, error: Exception) -> Answer:
    why = f"linpoint itself failed, which is a bug to report: {type(error).__name__}: {error}"
    if isinstance(request, ProgramRequest):
        return answer_of_program(ProgramResult(request.file, ProgramAnswer.UNKNOWN, False, why, (), Explored()))
    name = request.test or request.file
    result = TestResult(name, Status.UNKNOWN, False, why, (), {"free-threaded": Status.UNKNOWN}, Tested(), {})
    return answer_of(result, request)


def serve(request: TestRequest, say: Callable[[dict[str, Any]], None]) -> Answer:
    """Do what is asked for."""
    if request.made:
        request.budget = max(_LEAST, request.budget - (time.monotonic() - request.made))
    if request.action == "list":
        return Answer(tests=list(load_tests(request.file)))
    definition = load_test(request.file, request.test)
    if request.spec is not None:
        definition = dataclasses.replace(definition, spec=request.spec)
    if request.action in ("stress", "recheck"):
        from linpoint.cli.stressing import recheck, stress  # noqa: PLC0415 - only who asks for it is to wait for it

        return stress(definition, request, say) if request.action == "stress" else recheck(definition, request)
    content = identity(definition, file=request.file, test=request.test, spec=request.spec)
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
        told = {
            "scenario": progress.scenario.as_dict(),
            "scenarios": progress.scenarios,
            "schedules": progress.schedules,
            "seconds": progress.share * request.budget,
        }
        say({"progress": told})

    if request.action == "replay":
        changed = bool(request.code) and request.code != content["code"]
        result = replay_test(definition, settings, tuple(request.schedule or ()), changed=changed)
    else:
        result = run_test(definition, settings, watch=watch)
    return answer_of(dataclasses.replace(result, file=request.file), request)


def answer_of(result: TestResult, request: TestRequest, *, replay: Sequence[str] = ()) -> Answer:
    """A result as the parent prints and writes it; ``replay`` shows its finding again where no token does."""
    told = document(result)
    for finding in told["findings"] if replay else ():
        finding["replay"] = list(replay)
    first = told["findings"][0]["replay"] if told["findings"] else []
    explained = explain_result(result)
    command, again = (f"linpoint {command_line(each)}" if each else "" for each in (request.command, first))
    return Answer(
        status=result.status.value,
        document=told,
        text=explained.text,
        page=explained.as_html(command=command, replay=again) if request.page else "",
        replay=first,
    )


def serve_program(request: ProgramRequest, say: Callable[[dict[str, Any]], None]) -> Answer:
    """Explore a program, or show one of its schedules again."""
    from linpoint.cli.program_worker import run_program  # noqa: PLC0415 - a worker does one thing

    return answer_of_program(run_program(request, say))


def answer_of_program(result: ProgramResult) -> Answer:
    """A result as the parent prints it."""
    from linpoint.explain.programs import program_document, program_text  # noqa: PLC0415 - as above

    replays = [["replay", tokens.encode(dict(finding.replay))] for finding in result.findings]
    told = program_document(result)
    for finding, words in zip(told["findings"], replays, strict=True):
        finding["replay"] = words
    return Answer(
        status=result.answer.value,
        document=told,
        text=program_text(result),
        replay=replays[0] if replays else [],
    )
