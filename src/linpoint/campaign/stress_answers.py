# SPDX-License-Identifier: Apache-2.0
"""``linpoint test --stress`` in the worker, and the answers of stress tests in any language.

A stress run cannot be repeated, so the token of a finding holds its few conflicting operations, and a replay checks
them.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Any, Final

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.worker_protocol import (
    RenderedResult,
    Send,
    TestRequest,
    WorkerMessage,
    WorkerProgress,
    rendered_result,
)
from linpoint.explain.history.explain_verdict import explain
from linpoint.explain.json_values import operation_dict
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.specs.spec import Spec
from linpoint.subjects.interface import CampaignProgress
from linpoint.subjects.stress.history_replay import RecordedHistory
from linpoint.subjects.stress.python_subject import PythonStressSubject, spec_of_test
from linpoint.verdicts import Status
from linpoint.verdicts.replay_token import ReplayToken
from linpoint.verdicts.result import Result

_THREADS: Final = 4
_OPERATIONS: Final = 50
_PROGRESS_INTERVAL_S: Final = 0.1


def stress_test(definition: ConcurrentTestDefinition, request: TestRequest, send: Send) -> RenderedResult:
    """Run a stress test of an object within the time of the request."""
    options, fixed = request.test_options(), request.fixed_scenario()
    scenarios = None if fixed is None else (definition.accept(fixed),)
    subject = PythonStressSubject(
        definition,
        spec_of_test(definition),
        scenarios,
        options.threads or _THREADS,
        options.operations or _OPERATIONS,
        seed=options.seed,
        instances=options.instances,
        erratic=options.erratic,
    )
    last = started = time.monotonic()

    def watch(reached: CampaignProgress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _PROGRESS_INTERVAL_S:
            last = now
            send(WorkerMessage(progress=WorkerProgress(schedules=reached.executions, seconds=now - started)))

    result = run_campaign(subject, request.seconds_left(), watch)
    again = ["test", f"{request.file}:{request.test}", "--stress", "--seed", str(options.seed)]
    return answer_of_stress(result, request, again=again)


def recheck_test(definition: ConcurrentTestDefinition, request: TestRequest) -> RenderedResult:
    """Check the operations of a finding again."""
    return recheck_history(definition.name, spec_of_test(definition), request)


def recheck_history(name: str, spec: Spec, request: TestRequest, *, language: str = "") -> RenderedResult:
    """Check the operations of a finding again; ``name`` is the test, ``language`` as for ``answer_of_stress``."""
    subject = RecordedHistory(name, spec, request.history)
    result = replay_finding(subject, subject.failure(request.finding), request.seconds_left(), changed=False)
    token = _token(request, request.history, request.finding, language=language)
    answer = rendered_result(_of_request(result, request, token))
    answer.replay = []  # the user already has it
    return answer


def answer_of_stress(
    result: Result, request: TestRequest, *, language: str = "", again: Sequence[str] = ()
) -> RenderedResult:
    """A rendered result. ``again`` are the arguments that rerun the test, used if no operations conflict.

    ``language`` is the language of the object for the token; empty for Python.
    """
    token = None
    if result.verdict is not None and result.verdict.status is Status.VIOLATION and result.kind is not None:
        core = sorted(explain(result.verdict).core)
        operations = [operation_dict(result.verdict.history, each) for each in core]
        token = _token(request, operations, result.kind, language=language)
    return rendered_result(_of_request(result, request, token), replay=() if token else again)


def _of_request(result: Result, request: TestRequest, token: ReplayToken | None) -> Result:
    """The result with the names that the user gave, and the token of its finding."""
    findings = tuple(dataclasses.replace(finding, replay_token=token) for finding in result.findings)
    return dataclasses.replace(result, name=request.test, file=request.file, findings=findings)


def _token(request: TestRequest, history: list[dict[str, Any]], kind: str, *, language: str = "") -> ReplayToken:
    spec = request.test_options().spec
    return ReplayToken(
        f"stress-{language}" if language else "stress",
        kind,
        request.file,
        request.test,
        options={} if spec is None else {"spec": spec},
        reproduction={"operations": history},
    )
