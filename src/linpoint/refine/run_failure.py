# SPDX-License-Identifier: Apache-2.0
"""The failure at the end of a run of a model: its kind, a sentence, and the reason why the spec rejects it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from linpoint.histories.values import format_value
from linpoint.refine.counterexample import ModelRun, StepInfo
from linpoint.refine.model_faults import ASSERTION_FAULT, ENDLESS_LOOP_FAULT, FAULTS
from linpoint.text.phrases import join_words

_KINDS_OF_FAULTS: Final = {ASSERTION_FAULT: "assertion", ENDLESS_LOOP_FAULT: "livelock"}
"""Kinds of some faults; all others are exceptions."""


@dataclass(frozen=True, slots=True)
class RunFailure:
    """The failure of a run. ``kind`` is a key of ``FAILURES``."""

    kind: str
    message: str
    """One sentence."""
    refused: str = ""
    """The reason why the spec rejects the last response; empty if the spec is not the cause."""


def run_failure(run: ModelRun) -> RunFailure:
    """The failure of a run."""
    last = run.last
    if last is None:
        stuck = ", ".join(run.name_of(process) for process in sorted(run.calls)) or "every process"
        return RunFailure("deadlock", f"deadlock: no process can continue; {stuck} cannot return")
    who = run.name_of(last.process)
    if last.kind == StepInfo.FAULT:
        code = run.assembly.program.code[last.instruction]
        place = f"{run.assembly.program.file}:{code.line}"
        return RunFailure(_KINDS_OF_FAULTS.get(last.number, "exception"), f"{place}: {FAULTS[last.number]} ({who})")
    number = run.called_last[last.process]
    call = run.searched.spec.operations[number] if run.searched.spec else ""
    result = format_value(run.trace[-1].value)
    results = [format_value(each) for each in run.results_allowed(run.set_before_return, last.process)]
    allowed = join_words(results, "or")
    required = f"every valid order requires {allowed}" if allowed else "no valid order lets it take effect"
    reason = f"the spec requires {allowed}" if allowed else "the spec does not let it take effect"
    message = f"{call} of {who} returned {result}; {required}"
    return RunFailure("linearizability", message, f"{call} returned {result}; {reason} here.")
