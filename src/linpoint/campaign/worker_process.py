# SPDX-License-Identifier: Apache-2.0
"""The process that tests user code; the command survives its crashes.

It is started with a fixed hash seed, reads one request as JSON from standard input, and writes ``WorkerMessage`` lines
to the descriptor in its argument: progress, then one answer. The output of user code goes to standard error.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.worker_protocol import (
    ProgramRequest,
    RenderedResult,
    Send,
    TestRequest,
    WorkerMessage,
    WorkerProgress,
    WorkerRequest,
    rendered_result,
)
from linpoint.errors import LinpointError
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.interface import CampaignProgress, Failure, Subject
from linpoint.subjects.python_object.code_identity import identity
from linpoint.subjects.python_object.load_tests import load_test, load_tests
from linpoint.verdicts import Status
from linpoint.verdicts.result import Result, undecided_result

_STANDARD_STREAMS: Final = (1, 2)


def main() -> None:
    """Serve one request."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the command started it with SIG_DFL
    if not os.environ.get("PYTHONSAFEPATH"):
        sys.path.insert(0, "")  # as under `python -c`, for the imports of user code
    descriptor = int(sys.argv[1])
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=TestRequest | ProgramRequest)

    def send(message: WorkerMessage) -> None:
        os.write(descriptor, msgspec.json.encode(message, enc_hook=repr) + b"\n")

    try:
        answer = run_request(request, send)
    except LinpointError as error:
        answer = RenderedResult(error=error.as_dict())
    except KeyboardInterrupt:  # the command sent it and knows the reason
        os._exit(1)
    except Exception as error:  # noqa: BLE001 - report a bug of linpoint, not a crash of user code
        traceback.print_exc()
        answer = _internal_error(request, error)
    send(WorkerMessage(answer=answer))
    # Threads of user code may never end; do not join them.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _internal_error(request: TestRequest | ProgramRequest, error: Exception) -> RenderedResult:
    why = f"internal error, please report this bug: {type(error).__name__}: {error}"
    if isinstance(request, ProgramRequest):
        return rendered_result(undecided_result("program", request.file, why, file=request.file))
    name = request.test or request.file
    result = undecided_result("test", name, why, models={"free-threaded": Status.UNKNOWN})
    return rendered_result(result, request.command, page=request.page)


def run_request(request: TestRequest | ProgramRequest, send: Send) -> RenderedResult:
    """Execute a request."""
    if isinstance(request, ProgramRequest):
        return _explore_program(request, send)
    if request.action == "list":
        return RenderedResult(tests=list(load_tests(request.file)))
    definition = load_test(request.file, request.test)
    spec = request.test_options().spec
    if spec is not None:
        definition = dataclasses.replace(definition, spec=spec)
    if request.action == "test":
        return _test_object(definition, request, send)
    from linpoint.campaign.stress_answers import recheck_test, stress_test  # noqa: PLC0415 - a worker does one thing

    return stress_test(definition, request, send) if request.action == "stress" else recheck_test(definition, request)


def _test_object(definition: ConcurrentTestDefinition, request: TestRequest, send: Send) -> RenderedResult:
    from linpoint.subjects.python_object.subject import PythonObjectSubject  # noqa: PLC0415 - as above

    options, scenario = request.test_options(), request.fixed_scenario()
    token = identity(definition, file=request.file, test=request.test, spec=options.spec)
    subject = PythonObjectSubject(
        definition=definition,
        seed=options.seed,
        scenarios=() if scenario is None else (scenario,),
        threads=options.threads,
        operations=options.operations,
        granularity=options.granularity,
        backend=options.backend,
        token=token,
    )
    result = _run_subject(subject, request, send, case=scenario, code=token["code"])
    return rendered_result(dataclasses.replace(result, file=request.file), request.command, page=request.page)


def _explore_program(request: ProgramRequest, send: Send) -> RenderedResult:
    from linpoint.subjects.python_program.program import load_program  # noqa: PLC0415 - as above
    from linpoint.subjects.python_program.subject import PythonProgramSubject  # noqa: PLC0415 - as above

    program = load_program(request.file, tuple(request.args))
    token = {
        "kind": "explore",
        "file": request.file,
        "args": request.args,
        "code": program.digest,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }
    options = request.program_options()
    subject = PythonProgramSubject(program, options.granularity, options.preemptions, options.backend, token=token)
    with _discarded_output():
        return rendered_result(_run_subject(subject, request, send, case=None, code=program.digest))


def _run_subject(subject: Subject, request: WorkerRequest, send: Send, *, case: Scenario | None, code: str) -> Result:
    """Search the subject, or replay the schedule of the request. ``code`` is the digest of the current code."""
    seconds = request.seconds_left()
    if request.schedule is not None:
        failure = Failure(request.finding, case, tuple(request.schedule), 0, None)
        return replay_finding(subject, failure, seconds, changed=bool(request.code) and request.code != code)

    def report(reached: CampaignProgress) -> None:
        scenario = None if reached.case is None else reached.case.as_dict()
        progress = WorkerProgress(
            scenario=scenario,
            scenarios=reached.cases,
            schedules=reached.executions,
            seconds=reached.share * seconds,
        )
        send(WorkerMessage(progress=progress))

    return run_campaign(subject, seconds, report)


@contextmanager
def _discarded_output() -> Iterator[None]:
    """Discard output that bypasses Python's streams, such as that of child processes."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(each) for each in _STANDARD_STREAMS]
    null_device = os.open(os.devnull, os.O_WRONLY)
    for each in _STANDARD_STREAMS:
        os.dup2(null_device, each)
    os.close(null_device)
    try:
        yield
    finally:
        for each, before in zip(_STANDARD_STREAMS, kept, strict=True):
            os.dup2(before, each)
            os.close(before)
