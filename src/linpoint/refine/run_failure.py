# SPDX-License-Identifier: Apache-2.0
"""The failure at the end of a run of a model: its kind, in a sentence, and why the spec refuses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from linpoint.histories.values import format_value
from linpoint.refine.counterexample import ModelRun, StepInfo
from linpoint.refine.model_faults import ASSERTION_FAULT, ENDLESS_LOOP_FAULT, FAULTS

_KINDS_OF_FAULTS: Final = {ASSERTION_FAULT: "assertion", ENDLESS_LOOP_FAULT: "livelock"}
"""All others are exceptions."""


@dataclass(frozen=True, slots=True)
class RunFailure:
    """The failure of a run. ``kind`` is a key of ``FAILURES``."""

    kind: str
    message: str
    """One sentence."""
    refused: str = ""
    """Why the spec refuses the last response; empty where it is not the spec that complains."""


def run_failure(run: ModelRun) -> RunFailure:
    """The failure of a run that goes wrong."""
    last = run.last
    if last is None:
        stuck = ", ".join(run.name_of(process) for process in sorted(run.calls)) or "every process"
        return RunFailure("deadlock", f"nobody can go on: {stuck} cannot return")
    who = run.name_of(last.process)
    if last.kind == StepInfo.FAULT:
        code = run.assembly.program.code[last.instruction]
        place = f"{run.assembly.program.file}:{code.line}"
        return RunFailure(_KINDS_OF_FAULTS.get(last.number, "exception"), f"{place}: {FAULTS[last.number]} ({who})")
    number = run.called_last[last.process]
    call = run.searched.spec.operations[number] if run.searched.spec else ""
    result = format_value(run.trace[-1].value)
    allowed = ", ".join(format_value(each) for each in run.results_allowed(run.set_before_return, last.process))
    reason = f"the spec allows only {allowed}" if allowed else "the spec does not let it take effect"
    message = f"{call} of {who} returned {result}, but no order of the operations explains that"
    return RunFailure("linearizability", message, f"{call} returned {result}; {reason} here.")
