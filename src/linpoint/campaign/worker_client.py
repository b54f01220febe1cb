# SPDX-License-Identifier: Apache-2.0
"""Runs a request in a worker process within the budget, and returns its answer.

Guarantee: the command survives a worker that dies, hangs or uses too much memory, and keeps its last progress. Ctrl-C
is forwarded to the worker, which answers with the facts known so far.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from linpoint.campaign.worker_protocol import ProgramRequest, RenderedResult, TestRequest, WorkerMessage, WorkerProgress
from linpoint.processes.process_launch import MESSAGES
from linpoint.processes.process_limits import DEADLINE_PASSED, MEMORY_EXCEEDED, ProcessLimits
from linpoint.processes.supervised_process import INTERRUPTED, SupervisedProcess
from linpoint.verdicts import Budget

_BEGIN: Final = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); from linpoint.campaign.worker_process import main; main()"
"""While a worker is importing, Ctrl-C ends it without a traceback. Its imports ignore the current directory (``-P``): a
``signal.py`` there belongs to the user's code."""
_GRACE_S: Final = 1.5
"""The time for a worker to answer after SIGINT."""
_STOPPED: Final = {DEADLINE_PASSED: "the time budget ran out", MEMORY_EXCEEDED: "the memory budget ran out"}


@dataclass(frozen=True, slots=True)
class WorkerOutcome:
    """The outcome of a worker: its answer, or the reason in ``died``."""

    answer: RenderedResult | None
    died: str = ""
    reached: WorkerProgress | None = None
    """The last reported progress."""
    stopped: str = ""
    """The reason why the worker was stopped, if it was."""
    interrupted: bool = False


NOT_BEGUN: Final = WorkerOutcome(None, INTERRUPTED, stopped=INTERRUPTED)
"""The outcome of a worker that was not started after Ctrl-C."""


_MESSAGES: Final = msgspec.json.Decoder(WorkerMessage)


def run_in_worker(
    request: TestRequest | ProgramRequest,
    budget: Budget,
    *,
    progress: Callable[[WorkerProgress], None] = lambda _: None,
) -> WorkerOutcome:
    """Start a worker with a request and wait for its answer."""
    reached: WorkerProgress | None = None
    answer: RenderedResult | None = None
    # A worker keeps to the budget by itself; the limits apply if it fails to.
    limits = ProcessLimits(deadline=budget.deadline, max_memory_bytes=budget.max_memory)
    with SupervisedProcess.start(
        [sys.executable, "-P", "-c", _BEGIN, MESSAGES],
        limits=limits,
        on_interrupt="forward",
        grace_s=_GRACE_S,
        stdin=msgspec.json.encode(request),
        stdout=sys.stderr.fileno(),
        stderr=None,
        env=os.environ | {"PYTHONHASHSEED": "0"},
    ) as process:
        while answer is None and not process.over:
            try:
                for line in process.messages():
                    message = _MESSAGES.decode(line)
                    if message.answer is not None:
                        answer = message.answer
                        break
                    if message.progress is not None:
                        reached = message.progress
                        progress(reached)
            except KeyboardInterrupt:
                process.interrupt()
            except msgspec.MsgspecError as error:
                process.stop(f"it sent an invalid message: {error}", grace_s=0.0)
        stopped = _STOPPED.get(process.stopped, process.stopped)
        if answer is not None:
            return WorkerOutcome(answer, "", reached, stopped, process.interrupted)
        outcome = process.outcome(grace_s=_GRACE_S)
    died = f"it exited with code {outcome.exit_code}"
    if outcome.signal is not None:
        died = f"it was terminated by {outcome.signal_name}"
    return WorkerOutcome(None, stopped or died, reached, stopped, outcome.interrupted)
