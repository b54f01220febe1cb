# SPDX-License-Identifier: Apache-2.0
"""What a worker does for ``linpoint explore``: a program runs here, silently, under many schedules."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from linpoint.explore.programs.campaign import explore_program, replay_program
from linpoint.explore.programs.exploring import DEFAULT_BUDGET, Settings
from linpoint.subjects.python_program.program import load_program
from linpoint.verdicts.program import ProgramResult

if TYPE_CHECKING:  # it is the module that runs as a program, and imports us
    from linpoint.campaign.worker_protocol import ProgramRequest

_AT_LEAST: Final = 0.1
_STREAMS: Final = (1, 2)


def run_program(request: ProgramRequest, say: Callable[[dict[str, Any]], None]) -> ProgramResult:
    """Explore a program, or show one of its schedules again."""
    program = load_program(request.file, tuple(request.args))
    content = {
        "kind": "explore",
        "file": request.file,
        "args": request.args,
        "code": program.digest,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }
    left = DEFAULT_BUDGET if request.deadline is None else max(_AT_LEAST, request.deadline - time.monotonic())
    settings = Settings(left, request.granularity, request.preemptions, request.backend, replay=content)
    with _silent():
        if request.schedule is None:
            return explore_program(program, settings, watch=lambda runs: say({"progress": {"schedules": runs}}))
        changed = bool(request.code) and request.code != program.digest
        return replay_program(program, settings, tuple(request.schedule), changed=changed)


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
