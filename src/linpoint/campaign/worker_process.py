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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.worker_protocol import ProgramRequest, RenderedResult, TestRequest, rendered_result
from linpoint.errors import LinpointError
from linpoint.limits.budget import DEFAULT_BUDGET_S
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.interface import CampaignProgress, Failure
from linpoint.subjects.python_object.code_identity import identity
from linpoint.subjects.python_object.load_tests import load_test, load_tests
from linpoint.subjects.python_object.subject import PythonObjectSubject
from linpoint.verdicts import Status
from linpoint.verdicts.result import undecided_result

_MIN_BUDGET_S: Final = 0.1
_STREAMS: Final = (1, 2)


def main() -> None:
    """Serve one request."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us has put off Ctrl-C until now
    descriptor = int(sys.argv[1])
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=TestRequest | ProgramRequest)

    def say(message: dict[str, Any]) -> None:
        os.write(descriptor, msgspec.json.encode(message, enc_hook=repr) + b"\n")

    try:
        answer = serve_program(request, say) if isinstance(request, ProgramRequest) else run_request(request, say)
    except LinpointError as error:
        answer = RenderedResult(error=error.as_dict())
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


def _failed(request: TestRequest | ProgramRequest, error: Exception) -> RenderedResult:
    why = f"linpoint itself failed, which is a bug to report: {type(error).__name__}: {error}"
    if isinstance(request, ProgramRequest):
        return rendered_result(undecided_result("program", request.file, why, file=request.file))
    name = request.test or request.file
    result = undecided_result("test", name, why, models={"free-threaded": Status.UNKNOWN})
    return rendered_result(result, request.command, page=request.page)


def run_request(request: TestRequest, say: Callable[[dict[str, Any]], None]) -> RenderedResult:
    """Do what is asked for."""
    if request.made:
        request.budget = max(_MIN_BUDGET_S, request.budget - (time.monotonic() - request.made))
    if request.action == "list":
        return RenderedResult(tests=list(load_tests(request.file)))
    definition = load_test(request.file, request.test)
    if request.spec is not None:
        definition = dataclasses.replace(definition, spec=request.spec)
    if request.action in ("stress", "recheck"):
        from linpoint.campaign.stress_answers import recheck_test, stress_test  # noqa: PLC0415 - a worker does one thing

        if request.action == "stress":
            return stress_test(definition, request, say)
        return recheck_test(definition, request)
    token = identity(definition, file=request.file, test=request.test, spec=request.spec)
    subject = PythonObjectSubject(
        definition=definition,
        seed=request.seed,
        scenarios=() if request.scenario is None else (Scenario.from_dict(request.scenario),),
        threads=request.threads,
        operations=request.operations,
        before=request.before,
        after=request.after,
        granularity=request.granularity,
        backend=request.backend,
        token=token,
    )

    def watch(reached: CampaignProgress) -> None:
        told = {
            "scenario": reached.case.as_dict(),
            "scenarios": reached.cases,
            "schedules": reached.executions,
            "seconds": reached.share * request.budget,
        }
        say({"progress": told})

    if request.action == "replay":
        (scenario,) = subject.scenarios
        schedule = tuple(request.schedule or ())
        failure = Failure(request.finding, scenario, schedule, 0, None)
        changed = bool(request.code) and request.code != token["code"]
        result = replay_finding(subject, failure, request.budget, changed=changed)
    else:
        result = run_campaign(subject, request.budget, watch)
    return rendered_result(dataclasses.replace(result, file=request.file), request.command, page=request.page)


def serve_program(request: ProgramRequest, say: Callable[[dict[str, Any]], None]) -> RenderedResult:
    """Explore a program, or show one of its schedules again."""
    from linpoint.subjects.python_program.program import load_program  # noqa: PLC0415 - a worker does one thing
    from linpoint.subjects.python_program.subject import PythonProgramSubject  # noqa: PLC0415 - as above

    program = load_program(request.file, tuple(request.args))
    token = {
        "kind": "explore",
        "file": request.file,
        "args": request.args,
        "code": program.digest,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }
    subject = PythonProgramSubject(program, request.granularity, request.preemptions, request.backend, token=token)
    left = DEFAULT_BUDGET_S if request.deadline is None else max(_MIN_BUDGET_S, request.deadline - time.monotonic())
    with _silent():
        if request.schedule is None:
            report = run_campaign(subject, left, lambda reached: say({"progress": {"schedules": reached.executions}}))
            return rendered_result(report)
        failure = Failure(request.finding, None, tuple(request.schedule), 0, None)
        changed = bool(request.code) and request.code != program.digest
        return rendered_result(replay_finding(subject, failure, left, changed=changed))


@contextmanager
def _silent() -> Iterator[None]:
    """Whatever goes past Python's streams, as from a child process, is printed nowhere."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(each) for each in _STREAMS]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for each in _STREAMS:
        os.dup2(nowhere, each)
    os.close(nowhere)
    try:
        yield
    finally:
        for each, before in zip(_STREAMS, kept, strict=True):
            os.dup2(before, each)
            os.close(before)
