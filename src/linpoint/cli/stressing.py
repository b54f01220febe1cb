# SPDX-License-Identifier: Apache-2.0
"""``linpoint test --stress``, in the worker: the object on real threads, and what is said of it.

Without a spec of its own the object itself, copied between operations and called on one thread, says what is right. A
finding cannot be made to happen again, so its token holds the few operations that conspire, and replaying checks them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from linpoint.campaign.worker_protocol import RenderedResult, TestRequest
from linpoint.checkers.check import check
from linpoint.executors.thread_executor import peak_memory
from linpoint.explain.history.explain_verdict import explain
from linpoint.explain.history.explanation import operation_dict
from linpoint.record.result import StressResult
from linpoint.record.stress import Settings, conduct
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Scenario
from linpoint.specs.class_as_spec import sequential_calls
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find
from linpoint.verdicts import Budget, Status, replay_token

_THREADS: Final = 4
_OPERATIONS: Final = 50
_BETWEEN: Final = 0.1
"""Seconds between two words of progress."""


def stress(
    definition: ConcurrentTestDefinition, request: TestRequest, say: Callable[[dict[str, Any]], None]
) -> RenderedResult:
    """Stress the object for the time that is asked for."""
    scenarios = None if request.scenario is None else (definition.accept(Scenario.from_dict(request.scenario)),)
    settings = Settings(
        definition,
        _spec_of(definition),
        scenarios,
        request.threads or _THREADS,
        request.operations or _OPERATIONS,
        seed=request.seed,
        instances=request.instances,
        erratic=request.erratic,
    )
    told = started = time.monotonic()

    def progress(runs: int, _operations: int) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= _BETWEEN:
            told = now
            say({"progress": {"scenario": None, "scenarios": 0, "schedules": runs, "seconds": now - started}})

    result, _ = conduct(settings, Budget.starting_now(request.budget, None), progress=progress)
    again = ["test", f"{request.file}:{request.test}", "--stress", "--seed", str(request.seed)]
    return answer_of_stress(result, request, again=again)


def recheck(definition: ConcurrentTestDefinition, request: TestRequest) -> RenderedResult:
    """Check the operations of a finding again."""
    return recheck_operations(definition.name, _spec_of(definition), request)


def recheck_operations(name: str, spec: Spec, request: TestRequest, *, language: str = "") -> RenderedResult:
    """Check the operations of a finding again; ``name`` is that of the test, ``language`` as for ``answer_of_stress``."""
    verdict = check(request.history, spec, budget=request.budget)
    status = verdict.status
    why = "the operations of the finding are still a violation" if status is Status.VIOLATION else verdict.why
    statistics = {"operations": len(request.history), "gil": True}
    kind = request.finding if status is Status.VIOLATION else None
    seconds = verdict.statistics.seconds
    text = verdict.explain().text
    result = StressResult(
        status, name, verdict.spec.name, 0, len(request.history), seconds, why, kind, statistics=statistics
    )
    replay = _token(request, request.history, language=language)
    return RenderedResult(status=status.value, document=stress_document(result, request, text, replay), text=text)


def _spec_of(definition: ConcurrentTestDefinition) -> Spec:
    if definition.spec is not None:
        return find(definition.spec)
    calls = {name: (each.call, each.parameters) for name, each in definition.operations.items()}
    return sequential_calls(definition.setup, calls, name=f"{definition.name}, one operation at a time")


def answer_of_stress(
    result: StressResult, request: TestRequest, *, language: str = "", again: Sequence[str] = ()
) -> RenderedResult:
    """What is said of a result. ``again`` are the words that run the test once more, where no operations conspire.

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
