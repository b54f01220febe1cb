# SPDX-License-Identifier: Apache-2.0
"""``linpoint test --stress`` in the worker, and the answers of stress tests in any language.

A finding cannot be made to happen again, so its token holds the few operations that conspire, and replaying checks them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.campaign.worker_protocol import RenderedResult, TestRequest
from linpoint.executors.thread_executor import peak_memory
from linpoint.explain.history.explain_verdict import explain
from linpoint.explain.history.explanation import operation_dict
from linpoint.record.result import StressResult
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Scenario
from linpoint.specs.spec import Spec
from linpoint.subjects.interface import CampaignProgress
from linpoint.subjects.stress.history_replay import RecordedHistory
from linpoint.subjects.stress.python_subject import PythonStressSubject, spec_of_test
from linpoint.verdicts import Status, replay_token

_THREADS: Final = 4
_OPERATIONS: Final = 50
_PROGRESS_INTERVAL_S: Final = 0.1


def stress_test(
    definition: ConcurrentTestDefinition, request: TestRequest, say: Callable[[dict[str, Any]], None]
) -> RenderedResult:
    """Stress an object for the time of the request."""
    scenarios = None if request.scenario is None else (definition.accept(Scenario.from_dict(request.scenario)),)
    subject = PythonStressSubject(
        definition,
        spec_of_test(definition),
        scenarios,
        request.threads or _THREADS,
        request.operations or _OPERATIONS,
        seed=request.seed,
        instances=request.instances,
        erratic=request.erratic,
    )
    last = started = time.monotonic()

    def watch(reached: CampaignProgress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _PROGRESS_INTERVAL_S:
            last = now
            runs = reached.executions
            say({"progress": {"scenario": None, "scenarios": 0, "schedules": runs, "seconds": now - started}})

    result = run_campaign(subject, request.budget, watch)
    again = ["test", f"{request.file}:{request.test}", "--stress", "--seed", str(request.seed)]
    return answer_of_stress(result, request, again=again)


def recheck_test(definition: ConcurrentTestDefinition, request: TestRequest) -> RenderedResult:
    """Check the operations of a finding again."""
    return recheck_history(definition.name, spec_of_test(definition), request)


def recheck_history(name: str, spec: Spec, request: TestRequest, *, language: str = "") -> RenderedResult:
    """Check the operations of a finding again; ``name`` is that of the test, ``language`` as for ``answer_of_stress``."""
    subject = RecordedHistory(name, spec, request.history)
    result = replay_finding(subject, subject.failure(request.finding), request.budget, changed=False)
    assert result.verdict is not None
    text = result.verdict.explain().text
    replay = _token(request, request.history, language=language)
    document = stress_document(result, request, text, replay)
    return RenderedResult(status=result.status.value, document=document, text=text)


def answer_of_stress(
    result: StressResult, request: TestRequest, *, language: str = "", again: Sequence[str] = ()
) -> RenderedResult:
    """A result as it is printed. ``again`` are the arguments that run the test once more, where no operations conspire.

    ``language`` is that of the object unless it is Python, for the token.
    """
    replay: list[str] = []
    if result.status is Status.VIOLATION:
        replay = list(again)
        if result.verdict is not None and result.verdict.status is Status.VIOLATION:
            core = sorted(explain(result.verdict).core)
            operations = [operation_dict(result.verdict.history, each) for each in core]
            replay = _token(request, operations, result.kind or "", language=language)
    text = result.text
    return RenderedResult(
        status=result.status.value, document=stress_document(result, request, text, replay), text=text, replay=replay
    )


def _token(request: TestRequest, history: list[dict[str, Any]], kind: str = "", *, language: str = "") -> list[str]:
    content: dict[str, Any] = {
        "kind": f"stress-{language}" if language else "stress",
        "file": request.file,
        "test": request.test,
        "finding": kind or request.finding,
        "operations": history,
    }
    if request.spec is not None:
        content["spec"] = request.spec
    return ["replay", replay_token.encode(content)]


def stress_document(result: StressResult, request: TestRequest, text: str, replay: list[str]) -> dict[str, Any]:
    """The JSON document of a result."""
    found = result.status is Status.VIOLATION
    finding = {"kind": result.kind, "message": result.why, "explanation": {"text": text}, "replay": replay}
    return {
        "test": request.test,
        "file": request.file,
        "verdict": result.status.value,
        "exhaustive": False,
        "why": result.why,
        "statistics": {
            "seconds": round(result.seconds, 6),
            "peak_memory_bytes": peak_memory(),
            "runs": result.runs,
            "operations": result.operations,
            **{name: value for name, value in result.statistics.items() if name not in ("runs", "operations")},
        },
        "findings": [finding] if found else [],
        "warnings": list(result.warnings),
    }
